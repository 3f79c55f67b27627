# Read by scripts that build for 64-bit ARM and run there, in an emulator. Compiler, libraries, emulator and a Python are packages of
# Debian 12, unpacked below build/arm. Nothing is installed, and root is not needed. Without the packages the script says so and ends
# with 0; with CI set, with 1.

arm=$PWD/build/arm
usr=$arm/tree/usr
target=aarch64-unknown-linux-gnu
emulator="$usr/bin/qemu-aarch64-static"

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

# Fetches packages and unpacks them into a folder.
unpacked() {
    into=$1
    shift
    rm -rf "$arm/packages"
    mkdir "$arm/packages"
    (cd "$arm/packages" && apt-get $options download "$@") >>"$arm/log" 2>&1 || return 1
    for package in "$arm"/packages/*.deb; do
        dpkg-deb -x "$package" "$into" || return 1
    done
}

unpack() {
    rm -rf "$arm/tree" "$arm/python"
    mkdir -p "$arm/lists/partial" "$arm/cache/archives/partial"
    apt-get $options update >"$arm/log" 2>&1 || return 1
    # Debian 12 has a new Rust for its browsers, beside the one of 2022.
    rust=$(needs libstd-rust-web-dev | grep '^libstd-rust-web-') || return 1
    llvm=$(needs "$rust" | grep '^libllvm') || return 1
    gcc=$(needs gcc-aarch64-linux-gnu | grep '^gcc-[0-9]*-aarch64-linux-gnu$') || return 1
    version=${gcc#gcc-}
    version=${version%%-*}
    unpacked "$arm/tree" qemu-user-static \
        rustc-web "$rust" libstd-rust-web-dev libstd-rust-web-dev:arm64 "$llvm" \
        "$gcc" "cpp-$version-aarch64-linux-gnu" binutils-aarch64-linux-gnu "libgcc-$version-dev-arm64-cross" \
        libgcc-s1-arm64-cross libc6-arm64-cross libc6-dev-arm64-cross linux-libc-dev-arm64-cross || return 1
    unpacked "$arm/python" python3.11-minimal:arm64 libpython3.11-minimal:arm64 libpython3.11-stdlib:arm64 libc6:arm64 \
        libgcc-s1:arm64 libstdc++6:arm64 zlib1g:arm64 libexpat1:arm64 libffi8:arm64 libssl3:arm64 libbz2-1.0:arm64 \
        liblzma5:arm64 libuuid1:arm64 libcrypt1:arm64 || return 1
    printf '#!/bin/sh\nexec %s --sysroot=%s "$@"\n' "$usr/bin/aarch64-linux-gnu-gcc-$version" "$arm/tree" >"$arm/cc"
    chmod +x "$arm/cc"
    rm -rf "$arm/packages" "$arm/lists" "$arm/cache"
    touch "$arm/.unpacked"
}

if [ ! -e "$arm/.unpacked" ]; then
    command -v apt-get >/dev/null && [ "$(uname -m)" = x86_64 ] ||
        not_tested "this needs Debian 12 on x86-64"
    unpack || not_tested "the packages of Debian 12 cannot be had; see build/arm/log"
fi

export LD_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu"
export RUSTC="$usr/bin/rustc"
export CARGO_TARGET_DIR="$arm/target"
