#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every "$ trench" command of the README prints what the README shows. Times
# and rates differ from run to run: numbers with a decimal point are not
# compared, nor any of what runs a program of the system.
# usage: run_readme.sh TRENCH README
set -u
trench=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
readme=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$trench" "$work/bin/trench"
PATH=$work/bin:$PATH
# The file that the tour copies.
head -c 16777216 /dev/urandom >"$work/data.bin"
# The trace that it makes; the traced shell expands its own script.
# shellcheck disable=SC2016
valgrind --tool=lackey --trace-mem=yes --log-file="$work/bash.trace" \
    bash -c 'for i in 1 2 3; do echo $i; done' >"$work/out" 2>&1 ||
    rm -f "$work/bash.trace"

# One file a command: the command line, then what the README shows.
awk -v dir="$work" '
    /^```/ { inside = !inside; shown = 0; next }
    inside && /^\$ / { n++; shown = 1; out = dir "/" n ".readme"; print substr($0, 3) > out; next }
    inside && shown { print > out }
' "$readme"

# A program that is the system's: not one number is the same elsewhere.
no_numbers() {
    sed -e 's/[0-9][0-9.]*/N/g' -e 's/  */ /g'
}

# The spaces before a number are as many as its width leaves.
comparable() {
    case $command in
    "trench icache "*) no_numbers ;;
    *) cat ;;
    esac | sed -e 's/ *[0-9][0-9]*\.[0-9][0-9]*/ N/g' -e 's/[0-9][0-9]* KB\/s/N KB\/s/g' \
        -e 's/[KMG]iB\/s/iB\/s/g' -e 's/ *$//'
}

n=0
while [ -f "$work/$((n + 1)).readme" ]; do
    n=$((n + 1))
    command=$(head -n 1 "$work/$n.readme")
    if [ ! -f "$work/bash.trace" ]; then
        case $command in
        *bash.trace*)
            echo "ok $n - $command # SKIP no valgrind"
            continue
            ;;
        esac
    fi
    (cd "$work" && sh -c "$command") >"$work/out" 2>&1
    status=$?
    tail -n +2 "$work/$n.readme" | grep -v '^ *\.\.\.$' | comparable >"$work/want"
    # Where the README cuts off, so does the comparison.
    if tail -n 1 "$work/$n.readme" | grep -q '^ *\.\.\.$'; then
        head -n "$(wc -l <"$work/want")" "$work/out"
    else
        cat "$work/out"
    fi | comparable >"$work/got"
    if [ "$status" -eq 0 ] && cmp -s "$work/want" "$work/got"; then
        echo "ok $n - $command"
    else
        echo "not ok $n - $command (exit $status)"
        diff "$work/want" "$work/got" | sed 's/^/# /'
    fi
done
if [ "$n" -eq 0 ]; then
    echo "not ok 1 - the README shows no command"
    n=1
fi
echo "1..$n"
