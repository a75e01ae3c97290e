#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of registers in docs/hardware.md is what the model says of itself.
# With --update it is made so: run_regtable.sh [--update] REGTABLE HARDWARE.MD
set -eu
update=false
if [ "$1" = --update ]; then
    update=true
    shift
fi
regtable=$1
doc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All of the page, with the table between the two marks as it should be.
"$regtable" >"$work/table"
awk -v table="$work/table" '
    /^<!-- end of registers -->$/ { skip = 0 }
    !skip { print }
    /^<!-- registers -->$/ {
        skip = 1
        while ((getline line < table) > 0) print line
    }' "$doc" >"$work/page"

if $update; then
    cp "$work/page" "$doc"
    exit 0
fi
echo "1..1"
if grep -q '^<!-- registers -->$' "$doc" && diff -u "$doc" "$work/page" >&2
then
    echo "ok 1 - docs/hardware.md lists the registers as the model has them"
else
    echo "not ok 1 - docs/hardware.md lists the registers as the model has them"
    echo "# run tests/run_regtable.sh --update BUILD/tests/regtable docs/hardware.md"
    exit 1
fi
