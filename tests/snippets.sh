#!/bin/sh
# Runs the Python snippets of docs/experiments/sweeps.md on results of a small sweep, in a virtual environment of its
# own. Needs python3 with pip, and a network the first time. From the project's root: sh tests/snippets.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet pandas polars pyarrow
serqc() { cargo run --quiet --manifest-path "$root/Cargo.toml" -p serqc -- "$@"; }
serqc build "$root/examples/single-turn/mm1.sq" -o "$work/sim"
cd "$work"
./sim --sweep lambda=0.5,0.8 --seeds 1..4 --horizon 3000 --out results
serqc collect results --parquet all.parquet
# Every python block of the page, one after the other.
awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/experiments/sweeps.md" > snippets.py
cat >> snippets.py <<'PYTHON'

import math
table, parquet = pd.read_csv("results/runs.csv"), pd.read_parquet("all.parquet")
assert list(table.columns) == list(parquet.columns), "the same columns"
assert len(table) == len(parquet) == 8
for column in table.columns:
    for a, b in zip(table[column], parquet[column]):
        same = a == b or (pd.isna(a) and pd.isna(b))
        assert same, (column, a, b)
assert pl.read_csv("results/runs.csv").height == 8
assert math.isclose(runs["mean:response"].mean(), table["mean:response"].mean())
PYTHON
venv/bin/python snippets.py
echo "both snippets read the runs"
