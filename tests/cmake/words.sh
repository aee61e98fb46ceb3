#!/usr/bin/env bash
# words.sh ROOT: passes if pages and comments are no diary, and if no old word of docs/glossary.md (in code font in the third column) occurs as an identifier,
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
# Dates, runs and attempts are in docs/records and CHANGELOG.md alone. The phrases may break over lines, so a file is one record.
diary='(^|[^0-9a-z])(20[0-9][0-9]-[01][0-9]|(january|february|march|april|may|june|july|august|september|october|november|december) 20[0-9][0-9]|'\
'(a|one|another|in) later run|(an|in) earlier run(,| had| took| gave)|since then|before that[ .,:;]|(was|were) tried|load (of|was) [0-9]|(idle|loaded) machine|busy cores|'\
'other programs (used|kept)|no other program ran|(hour|day) later|same (hour|evening))([^a-z]|$)'
found=$(find README.md CONTRIBUTING.md SECURITY.md CMakeLists.txt CMakePresets.json include src tests examples benchmarks scripts cmake docs -type f \
  -not -path '*/data/*' -not -path 'docs/records/*' -not -path tests/cmake/words.sh -not -name '*.svg' -not -name '*.pyc' -print0 |
  LC_ALL=C xargs -0 awk -v "diary=$diary" 'BEGIN { RS = "\001" }
    { text = $0; gsub(/\n[ \/#*]*/, " ", text); plain = tolower(text)
      while (match(plain, diary)) {
        from = RSTART > 50 ? RSTART - 50 : 1
        print FILENAME ": ..." substr(text, from, RSTART - from + RLENGTH + 30) "..."
        plain = substr(plain, RSTART + RLENGTH); text = substr(text, RSTART + RLENGTH)
      } }')
if [ -n "$found" ]; then
  echo "$found"
  echo "words.sh: the places above are a diary; docs/records has dates, runs and attempts"
  failed=1
fi
exit $failed
