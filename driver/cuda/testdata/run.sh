#!/usr/bin/env bash
# Runs the GPU suite where it lies. It needs the NVIDIA driver, no Go; the parts budgets, byhand and codegen want a C
# compiler and nvcc, sanitize wants compute-sanitizer, assemble ptxas, and each says so if it has none.
#
#	run.sh [PART[:SECONDS]]...      device contract borrow memcheck conform examples waves prim primsanitize primbench egraph columns rules topologies byhand graphs closures gap evidence instructions matrix accuracy occupancy profile faults random shapes gokernels goorder branches sweep sanitize budgets codegen tune assemble
#
# Without parts, all of them. A part ends after its seconds, and its line tells how far it came. One line a part, and
# one at the end:
#
#	gpu-part NAME ok|FAIL|skip seconds=…  what came of it
#	gpu-suite ok|FAIL parts=… failed=…
#
# Logs go to $OUT, or here: gpu.log with everything, gpu-summary.txt with the lines above, budgets.txt, topologies.txt, widths.txt,
# graphs.csv, closures.csv, files.txt, gap.csv, prim.csv, egraph.csv, columns.csv, rules.csv, speedup.csv, tune.txt, and codegen's tables. Those of docs/evidence begin with their head.
#
#	LIMIT=570                               seconds for all: parts get what is left, and those that find nothing left are skipped
#	RANDOM_PROGRAMS=200000 PROCESSES=16     of the parts random, shapes, gokernels, goorder, branches and prim: each process has a context and a compiler of its own
#	THREADS=4 MODULES=1                     of the parts random, shapes, gokernels, goorder and branches: GOMAXPROCS of a process, and modules it gives the driver at once
#	SEED=106618676                          of the parts random, shapes, gokernels, goorder, branches and matrix: the first seed, not one from the clock
#	GRAPHS=sets,levels                      of the part graphs: only these questions; graph/session/figures_test.go has them
#	ONLY=kron:21,kron:23                    of the part graphs: levels of these graphs only
#	SEARCH=levels.cu                        of the part graphs: a program to compare levels of wide graphs with
#	PRIM=scan,sort-u64                      of the part primbench: only operations whose name contains one of these
#	ROWS=1000000                            of the parts egraph and columns: of the largest graph, of the largest arena
#	LONG=1                                  of the part prim: its sweeps as well, which take minutes
#	INPUTS=DIR BYHAND=closure.cu            of the part closures: usroads.bin, gnutella31.bin and sfcedge.bin; a program to compare with
#	LANES=app.vyg                           of the part graphs: 64 questions about this graph, too
#	SWEEP=-gpu-resume=FUNCTION:BLOCK        of the part sweep: go on where a run was cut short; its line says where
#	VYRE_PTXAS=/path/to/ptxas               of the part assemble: this one, not the one in PATH or /usr/local/cuda/bin
#	SIM=1                                   rehearse on the simulated driver, doing little; topologies, accuracy and codegen are left out
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-.}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cores=$(nproc)
PATH=$PATH:/usr/local/cuda/bin
export CUDA_CACHE_DISABLE=${CUDA_CACHE_DISABLE:-1} # the driver's cache would hide what compiling takes
if [ -n "${SIM:-}" ]; then
	sim=(-gpu-sim)
	export VYRE_GPU=
else
	sim=()
	export VYRE_GPU=${VYRE_GPU:-require}
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$out/gpu.log"
: >"$out/gpu-summary.txt"

line() { echo "$*" | tee -a "$out/gpu-summary.txt"; }

# bounded runs a command for at most the part's seconds; its output is appended to a log.
bounded() { # log, command…
	local log=$1
	shift
	timeout -s QUIT -k 15 "$seconds" "$@" >>"$log" 2>&1 # Go says what it waited for
}

# limit is when what ends itself does so: before the part's time is over, so that it can still say how far it came.
limit() { echo "$((seconds > 60 ? seconds - 20 : seconds * 2 / 3))s"; }

# suite runs tests, which end themselves.
suite() { # log, flags…
	local log=$1
	shift
	bounded "$log" "$here/cuda.test" -test.v -test.timeout=0 "-gpu-limit=$(limit)" "${sim[@]}" "$@"
}

