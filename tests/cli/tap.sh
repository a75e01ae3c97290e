# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# What the tests of the program share: sourced with the program's path as $1,
# before anything else. Leaves $trench, and an empty folder as the current one,
# which goes away in the end.

absolute()
{
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
    esac
}

# verdict NAME STATUS: one line of TAP; on failure, stdout and stderr, the
# former against want where there is one.
verdict()
{
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        printf 'ok %d - %s\n' "$count" "$1"
        return
    fi
    failed=$((failed + 1))
    printf 'not ok %d - %s\n' "$count" "$1"
    if [ -f want ]; then
        diff want stdout
    else
        cat stdout
    fi | head -n 40 | sed 's/^/# /'
    head -n 40 stderr | sed 's/^/# stderr: /'
}

# prints NAME ARG...: exit 0, nothing on stderr, and stdin on stdout. It calls
# the script's run ARG..., which leaves stdout, stderr and $rc.
prints()
{
    name=$1
    shift
    run "$@"
    cat >want
    test "$rc" -eq 0 -a ! -s stderr && cmp -s want stdout
    verdict "$name" $?
}

# plan: the last line of TAP, and as a script's last command its exit status.
plan()
{
    printf '1..%d\n' "$count"
    [ "$failed" -eq 0 ]
}

# shellcheck disable=SC2034 # the tests run it
trench=$(absolute "$1")
LC_ALL=C
export LC_ALL
unset ARGP_HELP_FMT
count=0
failed=0
rc=0

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
