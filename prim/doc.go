// Package prim does on a device what others have whole libraries for: reduce, scan, sort, select and their kin, and random
// numbers. Each is made once for a device and a greatest length, and appended to a Sequence as often as wanted:
//
//	sum, err := prim.NewReduce[float32](ctx, dev, prim.Sum, 1<<20)
//	defer sum.Close()
//	sum.Record(seq, prim.N(1<<20), x, total)      // *vyre.Buffer[float32]
//	res, err := seq.Run(ctx)
//
//	NewX(ctx, dev, max) ──▶ kernels, compiled ──Record(seq, length, ranges)──▶ *Step in a Sequence
//	                                                   ▲                        │ SetLength
//	                              N(n), or At(count) ──┘◀──── counts found ◀────┘ on the device
//
// # What there is
//
//	one value of many             Reduce, Arg (NewArgMin, NewArgMax), Histogram
//	one for each, of those before Scan (NewScan, NewExclusiveScan)
//	the same within segments      SegmentedReduce, SegmentedScan by offsets, HeadReduce, HeadScan by flags, ReduceByKey by equal keys
//	in order                      Sort, SortPairs, SegmentedSort, Merge, MergePairs, Search in what is sorted
//	some of them                  Select (NewSelect, NewPartition), SelectIndices, Unique, UniqueByKey, RunLengths
//	to other places               Move (NewGather, NewScatter), Permutation
//	from nothing                  Iota, Random
//
// Functions whose names end in Slice do one of these for a slice of the host and return a slice.
//
// # One answer
//
// A result is a function of the elements, their number and the options: it has the same bits on every device, for every
// grid and schedule, floats included. So sums and scans of floats have a fixed order, and a sorted array is one thing:
// keys have a total order in which -0 comes before +0.
//
// # Equal elements
//
// Elements are equal if all their fields have the same bits. So Go's == decides, but for floats: -0 and +0 differ, and a NaN
// equals one with its bits. Bytes between the fields of a record, blank fields among them, decide nothing, and results have zeros
// there. Records that have such bytes are copied before they are compared; a record without them takes no copy.
//
// # Lengths
//
// A length is a number (N), or one that the device holds when the step runs (At): what one primitive counts can be the
// length of the next, and the host waits for neither. A length that is too large is refused by Prepare or a setter, or is a
// trap that tells it; it is never cut in silence. No elements are fine.
//
// # Memory
//
// The work of a step lives in the sequence's scratch, Bytes() of it. A run of a prepared sequence allocates nothing.
// Nothing is written beyond the length of a result.
//
// # Your own operators
//
// Operators of Reduce and Scan are numbers, for which the kernels are specialised. For one of your own write a kernel
// around the algorithm in package prim/block; each is a line. CheckScanOperator and CheckReduceOperator, in a test of the
// operator, show values for which it is wrong.
//
// # Not here
//
// The algorithms as parts of kernels (prim/block); Philox in kernels (gpu/random); matrix products.
//
// Start reading at made.go, step.go and reduce.go; the others are like it.
package prim
