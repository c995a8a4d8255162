// Package plan decides, before anything is compiled, how a set of waves runs: in which groups, in how much memory,
// who drives their rounds, and what the run will count. It is arithmetic only. It knows waves as numbers with byte counts,
// touches no device and no program, and can be tested to the last bit without either.
//
//	waves, dependencies ─▶ Barriers ─▶ Groups ─▶ Arena         a place for each buffer, one region for each type
//	                          │           │                    of elements
//	                          │           └ groups that fit the budget, peaks, a lower bound of their number
//	                          └ the fewest groups, and heights
//	records, costs ─▶ Select ─▶ Decision ─▶ Convergence        who looks for the end, and how often
//	                               └ shape and topology, each candidate judged by its own Memory
//	times of runs ─▶ History ─▶ PlanPasses                     what was faster often enough to be chosen
//	identity ─▶ Key ─▶ Cache, Decisions                        one build for all who want it
//	items that create items ─▶ Queue, Drain                    slots, bytes, launches
//	nodes, edges ─▶ Facts ─▶ PlanExpansion                     rows of a graph, and the queue of waves over it
//	frontiers, order ─▶ Frontiers                              a wave for each layer and kind of work
//	stages ─▶ Pipeline                                         which of a chain share a launch
//	queries ─▶ PlanQueries                                     those that run together, graphs that are uploaded once
//	results, reports ─▶ Compaction, Diagnostics                what the host reads of them, side by side
//	Predicted.Check(Counted)                                   what a run did that its plan did not say
//
// A planner is a value that keeps its working storage:
//
//	var p plan.BarrierPlanner
//	var order plan.Barriers
//	err := p.Plan(waves, deps, &order)
//
// # Invariants
//
// Equal input gives equal output, byte for byte, and the order in which dependencies are named does not matter. Waves
// stand in their group by ascending id. Sums and products of counts and bytes are checked: one that 64 bits do not hold
// is refused and never wraps. A plan that is made again, not larger than before, allocates nothing, and storage is
// bounded by what is given, not by a number that somebody declares.
//
// # Errors
//
// All are *driver.Error, or driver.Problems of them: mistakes of the input are all collected, budgets stop at the first.
// Each has a Reason in its chain, with a code, what is at fault and the numbers; errors.As finds it.
//
// # Ownership
//
// A planner is used by one goroutine at a time. What it fills belongs to the caller, who may hand it in again; the
// slices of the last plan are overwritten then. After an error it is empty. Cache and Decisions may be used from any
// goroutine, and an entry of a cache is released by whoever got it.
//
// # Not here
//
// Waves as programs, fusing and running them: package megakernel.
//
// Start reading at barriers.go, then groups.go and arena.go; select.go stands by itself.
package plan
