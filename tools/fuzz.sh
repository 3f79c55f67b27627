#!/bin/sh
# Sends bytes that nobody meant to every law of crates/simsieve-core/tests/hostile_bytes, SECONDS to each, with libFuzzer, which follows
# what code they reach. Stable Rust suffices: the measuring is a pass of LLVM, and libFuzzer is compiled from a crate's source.
# What breaks a law is kept in build/fuzz/LAW; what reaches more code, in build/fuzz/LAW/corpus, where the next run begins.
# Usage: fuzz.sh SECONDS [LAW...]; run in the project's folder. Exit code 1 where a law does not hold.
set -eu

seconds=$1
shift
target=$(rustc -vV | sed -n 's/^host: //p')
build=build/fuzz
program=target/fuzz/$target/release/simsieve-fuzz

passes="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
passes="$passes -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
# With --target the flags are for the program and not for the scripts that build it.
# The crates have the versions of the module; what libFuzzer needs beside them is added.
cp Cargo.lock crates/simsieve-core/fuzz/Cargo.lock
RUSTFLAGS="$passes" cargo build --release --target "$target" --target-dir target/fuzz \
    --manifest-path crates/simsieve-core/fuzz/Cargo.toml

broken=0
[ $# -gt 0 ] || set -- $("$program")
for law in "$@"; do
    mkdir -p "$build/$law/corpus" "$build/$law/seeds"
    SIMSIEVE_LAW=$law SIMSIEVE_SEEDS=$build/$law/seeds "$program"
    echo "=== $law"
    if ! SIMSIEVE_LAW=$law "$program" "$build/$law/corpus" "$build/$law/seeds" -dict="$build/$law/seeds.words" \
        -artifact_prefix="$build/$law/" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 >"$build/$law/log" 2>&1; then
        broken=1
        echo "the law does not hold: see $build/$law/log"
    fi
    grep -E '^(stat::number_of_executed_units|stat::average_exec)|panicked at|SUMMARY' "$build/$law/log" || true
done
exit $broken
