#!/bin/sh
# Builds the wheel, looks into it, installs it into an empty environment in a temporary folder, without the sources and without
# the developer's tools, and uses it there. With `sdist` the environment gets the packed sources in place of the wheel, and pip
# builds them as it does for a user, which takes some minutes.
# Usage: test_wheel.sh MATURIN PYTHON [sdist]; run in the project's folder.
set -eu

maturin=$1
python=$2
locked=
[ -f Cargo.lock ] && locked=--locked
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

if [ "${3:-}" = sdist ]; then
    "$maturin" sdist --out "$folder/dist"
else
    "$maturin" build --release $locked --out "$folder/dist"
    "$python" tools/check_wheel.py "$folder"/dist/*.whl
fi
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$folder"/dist/*
cp tools/smoke.py "$folder/smoke.py"
cd "$folder"
PATH="$folder/venv/bin:$PATH" "$folder/venv/bin/python" -I smoke.py
