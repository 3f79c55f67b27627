#!/bin/sh
# Runs the whole experiment. Usage: run.sh FOLDER [PART...], where `paragraphs.py` made en.jsonl and zh.jsonl and
# `benches/generate.py FOLDER/q.jsonl --documents 1500000 --short` made the questions. The parts are variants, bands,
# growth, thresholds and families; all where none is named. A file that is not there is told, and left out.
set -eu
here=$(dirname "$0")
folder=$1
shift
parts=${*:-variants bands growth thresholds families}
paths() {
    if [ -f "$1" ]; then
        cargo run --quiet --release --manifest-path "$here/Cargo.toml" -- "$@"
    else
        echo "NOT MEASURED: there is no $1" >&2
    fi
}
wanted() { case " $parts " in *" $1 "*) echo "=== $1" ;; *) return 1 ;; esac }

if wanted variants; then
    # Repetitions with the same number of features in all; other draws; levels; weights; samples; buckets; ends by a product.
    repetitions="T=1,a=8 T=2,a=4 T=4,a=2 T=5,a=1.6 T=6,a=1.33 T=8,a=1 T=5,a=2"
    seeds="T=5,a=1.6,seed=1 T=5,a=1.6,seed=2 T=5,a=1.6,seed=3 T=5,a=1.6,seed=4"
    levels="T=5,a=1.6,depth=1 T=5,a=1.6,depth=2 T=5,a=1.6,depth=3"
    weights="T=5,a=1.6,w=0 T=5,a=1.6,w=1 T=5,a=1.6,w=3 T=5,a=1.6,w=4"
    samples="T=5,a=1.6,rate=1 T=5,a=1.6,rate=0.25 T=5,a=1.6,rate=0.03125"
    buckets="T=5,a=1.6,B=64 T=5,a=1.6,B=256 T=4,a=2,B=16,rate=1 T=4,a=2,B=16,rate=1,df=2"
    products="T=5,a=1.6,P=1 T=5,a=1.6,P=16 T=5,a=1.6,P=128 T=5,a=1.6,rate=1,P=1 T=5,a=1.6,rate=1,P=16 T=5,a=1.6,rate=1,P=128"
    for what in "q 300000" "en 150000" "zh 80000"; do
        set -- $what
        paths "$folder/$1.jsonl" "$2" $repetitions $seeds $levels $weights $samples $buckets $products
    done
fi
if wanted bands; then
    for what in "q 300000" "en 150000" "zh 80000"; do
        set -- $what
        paths "$folder/$1.jsonl" "$2" bands=37,rows=4
    done
fi
if wanted growth; then
    for texts in 7000 70000 650000 950000; do
        paths "$folder/q.jsonl" $texts T=5,a=1.6
    done
    for texts in 2500 10000 25000 100000 250000; do
        paths "$folder/en.jsonl" $texts T=5,a=1.6
    done
    for texts in 2500 10000 25000 80000; do
        paths "$folder/zh.jsonl" $texts T=5,a=1.6
    done
fi
if wanted thresholds; then
    all="s=0.9,T=4,a=1.3 s=0.8,T=4,a=1.4 s=0.7,T=5,a=1.5 s=0.6,T=5,a=1.75 s=0.5,T=5,a=2.2 s=0.4,T=5,a=2.8 s=0.3,T=5,a=3.7"
    for what in "q 200000" "en 60000" "zh 80000"; do
        set -- $what
        paths "$folder/$1.jsonl" "$2" $all
    done
fi
if wanted families; then
    for share in 0.75 0.70 0.66 0.60 0.50; do
        python3 "$here/families.py" "$folder/q.jsonl" "$folder/families.jsonl" 50000 $share
        paths "$folder/families.jsonl" 100000 T=5,a=1.6 T=5,E=1,a=1.6 T=5,E=2,a=1.6
    done
    # Ends by a product among texts of a template, whose features are not independent.
    python3 "$here/families.py" "$folder/q.jsonl" "$folder/families.jsonl" 20000 0.60
    paths "$folder/families.jsonl" 40000 T=5,E=1,a=1.6 T=5,E=1,a=1.6,P=128 T=5,E=1,a=1.6,P=16
    # At 0.4: beginnings and endings of questions.
    paths "$folder/q.jsonl" 100000 s=0.4,T=5,E=2,a=2.8 s=0.4,T=5,E=5,a=2.8
fi
