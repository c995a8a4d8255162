// Command budget measures whether the runtime keeps its budgets. It shows how close a launch, a wait, a copy comes to a
// C program that makes the same driver calls.
//
//	budget -reference REFERENCE [-gridsync CUBIN] [-python reference.py] [-only REGEXP] [-blocks 10] [-samples 1000] [-limit 9m]
//
// REFERENCE is reference/reference.c, built by any C compiler; run.sh builds it. Both sides are processes with a context
// of their own on one machine, both warm, and take turns in blocks, ours first. The statistic is the median of the
// blocks' medians; the 99th percentile is printed and not judged.
//
//	measure (measures.go) ──────samples──────▶ block ──┐
//	reference/reference.c ◀─"NAME SAMPLES"─ reference.go ─┴─▶ line of each side, line of their ratio
//
// Lines go to standard output:
//
//	vyrebench v=1 name=P2 side=vyre n=20000 min_ns=… p50_ns=… p99_ns=… allocs=0 gpu="…" driver=13000 commit=…
//	vyrebench v=1 name=P2 ratio=1.021 bound=1.05 verdict=pass
//	vyrebench v=1 name=P6 verdict=skip reason="…"
//
// A ratio is our time by C's; of copies, C's by ours, so that more is better. A figure that is not a ratio has its own
// words, such as lanes_per_s. The exit status is 1 if a bound is missed, 2 if nothing could be measured. A budget that
// cannot be judged is skipped with a reason, and never passes.
//
// With -python, CuPy and PyTorch do what they can of it, as further sides by which nothing is judged.
//
// With -device cuda-sim our side runs without a GPU, to see that it runs: its times mean nothing.
//
// Start reading in measure.go.
package main
