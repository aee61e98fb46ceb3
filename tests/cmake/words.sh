#!/usr/bin/env bash
# words.sh ROOT: passes if no old word of docs/glossary.md (in code font in the third column) occurs as an identifier,
# in prose or in the name of a file. Exceptions: that page, CHANGELOG.md, the table of docs/versions.md, scripts/rename and its test.
set -u
cd "$1" || exit 1
failed=0
mapfile -t old < <(awk -F'|' 'NF >= 5 { n = split($4, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' docs/glossary.md)
if [ "${#old[@]}" -lt 15 ]; then
  echo "words.sh: ${#old[@]} old words found in docs/glossary.md"
  exit 1
fi
expression="(^|[^A-Za-z0-9])($(IFS='|'; echo "${old[*]}"))([^A-Za-z0-9]|\$)"  # a name joins words by underscores
if grep -rnIiE "$expression" README.md CONTRIBUTING.md CMakeLists.txt CMakePresets.json include tests examples benchmarks scripts cmake docs \
  --exclude=glossary.md --exclude=rename --exclude=rename.py --exclude-dir=data | grep -v '^docs/versions.md:[0-9]*:| `'; then
  echo "words.sh: the lines above use old words; docs/glossary.md has the words in use"
  failed=1
fi
if find include tests examples benchmarks scripts cmake docs -type f -not -path '*/data/*' | sed 's/.*\///' | grep -niE "$expression"; then
  echo "words.sh: the files above are named by old words"
  failed=1
fi
exit $failed