# machine names the GPU with the host's cores, or those alone.
machine() {
	local gpu
	gpu=$([ -z "${SIM:-}" ] && nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
	echo "${gpu:-no GPU,} ${gpu:+and }$cores cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
}

# headed puts the head at the beginning of a file of measurements, as files in docs/evidence have it.
headed() { # file, what it measures, command, file for the head if the other has no comments
	[ -s "$1" ] || return 0
	local driver
	driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
	printf '# %s\n' "measures: $2" "machine: $(machine)" "driver: ${driver:-none}" \
		"commit: $(cat "$here/commit" 2>/dev/null || echo unknown)" "date: $(date -u +%F)" "command: \`$3\`" >"$work/head"
	if [ -n "${4:-}" ]; then
		mv "$work/head" "$4"
	else
		cat "$1" >>"$work/head" && mv "$work/head" "$1"
	fi
}

# totals prints what the tests of a log say in one line each.
totals() { sed -n 's/^gpu-total //p' "$@" | tr '\n' ';'; }

# tested counts a log's tests. That none ran is a failure: a pattern that fits no test would look like success.
tested() {
	local passed failed
	passed=$(grep -c '^--- PASS' "$1") failed=$(grep -c '^--- FAIL' "$1")
	echo "tests=$passed failed=$failed"
	[ $((passed + failed)) -gt 0 ]
}

part_device() { suite "$log" -test.run='^TestGPUIsDescribed$'; }
part_contract() { suite "$log" -test.run='^TestGPUKeepsTheContract$'; }
# part_borrow shares memory with the driver's own calls, and with cuBLAS where that is there.
part_borrow() {
	suite "$log" -test.run='^TestGPUTakesTurnsWithAnotherLibrary$' || return 1
	[ -n "${SIM:-}" ] || bounded "$log" "$here/cublas" -device cuda || return 1
	said="$(totals "$log") $(grep -E '^(cuBLAS multiplies|without cuBLAS)' "$log" | head -1)"
}
# part_conform runs the suite behind all passes and behind none, at the same time: the driver's compiler sees other texts.
part_conform() {
	local rc=0
	suite "$work/conform0" -test.run='^TestGPUPassesTheConformanceSuite$' -gpu-passes=0 ${SIM:+-gpu-match=mem-} &
	suite "$log" -test.run='^TestGPUPassesTheConformanceSuite$' ${SIM:+-gpu-match=mem-} || rc=1
	wait $! || rc=1
	cat "$work/conform0" >>"$log"
	return $rc
}
# part_matrix compares products of matrices with the rule, of each form on operands of all kinds; LIMIT or seconds cut it short.
part_matrix() { suite "$log" -test.run='^TestGPUMatrixProductsAreThoseOfTheRule$' ${SEED:+-gpu-seed=$SEED} ${SIM:+-gpu-outputs=4000}; }
part_memcheck() { suite "$log" -test.run='^TestGPUMemcheckReportsWhatTheCPUDoes$' ${SIM:+-gpu-match=mem-}; }
part_faults() { suite "$log" -test.run='^TestGPUFaults$' "-gpu-hammer=$([ -n "${SIM:-}" ] && echo 1s || echo 60s)"; }
part_occupancy() { suite "$log" -test.run='^TestGPUOccupancyIsThatOfTheModel$'; }
part_profile() { suite "$log" -test.run='^TestGPUProfileSaysWhatEventsSay$'; }
part_accuracy() { suite "$log" -test.run='^TestGPUAccurateFunctionsOfF32$' ${SIM:+-gpu-measured=256 -gpu-functions=rsqrt}; }

part_examples() {
	local devices=(cpu cuda-sim cuda)
	[ -z "${SIM:-}" ] || devices=(cpu cuda-sim)
	VYRE=$here/vyre bounded "$log" "$here/examples/digests.sh" "${devices[@]}"
	local rc=$?
	said=$(sed -n 's/^examples //p' "$log")
	return $rc
}

# twin makes the search in C++, once, and prints where it is; nothing without nvcc.
twin() {
	[ -x "$work/search" ] || { [ -z "${SIM:-}" ] && nvcc -O3 "-arch=${ARCH:-sm_90}" -o "$work/search" "$here/waves/search.cu" >>"$log" 2>&1; } || return 0
	echo "$work/search"
}

# part_waves searches graphs in every topology of package megakernel, and runs what else is made of waves.
part_waves() {
	local name tests rc=0
	while read -r name tests; do
		[ -z "${SIM:-}" ] || tests=${tests%%|*}
		gunzip -c "$here/waves/$name.test.gz" >"$work/$name.test" && chmod +x "$work/$name.test" || return 1
		bounded "$log" "$work/$name.test" -test.v -test.timeout=0 "-test.run=$tests" "-devices=cuda${SIM:+-sim}" $([ -n "${SIM:-}" ] || [ "$name" != megakernel ] || echo -long) || rc=1
	done <<-END
		megakernel Search|Reach|OneWarp|SharedMemory|Budget|NoSeeds|Waves|Temps|Cache|Queries
		compact Lists|Plan|Reports
		queue Queue|Growing|Budget|Corrupted|LaunchItems|Cancelling
		frontiers .
		pipeline .
		session Session|Near
		ifds Devices|Thousands|ManyCall|Goroutine
	END
	# How long rounds take where one block goes on alone, and all.
	if [ -z "${SIM:-}" ]; then
		bounded "$log" "$work/megakernel.test" -test.v -test.timeout=0 '-test.run=^TestTimes$' -devices=cuda -ways=cooperative \
			'-timed=grid:1024x1024;road:1024x1024;chain:20000;ladder:20000x16' || rc=1
		sed -n 's/^ *time_test.go:[0-9]*: //p' "$log" >"$out/widths.txt"
	fi
	said=$(tested "$log") && return $rc
}

# part_prim runs the tests of the primitives, in several processes: most of their time is the driver's, which compiles kernels.
part_prim() {
	local i rc=0 pids=() processes=${PROCESSES:-$((cores > 3 ? cores / 2 : 2))}
	gunzip -c "$here/prim/prim.test.gz" >"$work/prim.test" && chmod +x "$work/prim.test" || return 1
	[[ " $* " != *" primbench"* ]] || compile_cub
	"$work/prim.test" "-test.list=$([ -n "${SIM:-}" ] && echo Histogram || echo .)" >"$work/prim.list" || return 1
	for i in $(seq 1 "$processes"); do
		bounded "$work/prim.log$i" "$work/prim.test" -test.v -test.timeout=0 "-devices=cuda${SIM:+-sim}" ${LONG:+-long} \
			"-test.run=^($(awk -v n="$processes" -v i="$i" 'NR % n == i - 1' "$work/prim.list" | paste -sd '|'))\$" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || rc=$?; done
	cat "$work"/prim.log* >>"$log"
	said="$(tested "$log") processes=$processes" && return $rc
}

# part_primsanitize runs those tests of the primitives that let no kernel trap, under all four tools of
# compute-sanitizer at the same time. Nearly all of their time is the driver's compiler.
part_primsanitize() {
	local tool rc=0 tools=(memcheck racecheck initcheck synccheck)
	local -A pids=()
	gunzip -c "$here/prim/prim.test.gz" >"$work/prim.test" && chmod +x "$work/prim.test" || return 1
	if [ -z "${SIM:-}" ] && ! command -v compute-sanitizer >/dev/null; then
		said="no compute-sanitizer"
		return 75
	fi
	for tool in "${tools[@]}"; do
		local under=(compute-sanitizer --tool "$tool" --report-api-errors no --print-limit 40)
		[ -z "${SIM:-}" ] || under=()
		bounded "$work/primsanitize-$tool" "${under[@]}" "$work/prim.test" -test.v -test.timeout=0 "-devices=cuda${SIM:+-sim}" \
			"-test.run=${SIM:+Histogram.*}KnownAnswers|${SIM:+Histogram.*}(AllKinds|AllTypes|Merges|FindsBounds|HostDraws|AnyPayload|SortedByTheirBits|Themselves|ThreeLevels|TheTreeOf)" &
		pids[$tool]=$!
	done
	for tool in "${tools[@]}"; do
		local one=$work/primsanitize-$tool status=0 found verdict=ok
		wait "${pids[$tool]}" || status=$?
		found=$(found_by "$one")
		tested "$one" >/dev/null && [ $status -eq 0 ] && [ "${found:-${SIM:+0}}" = 0 ] || verdict=FAIL rc=1
		line "gpu-primsanitize $tool $verdict found=${found:-none told} $(tested "$one") status=$status"
		{
			echo "--- $tool"
			tail -c 100000 "$one"
		} >>"$log"
	done
	said="tools=${#tools[@]}"
	return $rc
}

# compile_cub begins to compile cub.cu, if that has not begun: all its pieces at once, in the background.
compile_cub() {
	local i
	[ -z "${SIM:-}" ] && [ ${#compiling[@]} -eq 0 ] && command -v nvcc >/dev/null || return 0
	for i in $(seq 1 "$(sed -n 's/^#define PIECES //p' "$here/prim/cub.cu")"); do
		nvcc -O3 -std=c++17 "-arch=${ARCH:-sm_90}" "-DPIECE=$i" -o "$work/cub$i" "$here/prim/cub.cu" -lcurand -lcublas >"$work/nvcc$i.log" 2>&1 &
		compiling+=($!)
	done
}
compiling=()

# part_primbench measures the primitives beside CUB, cuRAND and cuBLAS.
part_primbench() {
	gunzip -c "$here/prim/compare.gz" >"$work/primbench" && chmod +x "$work/primbench" || return 1
	local args=(-device cuda -only "${PRIM:-}") began=$SECONDS i refused=0
	[ -z "${SIM:-}" ] || args=(-device cuda-sim -most 1024)
	compile_cub
	for i in "${compiling[@]}"; do
		wait "$i" || refused=$((refused + 1))
	done
	compiling=()
	[ $refused -eq 0 ] || cat "$work"/nvcc*.log >>"$log"
	args+=(-reference "$(find "$work" -name 'cub[0-9]*' | sort | paste -sd ,)")
	seconds=$((seconds - (SECONDS - began)))
	local waited="nvcc=$((SECONDS - began))s"
	bounded "$log" "$work/primbench" "${args[@]}" -o "$out/prim.csv"
	local rc=$?
	[ $refused -eq 0 ] || { rc=1 && waited+=" nvcc refuses $refused pieces of cub.cu"; }
	said="$waited $(sed -n 's/^# \(.*\): geometric mean /\1 /p' "$out/prim.csv" | tr '\n' ';')"
	headed "$out/prim.csv" 'primitives beside CUB, cuRAND and cuBLAS' '.gpu/run.sh primbench'
	return $rc
}

# part_egraph measures the closure and the saturation of e-graphs, on the device and on the cores of the host.
part_egraph() {
	local args=(-device cuda -most "${ROWS:-10000000}")
	gunzip -c "$here/egraph/measure.gz" >"$work/egraph" && chmod +x "$work/egraph" || return 1
	gunzip -c "$here/egraph/device.test.gz" >"$work/device.test" && chmod +x "$work/device.test" || return 1
	bounded "$work/egraph.log" "$work/device.test" -test.v -test.timeout=0 "-test.run=${SIM:+Vectors|}OnDevice" "-devices=cuda${SIM:+-sim}" || { cat "$work/egraph.log" >>"$log" && return 1; }
	[ -z "${SIM:-}" ] || args=(-device cuda-sim -most 200 -runs 1 -ops 2)
	bounded "$log" "$work/egraph" "${args[@]}" -o "$out/egraph.csv"
	local rc=$?
	said="$(tested "$work/egraph.log") $(sed -n 's/^# \(W[0-9]\) .* of \([0-9]*\): resident .*ratio /\1 \2 ×/p; s/^# \(terms of .*\)/\1/p; s/^# \(sum of [0-9]*\): device .*ratio /\1 ×/p' "$out/egraph.csv" | tr '\n' ';')"
	headed "$out/egraph.csv" 'the closure and the saturation of e-graphs and the values of terms, on the device and on the cores of the host' "ROWS=${ROWS:-10000000} .gpu/run.sh egraph"
	return $rc
}

# part_columns compares the passes over columns with plain Go, runs random programs that went through them, and measures both.
part_columns() {
	local args=(-device cuda -most "${ROWS:-10000000}") on=cuda n=3000
	[ -z "${SIM:-}" ] || args=(-device cuda-sim -most 1000 -runs 1) on=cuda-sim n=20
	gunzip -c "$here/columns/measure.gz" >"$work/columns" && chmod +x "$work/columns" || return 1
	gunzip -c "$here/columns/columns.test.gz" >"$work/columns.test" && chmod +x "$work/columns.test" || return 1
	bounded "$work/columns.log" "$work/columns.test" -test.v -test.timeout=0 '-test.run=^Test(SameBytes|Fold|Telemetry|Verdicts)$' "-devices=$on" || { cat "$work/columns.log" >>"$log" && return 1; }
	bounded "$log" "$here/vyre" conform --device "$on" --match add.u32 --random "$n" --passes device || return 1
	bounded "$log" "$work/columns" "${args[@]}" -o "$out/columns.csv"
	local rc=$?
	said="$(tested "$work/columns.log") $(sed -n 's/^# \([0-9]* rows\): resident .*ratio /\1 ×/p; s/^# \(crossover .*\)/\1/p' "$out/columns.csv" | tr '\n' ';')"
	headed "$out/columns.csv" 'the passes over columns of many programs, on the device and on the cores of the host' "ROWS=${ROWS:-10000000} .gpu/run.sh columns"
	return $rc
}

# part_rules tries all inputs of the rule table, 2^32 of most; in a rehearsal, of two rules over bools.
part_rules() {
	local args=(--device cuda)
	if [ -n "${SIM:-}" ]; then
		args=(--device cuda-sim "$work/bool.rules")
		printf 'a bool (and ?x ?x) => ?x\nb bool (xor ?x ?y) => (ne ?x ?y)\n' >"$work/bool.rules"
	fi
	bounded "$log" "$here/vyre" rules check --exhaustive --times "${args[@]}"
	local rc=$?
	(echo 'rule,type,bits,device ns' && grep -E '^[^ ]+,[a-z0-9]+,[0-9]+,[0-9]+$' "$log") >"$out/rules.csv"
	said="$(grep ' rules at ' "$log"); $(sed -n 's/.*,32,//p' "$out/rules.csv" | sort -n | awk '{ t[NR] = $1 / 1e6; sum += t[NR] }
		END { if (NR) printf "2^32 inputs in %.1f ms, median %.1f, at most %.1f, %.1f s in all", t[1], t[int((NR + 1) / 2)], t[NR], sum / 1e3 }')"
	headed "$out/rules.csv" 'all inputs of each rule that has at most 32 bits of them, on the device' '.gpu/run.sh rules'
	return $rc
}

# part_topologies compares predicted times of every topology with measured ones, and prints what bare rounds cost.
part_topologies() {
	if [ -n "${SIM:-}" ]; then
		said="no times in a rehearsal"
		return 75
	fi
	gunzip -c "$here/waves/megakernel.test.gz" >"$work/megakernel.test" && chmod +x "$work/megakernel.test" || return 1
	bounded "$log" "$work/megakernel.test" -test.v -test.timeout=0 -test.run='^(TestPredictedTimes|TestBareCosts)$' -devices=cuda -predicted=all "-twin=$(twin)"
	local rc=$?
	sed -n 's/^ *predicted_time_test.go:[0-9]*: //p' "$log" >"$out/topologies.txt"
	said=$(grep '^mean relative error' "$out/topologies.txt")
	return $rc
}

# part_graphs measures questions about graphs, on the device and on the cores of the host.
part_graphs() {
	local args=(-devices=cuda "-figures=${GRAPHS:-all}" "-figures-lanes=${LANES:-}" "-figures-only=${ONLY:-}")
	gunzip -c "$here/waves/session.test.gz" >"$work/session.test" && chmod +x "$work/session.test" || return 1
	if [ -n "${SIM:-}" ]; then
		args=(-devices=cuda-sim -figures=levels,components,warm -figures-tiny)
	elif [ -n "${SEARCH:-}" ] && command -v nvcc >/dev/null; then
		nvcc -O3 -std=c++17 "-arch=${ARCH:-sm_90}" -o "$work/bits" "$SEARCH" >>"$log" 2>&1 && args+=("-figures-search=$work/bits")
	fi
	bounded "$log" "$work/session.test" -test.v -test.timeout=0 '-test.run=^TestFigures$' "${args[@]}" "-figures-out=$out/graphs.csv"
	local rc=$?
	said="figures=$(grep -c '^[A-Zb]' "$out/graphs.csv")"
	headed "$out/graphs.csv" 'questions about graphs, on the GPU and on its host' "GRAPHS=${GRAPHS:-all} .gpu/run.sh graphs"
	return $rc
}

# part_closures measures transitive closures, from which tiles there are to counts, beside a program in CUDA C++ if one
# is named and nvcc is there: it is called with a .sg file and a number of runs.
part_closures() {
	local args=(-devices=cuda -figures=pairs "-inputs=${INPUTS:-}")
	gunzip -c "$here/waves/session.test.gz" >"$work/session.test" && chmod +x "$work/session.test" || return 1
	if [ -n "${SIM:-}" ]; then
		args=(-devices=cuda-sim -figures=pairs -figures-tiny)
	elif [ -n "${BYHAND:-}" ] && command -v nvcc >/dev/null; then
		nvcc -O3 -std=c++17 "-arch=${ARCH:-sm_90}" -o "$work/closure" "$BYHAND" >>"$log" 2>&1 && args+=("-figures-hand=$work/closure")
	fi
	bounded "$log" "$work/session.test" -test.v -test.timeout=0 '-test.run=^TestFigures$|^TestClosuresHaveTheKnownPairs$' "${args[@]}" "-figures-out=$out/closures.csv"
	local rc=$?
	said="$(sed -n 's/^W2,\([^,]*\),.*,pairs,\([a-z ]*\),[0-9]*,\([0-9.]*\),[0-9.]*,[0-9.]*,\([0-9.]*\),.*/\1 \2 \4 of \3 µs/p' "$out/closures.csv" | tr '\n' ';')"
	headed "$out/closures.csv" 'transitive closures' 'INPUTS=DIR BYHAND=closure.cu .gpu/run.sh closures'
	return $rc
}

# part_gap measures how fast files are read, and compares searches on the host's cores with those of the GAP benchmark
# suite, whose sources lie in gap/src if the suite was made with GAP=FOLDER. It needs no GPU.
part_gap() {
	local program
	gunzip -c "$here/waves/files.test.gz" >"$work/files.test" && chmod +x "$work/files.test" || return 1
	: >"$out/files.txt"
	bounded "$out/files.txt" "$work/files.test" '-test.run=^$' -test.bench=Read "-test.benchtime=$([ -n "${SIM:-}" ] && echo 1x || echo 1s)" || return 1
	if [ ! -d "$here/gap/src" ]; then
		said="no sources: make gpu-suite GAP=FOLDER, where that has been cloned"
		return 75
	fi
	mkdir -p "$work/gap"
	for program in bfs cc; do
		if ! "${CXX:-g++}" -std=c++11 -O3 -march=native -fopenmp -o "$work/gap/$program" "$here/gap/src/$program.cc" >>"$log" 2>&1; then
			said="no C++ compiler with OpenMP"
			return 75
		fi
	done
	gunzip -c "$here/waves/session.test.gz" >"$work/session.test" && chmod +x "$work/session.test" || return 1
	bounded "$log" "$work/session.test" -test.v -test.timeout=0 '-test.run=^TestFigures$' -devices=cpu -figures=gap ${SIM:+-figures-tiny} \
		"-figures-gap=$work/gap" "-figures-out=$out/gap.csv"
	local rc=$?
	said=$(sed -n 's/^T9,\([^,]*\),[^,]*,[^,]*,\([a-z]*\),.*ours is \(.*\)/\1 \2 \3/p' "$out/gap.csv" | tr '\n' ';')
	headed "$out/gap.csv" 'searches and components beside the GAP benchmark suite' '.gpu/run.sh gap'
	return $rc
}

# part_evidence measures what a resident search gains over hosts that take part.
part_evidence() {
	local args=(--device cuda --graph road:1024x1024 --graph grid:1024x1024 --graph skew:1048576 --graph icfg:1024,64,16 --reps 64 --samples 2)
	[ -z "${SIM:-}" ] || args=(--device cuda-sim --graph grid:3x3 --reps 2 --samples 1 --rehearsal)
	bounded "$log" "$here/vyre" evidence run "${args[@]}" -o "$out/speedup.csv"
	local rc=$?
	said=$(grep -m1 ': \(passed\|rejected\)$' "$log")
	headed "$out/speedup.csv" 'resident searches beside searches that the host drives' "vyre evidence run ${args[*]} -o speedup.csv" "$out/speedup.csv.head"
	return $rc
}

# part_byhand compares a search made of waves with the same by hand in Go and, with nvcc, in C++.
part_byhand() {
	local args=('-hand=grid:1024x1024;road:1024x1024;chain:20000;ladder:20000x16;kron:22' -devices=cuda "-twin=$(twin)")
	gunzip -c "$here/waves/megakernel.test.gz" >"$work/megakernel.test" && chmod +x "$work/megakernel.test" || return 1
	if [ -n "${SIM:-}" ]; then
		args=('-hand=grid:8x8;kron:7' -devices=cuda-sim)
	fi
	bounded "$log" "$work/megakernel.test" -test.v -test.timeout=0 '-test.run=^TestWavesAgainstByHand$' "${args[@]}"
	local rc=$?
	sed -n 's/^ *hand_test.go:[0-9]*: /gpu-byhand /p' "$log" | tee -a "$out/gpu-summary.txt"
	said="graphs=$(grep -c ' rounds, waves ' "$log")"
	return $rc
}

part_instructions() { # one at a time against the simulation
	bounded "$log" "$here/cusim.test" -test.v -test.run='^TestGPU'
}

part_sweep() {
	# shellcheck disable=SC2086 # several flags
	suite "$log" -test.run='^TestGPUFunctionsOfOneF32$' -gpu-stride=1 ${SIM:+-gpu-from=1016 -gpu-to=1017 "-gpu-functions=^(exp|cvt.i32)$"} ${SWEEP:-}
}

# alone runs the random programs that did not end, though they had 15 s after the last was begun, once more, each in a
# process of its own, and tells which fail there. The first 40 of them: one that hangs holds up its neighbours.
alone() { # logs…
	sed -n 's/.*with programs \[\([0-9 ]*\)\] under way.*/\1/p' "$@" | tr ' ' '\n' | head -40 | xargs -r -P "$cores" -I{} sh -c '
		timeout -s KILL 15 "$1" -test.timeout=0 -test.run="^TestGPUAgreesOnRandomPrograms$" -gpu-random=1 -gpu-together=1 "-gpu-seed=$2" "$3" $4 >/dev/null 2>&1
		case $? in
		0) ;;
		124 | 137) echo "gpu-random seed=$2 $3 did not end, and takes more than 15 s alone" ;;
		*) echo "gpu-random seed=$2 $3 fails alone" ;;
		esac' sh "$here/cuda.test" {} "$kind" "${sim[*]}" | tee -a "$out/gpu-summary.txt"
}

