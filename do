#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The one entry to building, testing and showing Trench. ./do lists the rest.
set -eu
cd "$(dirname "$0")"
root=$(pwd)

# Debian packages: what each command needs beyond the ones before it.
build_packages="gcc meson ninja-build pkg-config libjansson-dev libisal-dev zlib1g-dev libelf-dev help2man"
test_packages="clang llvm libclang-rt-14-dev libcmocka-dev valgrind"
lint_packages="clang-format cppcheck shellcheck"
bench_packages="libdpdk-dev valgrind"
mpi_packages="libopenmpi-dev openmpi-bin"
# For a guest; its kernel and its tools are fetched, not installed.
vm_packages="qemu-system-x86 cpio"
guest_packages="linux-image-cloud-amd64 busybox-static"

fuzz_targets="fuzz_soc fuzz_app fuzz_schema fuzz_expr fuzz_name fuzz_map fuzz_dump fuzz_ctxlog fuzz_ctxlog_json fuzz_step fuzz_icache_ring fuzz_icache_trace fuzz_icache_image fuzz_pod fuzz_npy fuzz_serve"

# What is measured and installed. Objects are fat: not everyone who links the
# static library has link-time optimization, or this compiler.
release="--buildtype=release -Db_lto=true -Dc_args=-ffat-lto-objects -Dtests=disabled"

say() {
    printf '== %s\n' "$*"
}

die() {
    printf 'do: %s\n' "$*" >&2
    exit 1
}

usage() {
    cat <<'END'
./do COMMAND

  run             build; a collective, and a copy of a file, on a modelled chip
  test            all tests, also with sanitizers, and a minute of fuzzing
  vm [shell]      boot a kernel that has the chip as a PCI device; with shell,
                  look around in it
  bench           measure the data path in a release build
  fuzz [SECONDS]  fuzz every target, an hour each unless told otherwise
  lint            formatting, static analysis, shell scripts
  fresh           the tests in a clean clone
  install [DIR]   build a release and install it, under /usr/local or DIR
  clean           remove what was built

What is missing is installed with apt where there is apt.
END
}

# privileged HINT COMMAND...: run as root; the hint says what cannot be.
privileged() {
    hint=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        command -v sudo >/dev/null 2>&1 || die "$hint"
        sudo "$@"
    fi
}

# need PACKAGE...: install what dpkg does not know as installed.
need() {
    missing=""
    if ! command -v dpkg-query >/dev/null 2>&1; then
        for tool in meson ninja pkg-config cc; do
            command -v "$tool" >/dev/null 2>&1 ||
                die "$tool is missing; install what these Debian packages hold: $*"
        done
        return 0
    fi
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *"ok installed") ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    # A list of words, on purpose.
    # shellcheck disable=SC2086
    privileged "please install:$missing" env DEBIAN_FRONTEND=noninteractive sh -c '
        apt-get install -y -qq "$@" >/dev/null 2>&1 ||
            { apt-get update -qq && apt-get install -y -qq "$@" >/dev/null; }
    ' sh $missing || die "cannot install:$missing"
}

# setup DIR [meson options]: configure once, and again when the options differ.
setup() {
    dir=$1
    shift
    if [ "$(cat "$dir/.options" 2>/dev/null)" != "$*" ]; then
        rm -rf "$dir"
        meson setup "$dir" "$@" >"$dir.log" 2>&1 ||
            { cat "$dir.log" >&2; die "meson setup failed"; }
        mv "$dir.log" "$dir/setup.log"
        printf '%s\n' "$*" >"$dir/.options"
    fi
}

# build DIR [TARGET...]
build() {
    dir=$1
    shift
    ninja -C "$dir" "$@" >"$dir/build.log" 2>&1 ||
        { cat "$dir/build.log" >&2; die "the build in $dir failed"; }
}

do_run() {
    # One word a package, on purpose here and below.
    # shellcheck disable=SC2086
    need $build_packages
    say "building"
    mkdir -p build
    setup build/main --buildtype=debugoptimized
    build build/main src/cli/trench
    trench=$root/build/main/src/cli/trench
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM

    # Eight NeuronCores; every element of every result is checked.
    say "trench all_reduce -b 1K -e 16M -f 4"
    "$trench" all_reduce -b 1K -e 16M -f 4
    # A real file: the compiler itself, some 30 MB.
    file=$(gcc -print-prog-name=cc1)
    say "trench copy --bs 4K $file"
    "$trench" copy --bs 4K "$file" "$work/copy"
    cmp "$file" "$work/copy"
    say "trench dmatest --channel all --seed 1"
    "$trench" dmatest --channel all --seed 1 | tail -n 1
    say "no element is wrong; every byte arrived, cmp agrees"
}

# The TAP lines of one meson run: adds to passed and failed.
passed=0
failed=0
count() {
    log=$1/meson-logs/testlog.txt
    ok=$(grep -c '^ok ' "$log" || true)
    skip=$(grep -c '^ok .*# SKIP' "$log" || true)
    bad=$(grep -c '^not ok ' "$log" || true)
    passed=$((passed + ok - skip))
    failed=$((failed + bad))
}

