// Package driver is the device contract: what a program meets between being sealed and
// its bytes being back on the host. A device is a package that registers an opener here;
// everything a caller can get wrong is decided here too, once, so that no two devices
// differ in what they refuse.
//
//	ir.Program ──Device.Compile──▶ Kernel ─┐
//	host bytes ──────Upload──────▶ Buffer ─┤
//	                                       ▼
//	    Sequence: Fill Upload Copy Launch Repeat While Read
//	        │ Prepare: every rule checked, neighbours fused
//	        ▼
//	      Plan ──Executor──▶ Runner ──Start, Wait──▶ Result
//	                └─Capture──▶ Graph: replays, batches
//
// # Invariants
//
// A command touches exactly the bytes it names; nothing is zeroed, padded or copied
// unasked. Every refusal happens in Prepare, in Capture or in a setter: a run fails only
// for its device, its context, a trap, or because something is busy or closed. After
// Prepare, a run allocates nothing. Commands take effect in recorded order; runs that share
// a buffer, one of them writing, take effect in the order of their Start.
//
// # Identity
//
// A device's kernels and buffers are known by the leaf that they embed, which knows its object. A type
// around one of them, as generated launchers are, stands for what it embeds, and is replaced by that
// where it is recorded; what only has the methods is refused in Prepare. So a device may take it for
// granted that what a plan names is its own.
//
// # Types
//
// Where it is known what a range or host memory holds (Element), a launch, a copy and the flag of a
// loop refuse another type. Of bytes nothing is known, and every parameter takes them.
//
// # Ownership
//
// Whoever makes an object closes it. Buffers, kernels and host memory are leaves: while a
// prepared sequence refers to one, its Close answers Busy and names the sequence. Sequences,
// graphs and devices are roots: their Close waits for runs. Closing twice is harmless; any
// other use of a closed object is an error of kind Closed.
//
// # Concurrency
//
// A Device, its buffers and its kernels may be used from any goroutine. Recording and the
// setters of one sequence are for one goroutine at a time. One run of a sequence is in
// flight at most, from the moment that Start is called; parallel work is several sequences.
// Start may take as long as the work in front of a large transfer, and a Run as all rounds of a
// loop that the host decides on. Meanwhile other calls on the sequence answer Busy, and Close waits
// for it like for any run: when its time is over, the run ends at its next chunk or round.
//
// # Contexts
//
// The context that starts a run (of Run, Start, RunBatch, Dispatch) bounds the run. If it is done on entry nothing
// is started. If it ends before the run, the run is given up. A device with Caps.EndsRuns, which cpu
// is, ends it then: within milliseconds, in the middle of a kernel, however endless, or of what it waits for. Others
// let it go on to its end, but for a While that the host decides on, which stops between two rounds, and the run
// with it. So nobody should count on what a run that was given up does.
//
// The context of a Wait bounds that wait and nothing else. If it ends, the wait answers Canceled, the run goes on, and
// another Wait may fetch it, or Settle drop it. For a run that outlives whoever starts it, pass Start a
// context.WithoutCancel.
//
// A run that was given up and ended is over when Run, Wait or Dispatch returns: with an error of kind Canceled
// that has Ended in its chain. Nothing of ours works on it any more, no output is delivered, and its sequence is
// free: it may run again, be changed or closed, and another Wait answers the same error. Where the error has no Ended,
// the run goes on: its sequence answers Busy until Wait fetches the run or Settle drops it.
//
// Either way, memory that only the sequence has (scratch, of Dispatch all arguments in host memory) is of no concern: the next
// run sends its inputs anew, even where they are Static. A buffer that is the caller's, and which the run writes, holds what it held before,
// all that the run was to write, or a part; a sequence that goes on from such a buffer has to set it first. What is
// done after the run in order, over such a buffer or because Start said so, is done; it finds what is there.
//
// # What an error says
//
// An error of a run does not say that nothing was done. A device may report late what it has already done, so after an error of
// Run, Start or Wait each command has taken effect or has not, and outputs are not what they say. When the call returns,
// nothing of the run is under way, unless the error is Canceled or Closed. Sequence and graph may run again; what commands add to, rather
// than set, has to be set anew or read back first. A device does nothing again in another way after a call that may have
// begun it, and where it cannot wait for what is under way it is lost. An error of giving something back does not undo work: what
// an object gives back on the way is reported by Close of the object, or of the device.
//
// # Memory for small repeated jobs
//
// A Pool keeps buffers of exact sizes, and sets of constant bytes that nothing may write. What it
// keeps idle is given back, like the sequences that Dispatch keeps, when memory runs short.
//
// # Not here
//
// How a device executes a plan (driver/cpu, driver/cuda), what a program means (ir), typed
// buffers and the newcomer's view (package vyre).
//
// Start reading at sequence.go, then check.go, prepare.go and run.go, which are what a sequence may
// hold, holds and does; device authors read core.go, plan.go and resident.go.
package driver
