// Package driver is the contract of devices. It covers a program's way from its sealed form to results on the host. A
// device is a package that registers an opener here. This package checks everything that a caller can get wrong, so
// that all devices refuse the same.
//
//	ir.Program ──Device.Compile──▶ Kernel ─┐   or an Image of a bundle, by Device.Load
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
// A command touches exactly the bytes that it names. Nothing is zeroed, padded or copied unless a command says so.
// Every refusal happens in Prepare, in Capture or in a setter. A run fails only because of its device, its context, a
// trap, or something that is busy or closed. After Prepare, a run allocates nothing. Commands take effect in recorded
// order. Runs that share a buffer take effect in the order of their Start, if one of them writes to it.
//
// # Identity
//
// A device's kernels and buffers embed a leaf, which identifies them to the device. A type around one of them, such as
// a generated launcher, is replaced by the embedded object when it is recorded. Prepare refuses a type that only has
// the methods. Therefore a device may assume that everything in a plan is its own.
//
// # Types
//
// A range and host memory may have an element type (Element). If so, a launch, a copy and the flag of a loop refuse
// another type. Bytes have no element type, so every parameter accepts them.
//
// # Limits
//
// Diagnose compares what a kernel, or a launch of one, needs with the Caps of a device, and lists every limit that is
// exceeded. Options.Requirement says what a program needs, RequirementOf what a compiled kernel takes. If Compile, Prepare
// or a setter refuses a kernel or a launch, its error has the Diagnosis as a cause. So have CUDA's results 701, 720 and 912.
// Models has the Caps of eight GPUs, from sm_70 to sm_120, for a machine without them:
//
//	for _, m := range driver.Models() {
//		fmt.Println(driver.Diagnose(m, driver.Options{}.Requirement(program)))
//	}
//
// # Group sizes
//
// AutoWorkgroup in Options leaves the size of a group to the device, for a program that cannot tell it. Tune measures the
// sizes that a model of the device finds good, and keeps the choice for later compilations, also of other processes.
// Nothing is measured unless Tune or Device.Costs is called. CanOverlap says whether groups of two kernels fit a unit.
//
// # Ownership
//
// The maker of an object closes it. Buffers, kernels and host memory are leaves: while a prepared sequence refers to
// one, its Close answers Busy and names the sequence. Sequences, graphs and devices are roots: their Close waits for
// runs. Closing twice is harmless. Any other use of a closed object is an error of kind Closed.
//
// # Concurrency
//
// A Device, its buffers and its kernels may be used from any goroutine. One goroutine at a time may record a sequence
// and call its setters. A sequence has at most one run in flight, from the call of Start on; parallel work is several
// sequences.
//
// Start may take as long as the work before a large transfer. Run may take as long as all rounds of a loop that the host
// controls. Meanwhile other calls on the sequence answer Busy, and Close waits as for any run. After its time limit,
// Close ends the run at its next chunk or round.
//
// # Contexts
//
// The context that starts a run (of Run, Start, RunBatch, Dispatch) bounds the run. If it is done on entry, nothing
// starts. If it ends before the run, the run is given up. A device with Caps.EndsRuns, such as cpu, then ends the run
// within milliseconds, even in an endless kernel or a wait. Other devices let it continue to its end, except for a
// While that the host controls, which stops between two rounds. Therefore do not rely on the effects of a run that was
// given up.
//
// The context of a Wait bounds only that wait. If it ends, the wait answers Canceled, and the run continues. Another
// Wait may fetch it, or Settle drop it. For a run that outlives its caller, pass Start a context.WithoutCancel.
//
// If a run was given up and ended, Run, Wait or Dispatch returns an error of kind Canceled with Ended in its chain.
// The run is then over: nothing works on it, no output is delivered, and its sequence is free. The sequence may run
// again, be changed or closed, and another Wait answers the same error. If the error has no Ended, the run continues.
// Its sequence answers Busy until Wait fetches the run or Settle drops it.
//
// In both cases, memory that only the sequence has needs no care: the next run sends its inputs again, even if they are
// Static. Such memory is scratch, and for Dispatch all arguments in host memory. A caller's buffer that the run writes
// holds its old contents, the run's results, or a part of them. A sequence that continues from such a buffer has to set
// it first. Runs that follow in order, over such a buffer or because of Start's options, take place, and find these
// contents.
//
// # Errors
//
// An error of a run does not mean that nothing was done, because a device may report errors late. After an error of
// Run, Start or Wait, each command has taken effect or has not, and outputs are invalid. When the call returns,
// nothing of the run is in progress, unless the error is Canceled or Closed. Sequence and graph may run again, but
// buffers that commands add to have to be set anew or read back first.
//
// After a call that may have begun the work, a device does not repeat it in another way. If a device cannot wait for
// work in progress, it is lost. An error of releasing something does not undo work: Close of the object, or of the
// device, returns errors of releases during a run.
//
// # Memory of other libraries
//
// Borrow makes a buffer of device memory that another library of the process owns. Lend gives such a library a buffer of
// the device for a while. Both take handles of the library, as Turns. Given a stream, the GPU alone keeps the order of runs and the
// library's work. So a kernel, a call of cuBLAS and a kernel follow each other without a wait of the host:
//
//	loan, err := driver.Lend(x, driver.Turns{Stream: stream}) // and cublasSetStream(handle, stream)
//	_, err = before.Start(ctx)                                // writes x
//	sgemm(handle, loan.Address)                               // waits for it on the GPU
//	_, err = after.Run(ctx)                                   // waits for cuBLAS
//
// Nothing is known of what the library writes. Therefore uploads into such a buffer are never skipped, and graphs that read
// it are not remembered. Memory that overlaps other memory of the device is refused.
//
// # Memory for small repeated jobs
//
// A Pool keeps buffers of exact sizes, and read-only sets of constant bytes. When memory runs short, its idle buffers are
// given back, and so are the sequences that Dispatch keeps.
//
// # Results that are remembered
//
// Graph.Memoize makes a graph remember results by their inputs, a few of them and a bounded number of bytes. A run, or
// a row of a batch, with remembered inputs delivers those outputs, and nothing is launched or sent. Its Result is Memoized
// and has no device time. It costs about as much as comparing and copying the bytes. Metrics count such runs and the results
// that were kept. Memoize refuses a graph whose results do not follow from its inputs, and says why.
//
// # Batches
//
// Graph.RunBatch replays a graph for many rows of inputs and outputs. A chunk of them is one launch, and two chunks take
// turns. That is for rows too small to be worth a launch and a wait each. Memory grows with the rows of two chunks,
// up to a 32nd of the device's. A trap fails its row alone, and the error names the row.
//
// # Profiles
//
// Profile measures every launch, copy and fill of a device's runs by the device's own clock, and writes a profile for
// `go tool pprof`. A sequence or graph that runs under it first makes a second, timed runner of the same plan. That has the same
// graphs and loops, and reads the clock around each command. Without a profile, a run is as before, and costs a load more.
// Timeline looks inside of launches, at the waves of package megakernel, and its spans are frames of a profile as well.
//
// Caches lists what a device keeps for later, and Flush gives back all of it that is not in use.
//
// # For authors of devices
//
// Programs that use devices do not need these names:
//
//   - Register names a device. NewCore makes the Core that a device embeds. Its buffers and kernels embed a Leaf.
//   - NewSequence and NewPool make what a device's methods of these names return.
//   - Executor and Runner are what a device implements to run a Plan. The plan consists of Cmds: UploadCmd with its
//     Pieces, FillCmd, CopyCmd, LaunchCmd, LoopCmd and ReadCmd. A Use is a buffer of the plan.
//   - Borrower is what a device also is, if it can share memory with other libraries.
//   - NewResidency makes the Residency of a runner, which decides what a run has to send.
//   - Plan.Rows says that a plan is a chunk of a batch. Told and Trapped take what its launches report, for their rows.
//   - Tally and LaunchSum count what runs do. Underway is in errors of Runner.Start.
//
// # Not here
//
// The execution of a plan (driver/cpu, driver/cuda), the meaning of a program (ir), typed buffers and the newcomer's
// view (package vyre).
//
// Start reading at sequence.go. Then check.go, prepare.go and run.go have the limits, the contents and the execution
// of a sequence. Device authors read core.go, plan.go and resident.go.
package driver
