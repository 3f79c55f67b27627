#!/bin/sh
# Runs tests of the core on 64-bit ARM, in an emulator: the bits there are those of all other machines.
# Compiler, libraries and emulator are packages of Debian 12, unpacked below build/arm. Nothing is installed, and root is not needed.
# Usage: test_arm.sh [WORDS OF TESTS...] [-- OPTIONS OF THE TESTS]; run in the project's folder. Without the packages it says so and
# ends with 0; with CI set, with 1.
set -eu

arm=$PWD/build/arm
usr=$arm/tree/usr
target=aarch64-unknown-linux-gnu

# Lists of packages for ARM too, apart from those of the system.
options="-o Dir::State::lists=$arm/lists -o Dir::Cache=$arm/cache -o APT::Architectures::=amd64 -o APT::Architectures::=arm64"

not_tested() {
    echo "ARM NOT TESTED: $1"
    [ -z "${CI:-}" ]
    exit
}

# What the newest version of a package needs.
needs() {
    apt-cache $options depends --important "$1" | sed -n 's/^ *Depends: \([^<:]*\)$/\1/p'
}

unpack() {
    mkdir -p "$arm/lists/partial" "$arm/cache/archives/partial" "$arm/packages"
    apt-get $options update >"$arm/log" 2>&1 || return 1
    # Debian 12 has a new Rust for its browsers, beside the one of 2022.
    rust=$(needs libstd-rust-web-dev | grep '^libstd-rust-web-') || return 1
    llvm=$(needs "$rust" | grep '^libllvm') || return 1
    gcc=$(needs gcc-aarch64-linux-gnu | grep '^gcc-[0-9]*-aarch64-linux-gnu$') || return 1
    version=${gcc#gcc-}
    version=${version%%-*}
    (cd "$arm/packages" && apt-get $options download qemu-user-static \
        rustc-web "$rust" libstd-rust-web-dev libstd-rust-web-dev:arm64 "$llvm" \
        "$gcc" "cpp-$version-aarch64-linux-gnu" binutils-aarch64-linux-gnu "libgcc-$version-dev-arm64-cross" \
        libgcc-s1-arm64-cross libc6-arm64-cross libc6-dev-arm64-cross linux-libc-dev-arm64-cross) >>"$arm/log" 2>&1 || return 1
    for package in "$arm"/packages/*.deb; do
        dpkg-deb -x "$package" "$arm/tree" || return 1
    done
    printf '#!/bin/sh\nexec %s --sysroot=%s "$@"\n' "$usr/bin/aarch64-linux-gnu-gcc-$version" "$arm/tree" >"$arm/cc"
    chmod +x "$arm/cc"
    rm -rf "$arm/packages" "$arm/lists" "$arm/cache"
}

if [ ! -x "$arm/cc" ]; then
    command -v apt-get >/dev/null && [ "$(uname -m)" = x86_64 ] ||
        not_tested "this needs Debian 12 on x86-64"
    unpack || not_tested "the packages of Debian 12 cannot be had; see build/arm/log"
fi

export LD_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu"
export RUSTC="$usr/bin/rustc"
export CARGO_TARGET_DIR="$arm/target"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER="$arm/cc"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$usr/bin/qemu-aarch64-static -L $usr/aarch64-linux-gnu"
export CC_aarch64_unknown_linux_gnu="$arm/cc"
export AR_aarch64_unknown_linux_gnu="$usr/bin/aarch64-linux-gnu-ar"
exec cargo test --locked --target "$target" --package simsieve-core --lib -- "$@"
