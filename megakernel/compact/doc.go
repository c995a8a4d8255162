// Package compact makes lists of flagged items on the device, and reads only the bytes of these lists.
//
// A kernel leaves a flag for each item, and either a record for each item or only its number. Most flags are 0, so
// reading everything would take longer than finding the flagged items:
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
// Each list takes one cooperative launch. A list of at most Limit bytes is placed beside the others, in the order of
// Add; a larger one has memory of its own. The device decides this during the run. [plan.PlanCompaction] decides it
// again from the heads, by the same rule.
//
// [Reports] are lists that keep only the first records, for diagnostics. Flags are masks of severities, which are
// counted as well, by the rules of [plan.PlanDiagnostics].
//
// # Invariants
//
// Records are in the order of their items, so a list depends only on the flags. The same holds for the reports within
// a cap. A read has exactly [Results.ReadBytes] bytes. It includes First bytes, filled or not, because its length is
// fixed before the device knows that of the list.
//
// # Errors
//
// After a Run that failed the lists are empty, and the next Run makes them from the flags at that time. Callers
// restore nothing, because lists and counters are written from the beginning.
//
// # Ownership
//
// Added buffers belong to the caller. Close them after the Results. Results and Reports are each for one goroutine at
// a time. The driver orders runs of other sequences over the same buffers. Records returns copies.
//
// # Not here
//
// The kernels that set flags. Lists that grow while a kernel runs: megakernel/arcs and megakernel/queue.
//
// Start reading at results.go, then kernels.go and reader.go.
package compact

//go:generate go run ../../internal/gen/generate .
