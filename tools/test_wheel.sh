#!/bin/sh
# Packs simsieve, looks into the package, installs it into an empty environment in a temporary folder, without the sources and
# without the developer's tools, and uses it there.
# Usage: test_wheel.sh KIND TOOLS; run in the project's folder. TOOLS is an environment of Python that has maturin. KIND is
#   wheel    the module as `make build` makes it, which is not compiled again: this is a test of the package
#   release  the wheel that a release uploads: linked by zig, so that it runs with glibc 2.17 and newer; left in dist
#   arm      that wheel for 64-bit ARM, compiled on x86-64 and used in an emulator, where the golden tests run too; left in dist
#   sdist    the packed sources that a release uploads; pip builds them as it does for a user, which takes some minutes; left in dist
set -eu

kind=$1
root=$(pwd)
tools=$root/$2
locked=
[ -f Cargo.lock ] && locked=--locked
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
export PYO3_PYTHON="$tools/bin/python"

# The first word is the profile.
build() {
    profile=$1
    shift
    "$tools/bin/maturin" build --profile "$profile" $locked --auditwheel check --out "$folder/dist" "$@"
}

case $kind in
wheel)
    build dev --features shared-build
    "$tools/bin/python" tools/check_wheel.py "$folder"/dist/*
    ;;
release | arm)
    where="--target-dir target/wheel"
    if [ "$kind" = arm ]; then
        . tools/arm.sh
        where="--target-dir $arm/target --target $target"
        unset PYO3_PYTHON
    fi
    # Flags of the user's would end up in everybody's wheel; these keep the places of the sources on this machine out of it.
    CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s=cargo\037--remap-path-prefix=%s=simsieve' \
        "${CARGO_HOME:-$HOME/.cargo}" "$root")
    export CARGO_ENCODED_RUSTFLAGS CARGO_ZIGBUILD_CACHE_DIR="$tools/cache" ZIG_GLOBAL_CACHE_DIR="$tools/cache"
    unset CFLAGS
    PATH="$tools/bin:$PATH" build release --zig --compatibility manylinux2014 $where --compression-level 9
    "$tools/bin/python" tools/check_wheel.py --release "$folder"/dist/*
    "$tools/bin/abi3audit" --strict --summary "$folder"/dist/*
    "$tools/bin/twine" check --strict "$folder"/dist/*
    ;;
sdist)
    "$tools/bin/maturin" sdist --out "$folder/dist"
    "$tools/bin/python" tools/check_wheel.py "$folder"/dist/*
    "$tools/bin/twine" check --strict "$folder"/dist/*
    # Nothing leads pip back to the checkout, and what the compiler reads is asked for below.
    unset PYO3_PYTHON SIMSIEVE_JIEBA SIMSIEVE_OPENCC
    export CARGO_TARGET_DIR="$folder/target"
    ;;
*)
    echo "test_wheel.sh: $kind is not wheel, release, arm or sdist" >&2
    exit 2
    ;;
esac

# A Python of another machine has no pip here: this one fetches and unpacks what is made for that one.
install() {
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade --target "$site" --only-binary :all: \
        --python-version 3.11 --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 \
        --constraint "$root/requirements-dev.txt" "$@"
}

cp tools/smoke.py "$folder/smoke.py"
if [ "$kind" = arm ]; then
    unset LD_LIBRARY_PATH
    site=$folder/venv/lib/python3.11/site-packages
    mkdir -p "$folder/venv/bin"
    echo "home = $arm/python/usr/bin" >"$folder/venv/pyvenv.cfg"
    # Under this name Python starts other processes too, so they run in the emulator as well.
    printf '#!/bin/sh\nexec %s -0 "$0" -L %s %s "$@"\n' "$emulator" "$arm/python" "$arm/python/usr/bin/python3.11" \
        >"$folder/venv/bin/python"
    install "$folder"/dist/*
    sed "1s|.*|#!$folder/venv/bin/python|" "$site/bin/simsieve" >"$folder/venv/bin/simsieve"
    chmod +x "$folder"/venv/bin/*
else
    "$tools/bin/python" -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$folder"/dist/*
fi
cd "$folder"
PATH="$folder/venv/bin:$PATH" venv/bin/python -I smoke.py
if [ "$kind" = arm ]; then
    install pytest pytest-timeout hypothesis
    (cd "$root" && "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests/golden/test_golden.py tests/golden/test_index.py)
fi

if [ "$kind" = sdist ]; then
    find target -name '*.d' -size +0 >read
    grep -q simsieve_core read || { echo "the compiler left no list of what it read in $CARGO_TARGET_DIR" >&2; exit 1; }
    find target '(' -name '*.d' -o -name output ')' -exec cat '{}' + | grep -F "$root/" | sort -u >outside || true
    if [ -s outside ]; then
        echo "the build read files of $root, which a user does not have:" >&2
        cat outside >&2
        exit 1
    fi
fi
if [ "$kind" != wheel ]; then
    mkdir -p "$root/dist"
    cp dist/* "$root/dist"
    echo "$(ls dist) lies in dist."
fi
