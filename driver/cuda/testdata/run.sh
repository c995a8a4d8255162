#!/bin/sh
# Runs the GPU suite where it lies, and prints one summary line at the end:
#
#	gpu-suite ok|FAIL device… contract… conform… random…
#
# Arguments go to the test binary, such as -gpu-random=200000 or -test.run=Contract. All of
# the output is kept in gpu.log, in the current directory or in $OUT if that is set.
here=$(dirname "$0")
log=${OUT:-.}/gpu.log
VYRE_GPU=${VYRE_GPU:-require} "$here/cuda.test" -test.v -test.timeout=0 "-test.run=GPU" "$@" >"$log" 2>&1
rc=$?
grep -E '^ *--- FAIL|^panic:|^fatal error:' "$log" | head -60
# The first words of each failure, once.
grep -E '_test\.go:[0-9]+: |drivertest/[a-z]+\.go:[0-9]+: |^ +[a-z]+\.go:[0-9]+: ' "$log" | cut -c1-300 | sort | uniq -c | sort -rn | head -40
verdict=ok
[ $rc -eq 0 ] || verdict="FAIL (exit status $rc)"
echo "gpu-suite $verdict $(sed -n 's/^gpu-total //p' "$log" | tr '\n' ';')"
exit $rc
