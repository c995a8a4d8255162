#!/usr/bin/env bash
# Runs the kernel of every example twice on each of the devices, with the same input, and compares what it wrote by BLAKE3 digest.
# The second run loads the kernel from a bundle, without its source and without a cache.
#
#	examples/digests.sh DEVICE DEVICE...      such as cpu cuda-sim cuda
#
# $VYRE is the command to run instead of `go run ./cmd/vyre`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${VYRE:-}" ]; then
	(cd "$root" && go build -o "$work/vyre" ./cmd/vyre)
	VYRE=$work/vyre
fi

# A graph of 5000 nodes with four arcs each; every third node is at depth 0, the others are not found yet.
n=5000
seq 0 4 $((4 * n)) >"$work/offsets.txt"
awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) for (k = 0; k < 4; k++) print (i * 7 + k * k * 131 + 1) % n }' >"$work/arcs.txt"
awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print i % 3 ? "4294967295" : "0" }' >"$work/depth.txt"

kernels=0 differ=0
same() { # example, arguments of vyre run…
	local example=$1 device digests first=''
	shift
	kernels=$((kernels + 1))
	"$VYRE" bundle "$root/examples/$example/kernel.go" -o "$work/$example.vyk" 2>"$work/said" || cat "$work/said" >&2
	for device in $devices; do
		for from in "$root/examples/$example/kernel.go" "$work/$example.vyk"; do
			digests=$(VYRE_CACHE_DIR=off "$VYRE" run "$from" --device "$device" --json "$@" | grep -o '"blake3": *"[0-9a-f]*"' | cut -d'"' -f4 | tr '\n' ' ')
			if [ -z "$digests" ]; then
				echo "$example of ${from##*/} on $device wrote nothing" >&2
				differ=$((differ + 1))
			elif [ "$digests" != "${first:=$digests}" ]; then
				echo "$example of ${from##*/} on $device wrote $digests, on ${devices%% *} $first" >&2
				differ=$((differ + 1))
			fi
		done
	done
	printf '%-11s %s\n' "$example" "$(echo "$first" | cut -c1-16)"
}
devices=$*
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//p' "$0" | head -7; exit 2; }

same bfs --grid 40 --arg level=0 --arg offsets="$work/offsets.txt" --arg arcs="$work/arcs.txt" --arg depth="$work/depth.txt" --arg found=zeros:1
same histogram --grid 16 --arg data=rand:300001:1 --arg bins=zeros:256
same life --grid 16 --arg w=32 --arg generations=64 --arg a=rand:4096:2 --arg b=zeros:4096 --arg glow=zeros:4096
same mandelbrot --grid 20x13 --arg w=320 --arg cx=-0.74 --arg cy=0.13 --arg scale=0.0001 --arg limit=500 --arg img=zeros:256000
same nbody --grid 4 --arg dt=0.01 --arg pos=rand:500:3 --arg next=zeros:500 --arg vel=rand:500:4
same reduce --grid 16 --arg x=rand:100003:5 --arg part=zeros:16
same saxpy --grid 1024 --arg a=2.5 --arg x=rand:262144:6 --arg y=rand:262144:7
same scan --grid 8 --arg x=rand:70001:8 --arg y=zeros:70001 --arg starts=zeros:8
same sobel --grid 40x25 --arg w=640 --arg in="$root/examples/sobel/lake.png" --arg out=zeros:1024000
same transpose --grid 32x22 --arg w=500 --arg h=350 --arg in=rand:175000:9 --arg out=zeros:175000
echo "examples kernels=$kernels devices=$# differ=$differ"
[ $differ -eq 0 ]
