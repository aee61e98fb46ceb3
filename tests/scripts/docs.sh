#!/usr/bin/env bash
# docs.sh ROOT SITE: scripts/docs builds the site without a warning, and documents.py finds everything on it.
set -euo pipefail
if ! /usr/bin/env python3 -c 'import breathe, myst_parser' 2> /dev/null && ! /usr/bin/python3 -c 'import breathe, myst_parser' 2> /dev/null; then
  echo "left out: MyST or Breathe is not installed"
  exit 77
fi
"$1/scripts/docs" "$2"
python3 "$1/tests/scripts/documents.py" "$1" "$2/html"
