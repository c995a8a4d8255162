// Package compact makes lists of what is flagged, on the device, and reads as little as tells it all.
//
// A kernel leaves a flag for each item, and a record for each item or nothing but its number. Most flags
// are 0, so reading everything to look at a little would take longer than finding it:
//
//	res := compact.New(dev, compact.Options{First: 4096})
//	pairs, err := compact.Add(res, flags, records)     // *vyre.Buffer[uint32], *vyre.Buffer[Pair]
//	front, err := compact.AddItems(res, reached)       // the numbers of the items
//	…
//	err = res.Run(ctx)                                 // as often as the flags change
//	for _, p := range pairs.Records() {
//
// # Flow
//
//	flags ──count──▶ a word a block ──grid barrier──▶ words before mine ──scatter──▶ records in order
//	                                                                       │
//	heads of all lists, and the first bytes of them, side by side ◀────────┤ one read
//	plan.Compaction: the rest of those, and lists above Limit     ◀────────┘ one more, if there is any
//
// One cooperative launch a list. A list of at most Limit bytes stands beside the others, in the order in
// which they were added; a larger one has memory of its own. Which it is the device decides while it runs and
// [plan.PlanCompaction] again from the heads, by the same rule.
//
// [Reports] are lists of which only the first records are kept, for diagnostics: flags are masks of
// severities, which are counted as well, by [plan.PlanDiagnostics]' rules.
//
// # Invariants
//
// Records stand in the order of their items, so a list depends on the flags and on nothing else, and so
// does which reports survive a cap. What is read is what [Results.ReadBytes] says, to the byte: First is
// read whether it is filled or not, since a read has its length before the device knows its own.
//
// # Errors
//
// After a Run that failed the lists are empty, and the next Run makes them of what the flags are then. Nothing has to be
// brought back: lists and counters are written from the beginning.
//
// # Ownership
//
// Buffers that are added belong to the caller, who closes them after the Results. Results and Reports are
// each for one goroutine at a time; runs of other sequences over the same buffers are ordered by the driver.
// Records returns copies.
//
// # Not here
//
// What sets flags. Lists that grow while a kernel runs: megakernel/arcs and megakernel/queue.
//
// Start reading at results.go, then kernels.go and reader.go.
package compact

//go:generate go run ../../cmd/vyre gen .