# agree compares random programs from a seed on in one process after the other: a program that loses the device ends a
# process, which shrinks it in others, and the next goes on with the seeds that are left. What is live is small beside what
# programs that are run once leave behind, so it is collected less often.
agree() { # log, programs, seed
	local left=$2 seed=$3 rc=0 began=$SECONDS whole=$seconds one=$1.one
	while [ "$left" -gt 0 ] && [ $((seconds = whole - (SECONDS - began))) -gt 20 ]; do
		: >"$one"
		GOGC=400 GOMAXPROCS=${THREADS:-4} suite "$one" -test.run='^TestGPUAgreesOnRandomPrograms$' "-gpu-random=$left" "-gpu-seed=$seed" "-gpu-modules=${MODULES:-1}" "$kind" || rc=$?
		cat "$one" >>"$1"
		read -r left seed < <(sed -n 's/^gpu-random lost the device; left=\([0-9]*\) from seed=\([0-9]*\)$/\1 \2/p' "$one" | tail -1) || break
	done
	return $rc
}

part_random() { programs random "${RANDOM_PROGRAMS:-$([ -n "${SIM:-}" ] && echo 400 || echo 200000)}"; }
# As many programs of shapes as the time allows.
part_shapes() { programs shapes "${RANDOM_PROGRAMS:-$([ -n "${SIM:-}" ] && echo 40 || echo 100000000)}"; }

