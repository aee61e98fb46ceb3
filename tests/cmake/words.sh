#!/usr/bin/env bash
# words.sh ROOT: passes if pages and comments are no diary.
set -u
cd "$1" || exit 1
# Dates, runs and attempts are in docs/records and CHANGELOG.md alone. The phrases may break over lines, so a file is one record.
diary='(^|[^0-9a-z])(20[0-9][0-9]-[01][0-9]|(january|february|march|april|may|june|july|august|september|october|november|december) 20[0-9][0-9]|'\
'(a|one|another|in) later run|(an|in) earlier run(,| had| took| gave)|since then|before that[ .,:;]|(was|were) tried|load (of|was) [0-9]|(idle|loaded) machine|busy cores|'\
'other programs (used|kept)|no other program ran|(hour|day) later|same (hour|evening))([^a-z]|$)'
found=$(find README.md CONTRIBUTING.md SECURITY.md CMakeLists.txt CMakePresets.json include tests examples benchmarks scripts cmake docs -type f \
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
  exit 1
fi
