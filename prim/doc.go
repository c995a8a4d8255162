// Package prim has parallel primitives for devices: reduce, scan, sort, select and others, and random numbers. A
// program makes each once, for a device and a greatest length, and appends it to a Sequence as often as it wants:
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
// # Primitives
//
//	one value from many           Reduce, Arg (NewArgMin, NewArgMax), Histogram
//	a value for each prefix       Scan (NewScan, NewExclusiveScan)
//	the same within segments      SegmentedReduce, SegmentedScan by offsets, HeadReduce, HeadScan by flags, ReduceByKey by equal keys
//	order                         Sort, SortPairs, SegmentedSort, Merge, MergePairs, Search in a sorted array
//	a part of the elements        Select (NewSelect, NewPartition), SelectIndices, Unique, UniqueByKey, RunLengths
//	other places                  Move (NewGather, NewScatter), Permutation
//	matrices                      MatMul
//	without input                 Iota, Random
//
// Functions whose names end in Slice apply one of these to a slice of the host and return a slice.
//
// # Results
//
// A result is a function of the elements, their number and the options. It has the same bits on every device, for
// every grid and schedule, floats included. Therefore sums and scans of floats have a fixed order. A sorted array is
// unique, because keys have a total order in which -0 comes before +0. Matrix products with sums of float32 have the bits of a
// generation of hardware, which an option names.
//
// # Equal elements
//
// Elements are equal if all their fields have the same bits. That is Go's ==, except for floats: -0 and +0 differ, and
// a NaN equals one with its bits. Bytes between the fields of a record, including blank fields, are ignored, and
// results have zeros there. Records with such bytes are copied before they are compared; other records are not.
//
// # Lengths
//
// MatMul has sizes (Dims) that the host knows. Other primitives have lengths.
//
// A length is a number (N), or a number on the device when the step runs (At). One primitive's count can therefore be
// the length of the next, without a wait of the host. Prepare or a setter refuses a length that is too large, or the
// step traps with the length. It is never cut silently. A length of 0 is valid.
//
// # Memory
//
// A step works in the sequence's scratch memory, Bytes(primitive) of it. A run of a prepared sequence allocates nothing.
// Nothing is written beyond the length of a result.
//
// # Your own operators
//
// Operators of Reduce and Scan are numbers, for which the kernels are specialised. For an operator of your own, write
// a kernel around the algorithm in package prim/block, which is one line. In a test, CheckScanOperator and
// CheckReduceOperator show values for which an operator is wrong.
//
// # Not here
//
// The algorithms as parts of kernels (prim/block), Philox in kernels (gpu/random), fragments of matrices in kernels (gpu.MulAdd).
//
// Start reading at made.go, step.go and reduce.go; the others are like it.
package prim
