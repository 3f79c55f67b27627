#!/bin/sh
# Runs tests of the core on 64-bit ARM, in an emulator: the bits there are those of all other machines.
# Usage: test_arm.sh [WORDS OF TESTS...] [-- OPTIONS OF THE TESTS]; run in the project's folder.
set -eu

. tools/arm.sh
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER="$arm/cc"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$emulator -L $usr/aarch64-linux-gnu"
export CC_aarch64_unknown_linux_gnu="$arm/cc"
export AR_aarch64_unknown_linux_gnu="$usr/bin/aarch64-linux-gnu-ar"
exec cargo test --locked --target "$target" --package simsieve-core --lib -- "$@"
