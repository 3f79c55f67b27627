#!/bin/sh
# Looks whether the core compiles, without a warning, with the portable kernel and the portable side of `base::os`: in a copy whose
# kernels for x86-64 are for a machine that is not there. This needs no compiler for another machine.
set -eu
cd "$(dirname "$0")/.."

copy=build/portable
rm -rf "$copy"
mkdir -p "$copy"
cp -R Cargo.toml Cargo.lock crates licenses "$copy"
find "$copy/crates" -name '*.rs' -exec sed -i.x86 's/target_arch = "x86_64"/target_arch = "sparc"/g' {} +
CARGO_TARGET_DIR="$PWD/target" cargo clippy --quiet --locked --manifest-path "$copy/Cargo.toml" --package simsieve-core --features portable-os -- -D warnings
rm -rf "$copy"