# Kernels written in Go. There is no Go here: they are drawn and compiled by package front as the test runs, and
# compared with the interpreter. What Go itself computes of them, internal/conform's tests compare with the interpreter.
part_gokernels() { programs gokernels "${RANDOM_PROGRAMS:-$([ -n "${SIM:-}" ] && echo 40 || echo 20000)}"; }
part_goorder() { programs goorder "${RANDOM_PROGRAMS:-$([ -n "${SIM:-}" ] && echo 40 || echo 20000)}"; }
part_branches() { programs branches "${RANDOM_PROGRAMS:-$([ -n "${SIM:-}" ] && echo 40 || echo 100000)}"; }

# programs compares random programs of a kind with the interpreter, in several processes.
programs() { # kind, how many
	local kind=-gpu-kind=$1 programs=$2 processes=${PROCESSES:-$((cores > 1 ? cores : 2))} i rc=0 pids=() began=$SECONDS
	# The clock, spread over all seeds: no run has had these.
	local first=${SEED:-$((($(date +%s%N) * 0x5851f42d4c957f2d) & 0x7fffffffffffffff))} each=$(((programs + processes - 1) / processes))
	line "gpu-$1 from seed=$first; SEED=$first with PROCESSES=$processes repeats it"
	# Several GPUs share the processes.
	local gpus
	gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
	[ "$gpus" -gt 0 ] || gpus=1
	# Nearly all the time goes into the driver's compiler, of which a process has one; threads beyond one a core are for
	# those that wait in calls of the driver.
	times >"$work/times"
	for i in $(seq 1 "$processes"); do
		CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-$(((i - 1) % gpus))} agree "$work/$1$i" "$each" "$((first + (i - 1) * each))" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || rc=$?; done
	times >>"$work/times"
	rm -f "$work/$1"*.one
	cat "$work/$1"* >>"$log"
	alone "$work/$1"*
	# A program that fails is named in one line, with what repeats it and what it lost or left.
	sed -n "s/^ *[a-z_]*\.go:[0-9]*: $1\/\([0-9]*\): /gpu-$1 seed=\1 fails, SEED=\1 RANDOM_PROGRAMS=1 PROCESSES=1 run.sh $1 repeats it: /p" "$work/$1"* | cut -c1-300 | tee -a "$out/gpu-summary.txt"
	said=$(sed -n "s/^gpu-total $1 //p" "$work/$1"* | awk -v processes="$processes" -v wanted="$programs" -v wall="$((SECONDS - began))" '{
		for (i = 2; i <= NF; i++) { n = split($i, kv, "="); if (n == 2) sum[kv[1]] += kv[2] }
	} END {
		if (sum["shapes"]) printf "shapes=%d values=%d ", sum["shapes"], sum["values"]
		else if (sum["cases"] < wanted) printf "cut short after %d of %d programs, ", sum["cases"], wanted
		printf "programs=%d mismatches=%d processes=%d runs=%d wall=%ds programs_a_second=%.0f", sum["cases"], sum["failed"], processes, NR, wall, sum["cases"] / (wall + (wall == 0))
	}')
	said+=" $(spent "$work/$1"*)"
	return $rc
}

