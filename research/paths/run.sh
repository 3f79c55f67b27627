#!/bin/sh
# Runs the whole experiment. Usage: run.sh FOLDER, where `paragraphs.py` made en.jsonl and zh.jsonl and
# `benches/generate.py FOLDER/q.jsonl --documents 1000000 --short` made the questions.
set -eu
here=$(dirname "$0")
folder=$1
paths() { cargo run --quiet --release --manifest-path "$here/Cargo.toml" -- "$@"; }

echo "=== variants at 0.65"
variants="T=4,a=2,B=16,rate=1 T=4,a=2,B=16,rate=1,df=2 T=4,a=2 T=5,a=1.6 T=6,a=1.33 T=5,a=2 T=5,a=1.6,B=64 T=5,a=1.6,B=256
    T=5,a=1.6,rate=0.25 T=5,a=1.6,rate=0.03125 T=5,a=1.6,w=0 T=5,a=1.6,w=1 T=5,a=1.6,w=3 T=5,a=1.6,w=4"
for what in "q 300000" "en 150000" "zh 80000"; do
    set -- $what
    paths "$folder/$1.jsonl" "$2" $variants
done
paths "$folder/q.jsonl" 300000 bands=37,rows=4
paths "$folder/zh.jsonl" 80000 bands=37,rows=4
echo "=== growth"
for texts in 7000 70000 650000; do
    paths "$folder/q.jsonl" $texts T=5,a=1.6
done
for texts in 2500 25000 250000; do
    paths "$folder/en.jsonl" $texts T=5,a=1.6
done
echo "=== thresholds"
for what in "q 200000" "en 60000" "zh 80000"; do
    set -- $what
    paths "$folder/$1.jsonl" "$2" s=0.9,T=4,a=1.3 s=0.8,T=4,a=1.4 s=0.7,T=5,a=1.5 s=0.5,T=5,a=2.2 s=0.4,T=5,a=2.8 s=0.3,T=5,a=3.7
done
echo "=== families of a template"
for share in 0.75 0.70 0.66 0.60 0.50; do
    python3 "$here/families.py" "$folder/q.jsonl" "$folder/families.jsonl" 50000 $share
    paths "$folder/families.jsonl" 100000 T=5,a=1.6 T=5,E=1,a=1.6 T=5,E=2,a=1.6
done
echo "=== families at 0.4: frames of questions"
paths "$folder/q.jsonl" 100000 s=0.4,T=5,E=2,a=2.8 s=0.4,T=5,E=5,a=2.8
