// Package queue works on the device through items that create items, of a number that nobody knows before.
//
// What is done for an item is a Go type with three methods over its buffers, and a kernel that hands it
// over:
//
//	type Parse struct{ text, nodes []uint32 }
//
//	func (p Parse) Check(it queue.Item) (most, reason uint32) // children at most, or why it is no item
//	func (p Parse) Do(t gpu.Thread, it queue.Item) uint32     // does it; how many children it has
//	func (p Parse) Child(t gpu.Thread, it queue.Item, k uint32) queue.Item
//
//	//vyre:kernel workgroup=128
//	func ParseAll(t gpu.Thread, text, nodes []uint32,
//		sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
//		queue.Run(t, Parse{text, nodes}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
//	}
//
// The host has a [Queue], which owns the ring and launches until nothing is left:
//
//	q, err := queue.New(ctx, dev, parseAll.Kernel, []vyre.Arg{text.All(), nodes.All()}, queue.Options{Most: 4, Capacity: 1 << 16})
//	rec, err := q.Run(ctx, []queue.Item{{Op: parseFile}})
//
// # Flow
//
//	items ─▶ ring ──take, at most 32──▶ a warp ──Check──▶ Do ──Child──▶ ring
//	          ▲                           │        └ FAULT: counted, the first 64 are in Record.First
//	          │                           └ children do not fit ─▶ deferred, everybody stops
//	          └──── ring of twice the capacity ◀──── host ◀───────────┘
//
// Where every item enters once, as the nodes of a search do, package megakernel/arcs needs no ring and is
// faster.
//
// # Invariants
//
// An item is never lost, and never done twice. One that Check refuses is never done, nor counted as
// done. An item is begun only once there is room for all that it may create, so it is done as a whole or
// not at all. At the end Pushed is Popped is Done and Faults; a run whose counters are otherwise is a
// mistake of this package. In which order items are done is not defined, so what they do has to come to
// the same in any order. What an item wrote is seen by those that it creates.
//
// # Errors
//
// An error does not say that nothing was done: a launch may have been on its way when the call that reports it
// failed. [Queue.Resume] reads the control words first, and goes by what they say. After an error, by when it comes:
//
//	before any command            the budget, memory for a larger ring: the items are where they were;
//	                              SetBudget if need be, and Resume
//	of commands, of any kind but  Resume, which does what is left and nothing twice; its error means the same,
//	those below                   so it may be called again
//	Canceled                      the launch goes on; Resume waits for it
//	of Run, before an item began  Resume answers InvalidArgument, "begin with Run"; no item was done
//	Trap, DeviceFault             an item was begun and not ended: Resume refuses; bring back what items
//	                              write, and call Run
//	DeviceLost                    nothing is left on this device
//
// Run may be called after any error but DeviceLost: it waits for what is under way, forgets the items that were
// left, and begins anew. What items wrote it does not bring back. Where something cannot be given back on the way, that is
// no error of the run: Close of the Queue, or of the device, returns it.
//
// # Waits
//
// A slot has a sequence word, and credits say how many slots are free and how many items are ready. Who
// has credits waits for a slot only as long as another copies an item out of it or into it; nobody waits
// while working. docs/design/waves.md says why there is no circle of waits, also where the lanes of a
// warp go on together. Workers are resident at the same time: a launch is cooperative, and has no more
// blocks than that.
//
// # Ownership
//
// A Queue belongs to one goroutine at a time. Kernel and arguments are the caller's, and stay open
// longer than the Queue. Ring and Run are ordinary Go: the compiler of kernels inlines them, natively they
// run as they are.
//
// # Not here
//
// A host that puts items into a queue while it runs. Priorities.
//
// Start reading at ring.go, then queue.go and resume.go; kernels.go is what happens between two launches.
package queue

//go:generate go run ../../cmd/vyre gen .
