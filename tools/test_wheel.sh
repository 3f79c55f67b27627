#!/bin/sh
# Builds the wheel, installs it into an empty environment in a temporary folder, without the sources and without the
# developer's tools, and uses it there. Usage: test_wheel.sh MATURIN PYTHON; run in the project's folder.
set -eu

maturin=$1
python=$2
locked=
[ -f Cargo.lock ] && locked=--locked
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

"$maturin" build --release $locked --out "$folder/dist"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$folder"/dist/*.whl
cp tools/smoke.py "$folder/smoke.py"
cd "$folder"
PATH="$folder/venv/bin:$PATH" "$folder/venv/bin/python" -I smoke.py
