//vyre:library

package block

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Sizes of workgroups, and of the shared memory that they pass to functions.
const (
	Threads        = block.Threads        // invocations of a workgroup
	Warps          = block.Warps          // warps of a workgroup
	ReduceWords    = block.ReduceWords    // elements for ReduceAll
	ScanQuads      = block.ScanQuads      // quads for ScanAll, of elements of 4 bytes or less
	ScanPairs      = block.ScanPairs      // pairs for ScanAll, of larger elements
	SelectTile     = block.SelectTile     // elements for SelectIf
	HistogramWords = block.HistogramWords // counts for HistogramAll: all bins, as often as they fit, or none of them
)

// Reduce combines one value of each invocation of a workgroup: within a warp by halving, lane i with lane i+16, then
// i+8 and so on, and then the warps' results by halving. Invocation 0 gets the result; what the others get says nothing.
// part holds Warps elements, and may be used again after the next barrier.
func Reduce[T gpu.Number, O Operator[T]](t gpu.Thread, op O, v T, part []T) T {
	return block.Reduce(t, op, v, part)
}

// Scan combines one value of each invocation of a workgroup with those of the invocations before it, and returns what comes
// before: of the warps before, one after another, and of the lanes before, by doubling (with lane l-1, l-2, l-4, ...). all is
// the combination of the whole group, that of the last warp on the right. Absent values are the operator's identity.
// part holds Warps elements, and may be used again after the next barrier.
func Scan[T gpu.Number, O Operator[T]](t gpu.Thread, op O, v T, part []T) (warps, lanes, all T) {
	return block.Scan(t, op, v, part)
}

// ReduceAll combines x[:n] into out[0] in one launch of any grid; out[0] is empty where n is 0. Each element is converted to
// A first. The order is that of a tree which depends on n alone: quads of neighbours, the four quads of an invocation,
// the invocations of a tile (Reduce), and then the tiles' results like elements, until one is left.
//
// sums has room for SumsLen(max) elements; counts, for CountsLen(max), are 0 when the launch begins and when it has ended;
// part is shared memory of ReduceWords.
func ReduceAll[T, A gpu.Number, O Operator[A]](t gpu.Thread, op O, empty A, x []T, n uint64, out, sums []A, counts []uint32, part []A) {
	block.ReduceAll(t, op, empty, x, n, out, sums, counts, part)
}

// SumsLen is how many results of tiles ReduceAll keeps, of n elements.
func SumsLen(n uint64) (all uint64) { return block.SumsLen(n) }

// CountsLen is how many counts ReduceAll needs for n elements.
func CountsLen(n uint64) (all uint64) { return block.CountsLen(n) }

// Cells is the shared memory of a tile: quads of elements of up to 4 bytes, or pairs of elements of 8. The other is empty.
type Cells[T gpu.Number] struct {
	Quads [][4]T
	Pairs [][2]T
}

// ScanAll leaves the running combinations of x[:n] in y[:n], in one launch of any grid: y[i] is x[0] to x[i] combined or,
// if exclusive is not 0, x[0] to x[i-1], and the identity first. Each element is read once. x and y may be one.
//
// state has StateLen words, which are 0 when a launch of several begins; cells are shared memory of ScanQuads quads or, of
// elements of 8 bytes, ScanPairs pairs, and part of Warps elements. The operator has to be associative exactly, so it is for
// integers: the order in which tiles are combined is a matter of timing.
func ScanAll[T gpu.Integer, O Operator[T]](t gpu.Thread, op O, exclusive uint32, x, y []T, n uint64, state []uint64, cells Cells[T], part []T) {
	block.ScanAll(t, op, exclusive, x, y, n, state, block.Cells[T]{Quads: cells.Quads, Pairs: cells.Pairs}, part)
}

// StateLen is how many words of 64 bits the state of ScanAll has, of n elements of so many bytes. SelectIf has that of 4 bytes.
func StateLen(n uint64, bytes int) uint64 { return block.StateLen(n, bytes) }

// SelectIf leaves the elements of x[:n] that a predicate chooses in out, in their order, and their number in count, in one launch
// of any grid. state has StateLen(n, 4) words, which are 0 when the launch begins; part and local are shared memory of Warps and
// SelectTile elements.
func SelectIf[T any, P Predicate[T]](t gpu.Thread, p P, x []T, n uint64, out []T, count []uint32, state []uint64, part []uint32, local []uint16) {
	block.SelectIf(t, p, x, n, out, count, state, part, local)
}

// HistogramAll adds to counts[b] how many elements of x[:n] belong to bin b. There are bins, and all counts: as many, or two
// more, for what is less and what is more. part is shared memory of HistogramWords.
func HistogramAll[T any, B Binning[T]](t gpu.Thread, b B, bins, all uint32, bounds, x []T, n uint64, counts []uint32, part []uint32) {
	block.HistogramAll(t, b, bins, all, bounds, x, n, counts, part)
}