# spent tells what the time of random programs went into: seconds of processor and, of all processes together, those that
# the driver took to compile and load modules, and to unload them.
spent() { # logs…
	awk 'FNR == NR { # "1m2.3s 0m4.5s" of the shell, then of what it has waited for, before and after
		if (FNR % 2 == 0) for (i = 1; i <= 2; i++) { split($i, t, "m"); used += (FNR == 2 ? -1 : 1) * (60 * t[1] + t[2]) }
		next
	}
	/^gpu-together / { for (i = 2; i <= NF; i++) { split($i, kv, "="); sum[kv[1]] += kv[2] } }
	END { printf "modules=%d refused=%d processor=%.0fs compiling=%.0fs unloading=%.0fs", sum["modules"], sum["refused"], used, sum["compiling"], sum["unloading"] }' "$work/times" "$@"
}

# part_sanitize runs the suite under all four tools of compute-sanitizer at the same time, in seven processes. Cases that
# race or read undefined data on purpose are left out, and grids are small. One process of all cases under racecheck
# dies of a segmentation fault of which Go's handler says nothing, so racecheck gets several that unload no modules.
part_sanitize() {
	local tool shard rc=0 tools=(memcheck racecheck initcheck synccheck) tried=0
	local -A shards=([memcheck]=1 [racecheck]=${SIM:+2} [initcheck]=1 [synccheck]=1) pids=()
	shards[racecheck]=${shards[racecheck]:-4}
	if ! command -v compute-sanitizer >/dev/null; then
		said="no compute-sanitizer"
		[ -n "${SIM:-}" ] || return 75
	fi
	for tool in "${tools[@]}"; do
		local under=(compute-sanitizer --tool "$tool" --report-api-errors no --print-limit 40) keep=()
		[ -z "$said" ] || under=()
		# It orders by barriers alone: a flag in shared memory that is released and acquired is a race to it, now and then.
		[ "$tool" != racecheck ] || keep=(-gpu-keep -gpu-without=atomic-litmus/message-passing-in-a-group)
		for ((shard = 0; shard < shards[$tool]; shard++)); do
			ulimit -c 0 && GOTRACEBACK=crash bounded "$work/sanitize-$tool-$shard" "${under[@]}" "$here/cuda.test" -test.v -test.timeout=0 \
				-test.run='^TestGPUPassesTheConformanceSuite$' -gpu-clean -gpu-most=65536 -gpu-at-once=32 "-gpu-limit=$(limit)" \
				"-gpu-shard=$shard/${shards[$tool]}" "-gpu-journal=$work/journal-$tool-$shard" "${keep[@]}" "${sim[@]}" ${SIM:+-gpu-match=bar-} &
			pids[$tool-$shard]=$!
		done
	done
	for tool in "${tools[@]}"; do
		local verdict=ok found=0 summaries=0 ended='' n
		for ((shard = 0; shard < shards[$tool]; shard++)); do
			local one=$work/sanitize-$tool-$shard status=0
			wait "${pids[$tool-$shard]}" || status=$?
			tried=$((tried + 1))
			n=$(found_by "$one")
			[ -z "$n" ] || summaries=$((summaries + 1)) found=$((found + n))
			[ $status -eq 0 ] || ended+="; process $shard ended with $status$(running "$work/journal-$tool-$shard")"
			# A dump of all threads is long; the last words count.
			{
				echo "--- $tool $shard"
				tail -c 100000 "$one"
			} >>"$log"
		done
		[ -n "$said" ] || [ $summaries -eq "${shards[$tool]}" ] || verdict=FAIL
		[ $found -eq 0 ] && [ -z "$ended" ] || verdict=FAIL
		[ $verdict = ok ] || rc=1
		line "gpu-sanitize $tool $verdict found=$found summaries=$summaries of ${shards[$tool]} $(sed -n 's/^gpu-total conform //p' "$work/sanitize-$tool"-* | awk '{
			for (i = 2; i <= NF; i++) { n = split($i, kv, "="); if (n == 2) sum[kv[1]] += kv[2]; if (kv[1] == "seconds" && kv[2] > longest) longest = kv[2] }
		} END { printf "cases=%d passed=%d failed=%d skipped=%d longest=%.1fs", sum["cases"], sum["passed"], sum["failed"], sum["skipped"], longest }')$ended"
	done
	said="tools=${#tools[@]} processes=$tried${said:+, rehearsed: $said}"
	if [ $rc -ne 0 ] && grep -q '^=========.*[Dd]evice not supported' "$log"; then
		said="compute-sanitizer refuses the device here (some virtual machines keep it from it)"
		return 75
	fi
	return $rc
}

