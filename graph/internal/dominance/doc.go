// Package dominance has the kernels of dominators: a warp or a workgroup takes a procedure, nodes that hang together, and solves
// the equations of its sets.
//
//	D(root) = {root}     D(v) = {v} ∪ ⋂ D(u), over the arcs u → v
//
// Sets begin with all nodes and only lose some, so that the greatest solution comes out whatever the order is. In it, D(v) is what
// dominates v. Those are on one chain, which is why the immediate dominator is the one with the largest set of its own.
// A node that is not reached keeps the set of all nodes, which takes nothing away from an intersection.
//
// Start reading at warp.go, then group.go.
package dominance

//go:generate go run ../../../internal/gen/generate --programs .
