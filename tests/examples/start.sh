#!/usr/bin/env bash
# start.sh LAUNCH PROGRAM CASE: checks how training programs end.
#   errors    what all ranks throw is printed once, and what one rank meets with alone by that rank
source "$(dirname "${BASH_SOURCE[0]}")/training"

errors() {
  refused 60 "^start: all ranks say so$" --seed 2
  refused 60 "^start: rank 1: no such example$" --seed 1
}

check_case