# found_by prints how many errors or hazards a tool's summary has, nothing without one. A line behind it counts those
# that were not printed.
found_by() { sed -n '/not printed\|not displayed/d; s/^========= *\(ERROR\|RACECHECK\) SUMMARY: *\([0-9][0-9]*\) \(error\|hazard\).*/\2/p' "$1" | head -1; }

# running prints which cases a journal has begun and not ended.
running() {
	[ -f "$1" ] || return 0
	awk '{ name = substr($0, 3); if ($1 == "+") open[name]++; else open[name]-- }
		END { for (c in open) if (open[c] > 0) { printf "%s%s", n++ ? ", " : ", running: ", c; if (n == 40) exit } }' "$1"
}

part_budgets() {
	local args=(-limit "$((seconds > 90 ? seconds - 30 : seconds * 2 / 3))s") cc
	cc=$(command -v cc || command -v gcc || command -v clang || true)
	if [ -n "$cc" ] && "$cc" -O2 -o "$work/reference" "$here/reference.c" -ldl >>"$log" 2>&1; then
		args+=(-reference "$work/reference")
		if nvcc -O3 "-arch=${ARCH:-sm_90}" -cubin -o "$work/gridsync.cubin" "$here/vendor.cu" >>"$log" 2>&1; then
			args+=(-gridsync "$work/gridsync.cubin")
		fi
	fi
	[ -n "${SIM:-}" ] || ! command -v python3 >/dev/null || args+=(-python "$here/reference.py")
	# The C side of a rehearsal has no driver, and says so.
	[ -z "${SIM:-}" ] || args+=(-device cuda-sim -tiny -blocks 2 -samples 10 -starts 2)
	: >"$work/budgets"
	bounded "$work/budgets" "$here/budget" "${args[@]}"
	local rc=$?
	cp "$work/budgets" "$out/budgets.txt"
	headed "$out/budgets.txt" 'launches, copies and the start of a process, beside C' '.gpu/run.sh budgets'
	cat "$work/budgets" >>"$log"
	grep 'verdict=' "$work/budgets" | sed 's/^vyrebench v=1/gpu-budget/; s/ gpu=.*//' | tee -a "$out/gpu-summary.txt"
	said=$(sed -n 's/^vyrebench v=1 name=all //p' "$work/budgets")
	return $rc
}