# suite NAME DIR: run what meson knows; a crash without TAP is a failure too.
suite() {
    say "tests: $1"
    before=$failed
    status=0
    meson test -C "$2" --no-rebuild --print-errorlogs \
        >"$2/test.log" 2>&1 || status=$?
    count "$2"
    if [ "$status" -ne 0 ]; then
        cat "$2/test.log"
        [ "$failed" -ne "$before" ] || failed=$((failed + 1))
    fi
}

# step NAME COMMAND...: one more test, which is the command's exit status.
step() {
    say "tests: $1"
    shift
    if "$@" >build/step.log 2>&1; then
        passed=$((passed + 1))
    else
        tail -n 40 build/step.log
        failed=$((failed + 1))
    fi
}

# A user's view: installed headers, pkg-config, the programs of the guides.
example() {
    rm -rf build/root
    DESTDIR=$root/build/root meson install -C build/gcc --no-rebuild || return 1
    pc=$(find build/root -name trench.pc)
    lib=$(dirname "$(dirname "$root/$pc")")
    export PKG_CONFIG_SYSROOT_DIR="$root/build/root"
    export PKG_CONFIG_PATH="$lib/pkgconfig"
    for cc in gcc clang; do
        for program in all_reduce first_copy registers; do
            # Words of flags.
            # shellcheck disable=SC2046
            $cc -std=c11 -Wall -Wextra -Werror -o "build/$program" \
                "examples/$program.c" $(pkg-config --cflags --libs trench) &&
                LD_LIBRARY_PATH=$lib "build/$program" || return 1
        done
    done
}

