// Package queue processes items on the device that create further items, of an unknown number.
//
// A Go type with three methods over its buffers defines the work for an item, and a kernel passes it on:
//
//	type Parse struct{ text, nodes []uint32 }
//
//	func (p Parse) Check(it queue.Item) (most, reason uint32) // children at most, or the reason of an invalid item
//	func (p Parse) Do(t gpu.Thread, it queue.Item) uint32     // does the work, and returns the number of children
//	func (p Parse) Child(t gpu.Thread, it queue.Item, k uint32) queue.Item
//
//	//vyre:kernel workgroup=128
//	func ParseAll(t gpu.Thread, text, nodes []uint32,
//		sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
//		queue.Run(t, Parse{text, nodes}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
//	}
//
// The host has a [Queue], which owns the ring and launches until no item is left:
//
//	q, err := queue.New(ctx, dev, parseAll.Kernel, []vyre.Arg{text.All(), nodes.All()}, queue.Options{Most: 4, Capacity: 1 << 16})
//	rec, err := q.Run(ctx, []queue.Item{{Op: parseFile}})
//
// This package is a library for kernels of your own, and no command of vyre uses it. The program examples/lists does: it
// parses nested lists.
//
// # Flow
//
//	items ─▶ ring ──take, at most 32──▶ a warp ──Check──▶ Do ──Child──▶ ring
//	          ▲                           │        └ FAULT: counted, the first 64 are in Record.First
//	          │                           └ children do not fit ─▶ deferred, all workers stop
//	          └──── ring of twice the capacity ◀──── host ◀───────────┘
//
// If every item enters once, as the nodes of a search do, package megakernel/arcs needs no ring and is faster.
//
// # Invariants
//
// An item is never lost, and never done twice. An item that Check refuses is never done, nor counted as done. An item
// begins only if there is room for all its possible children, so it is done as a whole or not at all. At the end
// Pushed equals Popped, and also the sum of Done and Faults. A run with other counters is a bug of this package. The
// order of items is undefined, so their work has to give the same result in any order. Children see the writes of
// their parent.
//
// # Errors
//
// An error does not mean that nothing was done, because a launch may have been in progress. [Queue.Resume] reads the
// control words first, and continues from these. The effect of an error depends on its time:
//
//	before any command            the budget, memory for a larger ring: the items are where they were;
//	                              SetBudget if need be, and Resume
//	of commands, of any kind but  Resume, which does the rest and nothing twice; its error means the same,
//	those below                   so it may be called again
//	Canceled                      the launch goes on; Resume waits for it
//	of Run, before an item began  Resume answers InvalidArgument, "begin with Run"; no item was done
//	Trap, DeviceFault             an item was begun and not ended: Resume refuses; restore the data that
//	                              items write, and call Run
//	DeviceLost                    nothing is left on this device
//
// Run may be called after any error except DeviceLost. It waits for work in progress, forgets the remaining items, and
// begins anew. It does not restore data that items wrote. If a release fails on the way, the run has no error: Close
// of the Queue, or of the device, returns it.
//
// # Waits
//
// A slot has a sequence word, and credits count the free slots and the ready items. A worker with a credit waits for a
// slot only while another copies an item out of it or into it. Workers do not wait during the work of an item.
// docs/design/waves.md explains why waits form no circle, also if the lanes of a warp continue together. Workers are
// resident at the same time: a launch is cooperative, and has at most that many blocks.
//
// # Ownership
//
// A Queue belongs to one goroutine at a time. Kernel and arguments are the caller's, and stay open longer than the
// Queue. Ring and Run are ordinary Go: the compiler of kernels inlines them, and natively they run as they are.
//
// # Not here
//
// A host that adds items to a queue while it runs. Priorities.
//
// Start reading at ring.go, then queue.go and resume.go; kernels.go has the work between two launches.
package queue

//go:generate go run ../../internal/gen/generate .
