#!/usr/bin/env bash
# Builds egg's side, if cargo is there and finds the crates, and measures it beside package egraph. From the root:
#
#   bench/egraph/rivals/run.sh [flags of the command]
#
# CARGO_CONFIG names a file of settings for cargo, such as where crates are on a machine that reaches no registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
out=$root/.cache/rivals
mkdir -p "$out"
egg=()
if ! command -v cargo >/dev/null; then
	echo "run.sh: no cargo, so package egraph runs alone; fix: install Rust 1.85 or newer" >&2
elif RUSTFLAGS="-C target-cpu=native" cargo ${CARGO_CONFIG:+--config "$CARGO_CONFIG"} build --quiet --release \
	--manifest-path "$here/egg/Cargo.toml" --target-dir "$out" 2>"$out/cargo.log"; then
	egg=(-egg "$out/release/rival-egg")
else
	grep -A9 '^error' "$out/cargo.log" >&2 || cat "$out/cargo.log" >&2
	echo "run.sh: egg is not built, so package egraph runs alone; $out/cargo.log says more" >&2
fi
go -C "$root/bench" build -o "$out/rivals" ./egraph/rivals
exec "$out/rivals" "${egg[@]}" "$@"
