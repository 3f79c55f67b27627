#!/bin/sh
# Looks whether this machine has what a build needs, and says of each missing thing how to get it.
# Usage: check_tools.sh PYTHON; run in the project's folder. Exit code 1 where something is missing.
set -u

python=${1:-python3}
need_python=3.11
need_rust=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml | head -n 1)
missing=0

tell() {
    printf 'missing: %s\n         %s\n' "$1" "$2" >&2
    missing=1
}

# at_least HAVE NEED: true where version HAVE is NEED or newer.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

if ! command -v "$python" >/dev/null 2>&1; then
    tell "Python $need_python or newer ('$python' is not found)" \
        "Debian, Ubuntu: apt install python3 python3-venv. Elsewhere: python.org. Another name: make PYTHON=python3.12 ..."
else
    have=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if ! at_least "$have" "$need_python"; then
        tell "Python $need_python or newer ('$python' is $have)" \
            "Install a newer one beside it and name it: make PYTHON=python3.12 ..."
    elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        tell "Python's venv module" "Debian, Ubuntu: apt install python3-venv."
    fi
fi

if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
    tell "Rust $need_rust or newer (cargo and rustc)" "Install it with rustup: see rust-lang.org/tools/install."
else
    have=$(rustc --version | sed 's/^rustc \([0-9.]*\).*/\1/')
    if ! at_least "$have" "$need_rust"; then
        tell "Rust $need_rust or newer (rustc is $have)" "With rustup: rustup update stable."
    fi
fi

if ! command -v cc >/dev/null 2>&1; then
    tell "a C compiler and linker ('cc' is not found)" "Debian, Ubuntu: apt install build-essential."
fi

exit $missing
