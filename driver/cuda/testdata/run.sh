#!/bin/sh
# Runs the GPU suite where it lies, and prints one summary line at the end:
#
#	gpu-suite ok|FAIL device…; contract…; conform…; random…;
#
# Arguments go to the test binary, such as -gpu-random=10000 or -test.run=Contract. With
# PROCESSES=8 the random programs are shared among that many processes, each with a context
# of its own, for the driver compiles one module at a time in each. Logs are gpu*.log in $OUT,
# or here.
here=$(dirname "$0")
out=${OUT:-.}
processes=${PROCESSES:-1}
: "${VYRE_GPU:=require}"
export VYRE_GPU
rm -f "$out"/gpu*.log

suite() { # log, arguments
	log=$1
	shift
	"$here/cuda.test" -test.v -test.timeout=0 "$@" >"$log" 2>&1
}

rc=0
if [ "$processes" -gt 1 ]; then
	pids=
	for i in $(seq 1 "$processes"); do
		suite "$out/gpu$i.log" -test.run=GPUAgreesOnRandom -gpu-workers=2 "$@" "-gpu-seed=$((i * 100000000))" &
		pids="$pids $!"
	done
	for p in $pids; do wait "$p" || rc=$?; done
else
	suite "$out/gpu.log" -test.run=GPU "$@" || rc=$?
	# One instruction at a time against the simulation.
	"$here/cusim.test" -test.v -test.run=GPU >"$out/gpu-instructions.log" 2>&1 || rc=$?
fi

cat "$out"/gpu*.log | grep -E '^ *--- FAIL|^panic:|^fatal error:' | head -60
# What failed, the same words once.
cat "$out"/gpu*.log | grep -E '^ +[a-z_]+\.go:[0-9]+: ' | grep -v 's after ' | cut -c1-300 | sort | uniq -c | sort -rn | head -40
verdict=ok
[ $rc -eq 0 ] || verdict="FAIL (exit status $rc)"
echo "gpu-suite $verdict $(cat "$out"/gpu*.log | sed -n 's/^gpu-total //p' | tr '\n' ';')"
exit $rc
