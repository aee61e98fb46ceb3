#!/usr/bin/env bash
# quotes.sh ROOT: passes if every code block of a page that follows "<!-- FILE [name] -->" equals the text in FILE
# from its line "// [name]" to the next such line of any name, and if there are 3 such blocks or more.
set -u
cd "$1" || exit 1
failed=0 found=0
while IFS= read -r page; do
  while IFS=: read -r line mark; do
    file=$(sed -E 's/.*<!-- ([^ ]+) \[.*/\1/' <<< "$mark")
    name=$(sed -E 's/.*\[([^]]+)\].*/\1/' <<< "$mark")
    quoted=$(tail -n +"$((line + 1))" "$page" | awk '/^```/ { if (inside) exit; inside = 1; next } inside')
    source=$(awk -v mark="// [$name]" '{ text = $0; sub(/^ +/, "", text) } text == mark { inside = !inside; next } text ~ /^\/\/ \[[^]]+\]$/ { inside = 0 } inside' "$file")
    found=$((found + 1))
    if [ -z "$source" ] || [ "$quoted" != "$source" ]; then
      echo "$page:$line: the code is not the region \"// [$name]\" of $file:"
      diff <(echo "$source") <(echo "$quoted")
      failed=1
    fi
  done < <(grep -nE '^<!-- [^ ]+ \[[^]]+\] -->$' "$page")
done < <(find README.md CONTRIBUTING.md docs -name '*.md')
if [ "$found" -lt 3 ]; then
  echo "quotes.sh: $found quotations found"
  failed=1
fi
exit $failed
