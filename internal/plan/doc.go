// Package plan decides before compilation how a set of waves runs: in which groups, in how much memory, in which
// topology, and with which counts. It is arithmetic only. Waves are numbers with byte counts, so tests need neither a
// device nor a program.
//
//	waves, dependencies ─▶ Barriers ─▶ Groups ─▶ Arena         a place for each buffer, one region for each type
//	                          │           │                    of elements
//	                          │           └ groups that fit the budget, peaks, a lower bound of their number
//	                          └ the fewest groups, and heights
//	records, costs ─▶ Select ─▶ Decision ─▶ Convergence        the place and the interval of the test for the end
//	                               └ shape and topology, each candidate judged by its own Memory
//	times of runs ─▶ History ─▶ PlanPasses                     the passes that were faster often enough
//	identity ─▶ Key ─▶ Cache, Decisions                        one build for all callers
//	items that create items ─▶ Queue, Drain                    slots, bytes, launches
//	frontiers, order ─▶ Frontiers                              a wave for each layer and kind of work
//	stages ─▶ Pipeline                                         stages of a chain that share a launch
//	queries ─▶ PlanQueries                                     queries that run together, graphs that are uploaded once
//	results, reports ─▶ Compaction, Diagnostics                the bytes that the host reads, side by side
//	Predicted.Check(Counted)                                   differences between a run and its plan
//
// A planner is a value that keeps its working storage:
//
//	var p plan.BarrierPlanner
//	var order plan.Barriers
//	err := p.Plan(waves, deps, &order)
//
// # Invariants
//
// Equal input gives equal output, byte for byte, for every order of the dependencies. Waves are in their group by
// ascending id. Sums and products of counts and bytes are checked, so an overflow of 64 bits is an error. Planning
// again, with input of at most the same size, allocates nothing. Storage is bounded by the input, not by a declared
// number.
//
// # Errors
//
// All are *driver.Error, or driver.Problems of them. Mistakes of the input are all collected, but budgets stop at the
// first. Each has a Reason in its chain, with a code, the culprit and the numbers; errors.As finds it.
//
// # Ownership
//
// One goroutine at a time uses a planner. Its results belong to the caller. If the caller passes them in again, the
// slices of the last plan are overwritten. After an error the result is empty. Cache and Decisions may be used from
// any goroutine. The caller that gets an entry of a cache releases it.
//
// # Not here
//
// Waves as programs, their fusion and their execution: package megakernel.
//
// Start reading at barriers.go, then groups.go and arena.go; select.go is independent.
package plan
