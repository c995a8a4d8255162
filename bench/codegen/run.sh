#!/usr/bin/env bash
# Builds the reference kernels with nvcc and measures. Needs the NVIDIA driver and a CUDA toolkit, but no Go: build
# the command first, on any machine,
#
#   CGO_ENABLED=0 go -C bench build -o ../.gpu/codegen ./codegen/compare
#
# and then, where the GPU is, from the root of the repository,
#
#   bench/codegen/run.sh [flags of compare]
#
# Tables go to standard output and, with the machine code's resources and its disassembly, to $OUT if that is set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${CODEGEN:-$here/../../.gpu/codegen}
arch=${ARCH:-sm_90}
out=${OUT:-}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
tools=$(dirname "$(readlink -f "$nvcc")")
PATH=$PATH:$tools

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{default,nofmad,vyre}

[[ -z $out ]] || mkdir -p "$out"
"$nvcc" --version | tail -2
jobs=()
for f in "$here"/reference/*.cu; do
	name=$(basename "$f" .cu)
	"$nvcc" -O3 -arch="$arch" -cubin -Xptxas -v -o "$work/default/$name.cubin" "$f" 2>"$work/default/$name.log" & jobs+=($!)
	"$nvcc" -O3 -arch="$arch" -cubin -Xptxas -v -fmad=false -o "$work/nofmad/$name.cubin" "$f" 2>"$work/nofmad/$name.log" & jobs+=($!)
done
for j in "${jobs[@]}"; do
	wait "$j" || { cat "$work"/*/*.log; exit 1; }
done
echo "reference kernels built in $SECONDS s"

# What the toolkit's own assembler makes of our PTX, for reading; what runs is assembled by the driver.
if [[ -n $out ]] && command -v ptxas cuobjdump >/dev/null; then
	"$bin" -ptx "$work/vyre"
	export arch
	printf '%s\n' "$work"/vyre/*.ptx | xargs -P "$(nproc)" -I{} bash -c 'f=$1
		ptxas -O3 -arch="$arch" -v -o "${f%.ptx}.cubin" "$f" 2>"${f%.ptx}.log" || cat "${f%.ptx}.log"' - {}
	printf '%s\n' "$work"/*/*.cubin | xargs -P "$(nproc)" -I{} bash -c 'cuobjdump -sass "$1" >"${1%.cubin}.sass"' - {}
	mkdir -p "$out/code"
	cp -r "$work"/{default,nofmad,vyre} "$out/code/"
	rm -f "$out"/code/*/*.cubin
	echo "code written in $SECONDS s"
fi
"$bin" -reference "$work" -out "$out" "$@"
