// Package transfer moves large host memory that the GPU does not reach, through staging rings of pinned
// chunks: while the GPU copies some, the host copies others.
//
//	in:  an upload or a read of a run that is being enqueued, its stream, and whether it was given up
//	out: copies in the stream; the host's bytes taken, or delivered, by the time the call returns
//
// There is a ring for each direction. The goroutine that enqueues a run makes all calls of the driver;
// copiers copy, and it does, too, where they are few or not awake yet. Runs use a ring one after the other,
// and find in it what the GPU still does for earlier ones.
//
// # Invariants
//
// Nobody is at the host's memory once a transfer has returned, whatever came of it. A chunk's place in the
// ring is written only after the event that follows its last copy. A transfer that failed leaves the ring
// as good as before. A copier that panics fails the transfer, and not the process.
package transfer
