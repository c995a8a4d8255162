// Package memory has the device memory of a GPU: buffers of the user, and what the device needs for itself.
//
//	in:  sizes; a stream that the memory is for; runs that may still touch what is given back
//	out: blocks of memory that nothing else uses by the time of their first use, and buffers over them
//
// Memory comes from a pool of the driver's, or from the allocator of the context: the first small blocks, and all where
// there are no pools. What is given back is kept by size class. Where memory is short, idle blocks go back to the
// driver, the rest of the device gives back what it can spare, and what then cannot be had is an error
// that names the largest buffers.
//
// A buffer may also be over memory that another library owns. That is in no book, has no guards, and is given up and never freed.
//
// # Invariants
//
// Every byte obtained from the driver is a buffer's, idle, or the device's own, and the ledger says so.
// A heap's lock is held during no call of the driver. A block that a run may still touch, because its
// sequence was given up, is kept with that run, and serves only what comes after it.
package memory