part_codegen() {
	if ! command -v nvcc >/dev/null || [ -n "${SIM:-}" ]; then
		said="no nvcc"
		return 75
	fi
	CODEGEN=$here/codegen OUT=$work/codegen bounded "$log" bash "$here/codegen-bench/run.sh" -unchecked
	local rc=$?
	cp "$work"/codegen/codegen.* "$out/" 2>/dev/null
	headed "$out/codegen.txt" "the kernels of \`bench/codegen\` beside nvcc's code" 'OUT=out bench/codegen/run.sh -unchecked'
	tar -C "$work/codegen" -czf "$out/codegen-code.tar.gz" code 2>/dev/null
	said=$(grep '^geometric mean' "$out/codegen.txt" 2>/dev/null | tr '\n' ';')
	return $rc
}

# part_tune measures what tuned group sizes gain over declared ones.
part_tune() {
	bounded "$log" "$here/tune" ${SIM:+-device=cuda-sim -small -runs=3}
	local rc=$?
	grep '^vyrebench' "$log" >"$out/tune.txt"
	said=$(tail -1 "$out/tune.txt")
	headed "$out/tune.txt" 'group sizes that driver.Tune chose, beside the declared ones' '.gpu/run.sh tune'
	return $rc
}

# part_assemble gives the PTX of every case and example to the ptxas that is here, for all architectures that it knows.
part_assemble() {
	local ptxas=${VYRE_PTXAS:-}
	if ! [ -f "$ptxas" ] && ! ptxas=$(command -v ptxas); then
		said="no ptxas"
		return 75
	fi
	ptxas=$(realpath "$ptxas")
	gunzip -c "$here/ptx.test.gz" >"$work/ptx.test" && chmod +x "$work/ptx.test" || return 1
	# It looks for the examples in ../../examples, as from its package's directory.
	(cd "$here/examples/bfs" && VYRE_PTXAS=$ptxas bounded "$log" "$work/ptx.test" -test.v -test.timeout=0 -test.run='^TestEmitAssemblesForEveryArchitecture$' \
		-long -assemble-every=1 ${SIM:+-assemble-every=16384} "-assemble-limit=$(limit)")
}

