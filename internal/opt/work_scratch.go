package opt

import "github.com/govyre/vyre/ir"

// scratch is memory that passes and analyses need while they run, kept for the next run of the same: what a compilation
// allocates is what it costs the garbage collector, and all of it has to be cleared.
type scratch struct {
	leaders []ir.Row // gvn
	version []uint32
	live    []bool // dce
	queue   []ir.Row
	in      []uint32 // facts
	value   []ir.Row
	inside  []smallSet // memoryVersions
	ordered []bool
}

// lend returns n zeros in the memory that *kept stands for, or in more if that is too little.
func lend[T any](kept *[]T, n int) []T {
	if cap(*kept) < n {
		*kept = make([]T, n+n/8)
		return (*kept)[:n]
	}
	list := (*kept)[:n]
	clear(list)
	return list
}
