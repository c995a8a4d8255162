// Package limits has what tests of graphs set lower.
package limits

// NarrowArcs is how many arcs offsets of 32 bits are used for. Tests set it to less, so that small graphs have those of 64.
var NarrowArcs uint64 = 1<<32 - 1