declare -A most=([device]=60 [examples]=120 [waves]=150 [prim]=120 [primsanitize]=240 [primbench]=240 [egraph]=480 [columns]=300 [rules]=240 [topologies]=150 [byhand]=240 [graphs]=560 [closures]=240 [gap]=180 [evidence]=420 [contract]=120 [borrow]=60 [memcheck]=240 [conform]=240 [instructions]=60 [matrix]=240 [accuracy]=150 [occupancy]=300 [profile]=60 [faults]=240
	[random]=300 [shapes]=300 [gokernels]=300 [goorder]=300 [branches]=300 [sweep]=560 [sanitize]=420 [budgets]=300 [codegen]=560 [tune]=240 [assemble]=150)
all=(device contract borrow memcheck conform examples waves prim primsanitize primbench egraph columns rules topologies byhand graphs closures gap evidence instructions matrix accuracy occupancy profile faults random shapes gokernels goorder branches sweep sanitize budgets codegen tune assemble)
[ $# -gt 0 ] || set -- "${all[@]}"
for arg; do
	if [ -z "${most[${arg%%:*}]:-}" ]; then
		echo "run.sh: no part is called ${arg%%:*}; the parts are ${all[*]}" >&2
		exit 2
	fi
done
failed=0 parts=0
for arg; do
	name=${arg%%:*}
	seconds=${most[$name]}
	[ "$arg" = "$name" ] || seconds=${arg#*:}
	if [ -n "${LIMIT:-}" ] && [ $((LIMIT - SECONDS)) -lt "$seconds" ]; then
		seconds=$((LIMIT - SECONDS))
		if [ $seconds -lt 30 ]; then
			parts=$((parts + 1))
			line "gpu-part $name skip seconds=0 no time is left of $LIMIT s"
			continue
		fi
	fi
	log=$work/log-$name said='' began=$(date +%s) status=0
	: >"$log"
	"part_$name" "$@" || status=$?
	verdict=ok
	case $status in
	0) ;;
	75) verdict=skip ;;
	*) verdict=FAIL failed=$((failed + 1)) ;;
	esac
	[ $status -ne 124 ] && [ $status -ne 137 ] || said="cut off after $seconds s $said"
	parts=$((parts + 1))
	line "gpu-part $name $verdict seconds=$(($(date +%s) - began)) ${said:-$(totals "$log")}"
	if [ $verdict = FAIL ]; then
		# What failed, the same words once.
		{
			grep -E '^ *--- FAIL|^panic:|^fatal error:' "$log" | head -30
			grep '^=========' "$log" | grep -vE 'COMPUTE-SANITIZER|SUMMARY|Host Frame|in .*(cuda.test|libc|libcuda)' | cut -c1-200 | head -40
			grep -E '^ +[a-z_]+\.go:[0-9]+: ' "$log" | grep -vE 's after |texts in ' | cut -c1-300 | sort | uniq -c | sort -rn | head -20
			tail -3 "$log" | cut -c1-300
		} | sed 's/^/    /'
	fi
	{
		echo "=== $name"
		head -c 1200000 "$log" # what comes back from a machine may be bounded
	} >>"$out/gpu.log"
done
verdict=ok
[ $failed -eq 0 ] || verdict=FAIL
line "gpu-suite $verdict parts=$parts failed=$failed $(sed -n 's/^gpu-part device ok [^ ]* //p' "$out/gpu-summary.txt" | head -1)"
[ $failed -eq 0 ]