# Headers also serve C++.
headers() {
    for header in include/trench/*.h; do
        echo "#include <trench/$(basename "$header")>"
    done >build/all.cc
    clang++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude \
        -fsyntax-only build/all.cc
}

# fuzz NAME SECONDS: what a target finds is kept in build/fuzz.
fuzz() {
    mkdir -p "build/fuzz/$1"
    build/sanitized/fuzz/"$1" -max_total_time="$2" -max_len=4096 -timeout=20 \
        -rss_limit_mb=4096 -artifact_prefix="build/fuzz/$1-" \
        -print_final_stats=1 "build/fuzz/$1" "fuzz/corpus/$1"
}

# finished PID LOG: wait for what runs beside the script.
finished() {
    wait "$1" || {
        cat "$2"
        return 1
    }
}

# concrete PACKAGE: itself, or the kernel that it stands for.
concrete() {
    image=$(apt-cache depends "$1" 2>/dev/null |
        sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
    echo "${image:-$1}"
}

# unpack PACKAGE...: fetch packages, and unpack them in build/vm/root.
unpack() {
    for package in "$@"; do
        rm -rf build/vm/fetch
        mkdir -p build/vm/fetch build/vm/root
        (cd build/vm/fetch && apt-get download "$(concrete "$package")") &&
            dpkg -x build/vm/fetch/*.deb build/vm/root || return 1
    done
    rm -rf build/vm/fetch
}

# What a guest boots: build/vm/vmlinuz, build/vm/root/bin/busybox.
guest_files() {
    [ ! -f build/vm/vmlinuz ] || return 0
    say "fetching a kernel"
    rm -rf build/vm
    # Words of packages.
    # shellcheck disable=SC2086
    (unpack $guest_packages || {
        rm -rf build/vm
        privileged 'run apt-get update' apt-get update -qq && unpack $guest_packages
    }) >build/vm.log 2>&1 && cp build/vm/root/boot/vmlinuz-* build/vm/vmlinuz
}

# The test that needs a virtual machine: once, devices with sanitizers.
test_vm() {
    say "tests: a guest's kernel and the devices"
    # shellcheck disable=SC2086
    if ! (need $vm_packages) || ! guest_files; then
        echo "skipped: QEMU or a kernel for it cannot be had"
        return 0
    fi
    if [ ! -x build/gcc/tests/vm/guest ]; then
        echo "skipped: nothing can be linked statically here"
        return 0
    fi
    status=0
    before=$failed
    mkdir -p build/vm/meson-logs
    tests/vm/run.sh build/sanitized/src/cli/trench build/gcc/tests/vm/guest \
        build/vm/vmlinuz build/vm/root/bin/busybox \
        >build/vm/meson-logs/testlog.txt 2>&1 || status=$?
    grep '^# .* s$' build/vm/meson-logs/testlog.txt || true
    count build/vm
    if [ "$status" -ne 0 ]; then
        cat build/vm/meson-logs/testlog.txt
        [ "$failed" -ne "$before" ] || failed=$((failed + 1))
    fi
}

# clang, with sanitizers and what fuzzing asks for; the tests run in it, too.
setup_sanitized() {
    CC=clang setup build/sanitized -Dfuzz=true -Dtests=enabled \
        -Dwerror=true -Db_lundef=false -Db_sanitize=address,undefined \
        -Doptimization=1 -Ddebug=false -Dc_args=-gline-tables-only \
        -Ddpdk=disabled -Dmpi=disabled
}

do_test() {
    # shellcheck disable=SC2086
    need $build_packages $test_packages
    mkdir -p build
    say "building twice: gcc, and clang with sanitizers"
    CC=gcc setup build/gcc -Dtests=enabled -Ddpdk=disabled -Dmpi=disabled \
        -Dwerror=true --buildtype=debugoptimized
    build build/gcc
    setup_sanitized
    build build/sanitized

    suite "gcc" build/gcc
    # Smaller sweeps: they have run in full.
    export TRENCH_QUICK=1 TRENCH_DESCS=250000
    suite "clang, address and undefined-behaviour sanitizers" build/sanitized
    unset TRENCH_QUICK TRENCH_DESCS
    test_vm
    step "./do run" ./do run
    step "headers in C++17" headers
    step "example against the installed library" example
    # Registers and memory, beside all that read files.
    fuzz fuzz_soc 45 >build/fuzz_soc.log 2>&1 &
    soc=$!
    for target in $fuzz_targets; do
        [ "$target" = fuzz_soc ] || step "$target, 3 s" fuzz "$target" 3
    done
    step "fuzz_soc, 45 s" finished "$soc" build/fuzz_soc.log
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

do_vm() {
    # shellcheck disable=SC2086
    need $build_packages $vm_packages
    mkdir -p build
    guest_files || die "no kernel; see build/vm.log"
    say "building"
    setup build/main --buildtype=debugoptimized
    build build/main src/cli/trench tests/vm/guest
    tests/vm/initrd.sh build/main/tests/vm/guest build/vm/root/bin/busybox \
        build/vm/initrd.gz
    shell=${1:-}
    words="console=ttyS0 quiet panic=-1 hugepages=32"
    set -- build/main/src/cli/trench vm --unknown-report -- -nodefaults \
        -nographic -no-reboot -kernel build/vm/vmlinuz \
        -initrd build/vm/initrd.gz
    if [ -n "$shell" ]; then
        exec "$@" -serial mon:stdio -append "$words"
    fi
    say "a guest copies its memory"
    "$@" -serial stdio -append "$words guest=quick seed=1" </dev/null |
        tr -d '\r' | sed -n 's/^TAP //p; /^the guest/p'
}

do_bench() {
    # shellcheck disable=SC2086
    need $build_packages
    # The comparisons with DPDK and OpenMPI are optional.
    # shellcheck disable=SC2086
    (need $bench_packages) || say "without DPDK"
    # shellcheck disable=SC2086
    (need $mpi_packages) || say "without OpenMPI"
    mkdir -p build
    # shellcheck disable=SC2086
    setup build/release $release -Db_ndebug=true
    build build/release bench/bench
    build/release/bench/bench regs
}

do_fuzz() {
    seconds=${1:-3600}
    # shellcheck disable=SC2086
    need $build_packages $test_packages
    mkdir -p build
    setup_sanitized
    # A list of words, on purpose.
    # shellcheck disable=SC2046,SC2086
    build build/sanitized $(printf 'fuzz/%s ' $fuzz_targets)
    for target in $fuzz_targets; do
        say "$target for $seconds s"
        fuzz "$target" "$seconds"
    done
}

do_lint() {
    # shellcheck disable=SC2086
    need $build_packages $lint_packages
    mkdir -p build
    setup build/main --buildtype=debugoptimized
    build build/main src/cli/trench
    say "clang-format"
    find include src tests fuzz bench examples -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror
    say "cppcheck"
    cppcheck --quiet --std=c11 --enable=warning,portability,performance \
        --inline-suppr --error-exitcode=1 -I include -I src -I build/main/src \
        src
    say "shellcheck"
    shellcheck ./do .ci/run tests/cli/*.sh tests/vm/*.sh
    say "nothing to complain about"
}

do_fresh() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    git clone -q . "$work/trench"
    "$work/trench/do" test
}

do_clean() {
    rm -rf build
}

do_install() {
    # shellcheck disable=SC2086
    need $build_packages
    mkdir -p build
    prefix=${1:-/usr/local}
    case $prefix in
    /*) ;;
    *) prefix=$root/$prefix ;;
    esac
    # shellcheck disable=SC2086
    setup build/install $release --prefix="$prefix"
    build build/install
    # The nearest folder that exists must be ours to write in.
    parent=$prefix
    while [ ! -d "$parent" ]; do
        parent=$(dirname "$parent")
    done
    if [ -w "$parent" ]; then
        meson install -C build/install --no-rebuild
    else
        privileged "cannot write to $parent; run as root, or give a directory" \
            meson install -C build/install --no-rebuild
    fi
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
run | test | vm | bench | fuzz | lint | fresh | install | clean) "do_$command" "$@" ;;
"" | help | -h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
