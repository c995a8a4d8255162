// Package timeline has the streams of a device, what runs on them are called, and which of them has to
// wait for which.
//
//	in:  buffers that a run is going to read and write, runs that it has to come after
//	out: a stream with its turn taken and a timeline value for the run; waits for the runs of other
//	     streams that it conflicts with; whether a run has ended
//
// Every run takes the next timeline value of its stream, and the last thing that it enqueues is a store of
// the value's low half into the stream's completion word, so that the host sees the end of a run without
// a call. On a driver that has no such store it is a record of an event.
//
// A hazard is two runs over one buffer of which one writes. Each buffer knows the last run that writes it
// and those that read it since; a run that starts waits for them, on the device, and takes their place.
//
// A Turn orders the runs over a buffer with the stream or the events of another library. A run that starts lets its stream wait for
// them, and its end lets them wait for it.
//
// # Invariants
//
// Runs on one stream end in the order of their values. Whoever gets into the hazards of a buffer finds
// every run that touches it wholly in its stream. Buffers are entered in ascending order of their
// identity, so that two runs that start together cannot block each other. Waiters leave when their context
// ends or when Close gives their run up.
//
// What the run of a closed sequence may still touch is released after the run: Deferred keeps its owner
// until then.
package timeline
