// Package interp runs programs. It is the reference: the result of a program is what
// this package computes, and every device must give the same bits.
//
//	ir.Program ──Prepare──▶ Kernel ──Run(launch, options)──▶ buffers, Result
//
// Prepare decodes a program once: values get slots by liveness, structure becomes
// straight code with masks, every pure op becomes a call of its evaluation function
// from the op table. There is no second definition of a pure op here; memory, control,
// barriers and subgroup ops are this package's own, and combine values through the
// table too. A Kernel is immutable and safe to share.
//
// Run executes a launch. A warp of 32 invocations runs in lockstep as an explicit
// state: program counter, mask of live lanes, two masks for each open structured op.
// Lanes that leave a structured op rejoin where it ends. At a barrier a warp is left
// alone, with its state, until the others are there, so barriers work in any nesting
// and a grid barrier only needs all groups to be alive at once. The Schedule decides
// which warp advances next and in which order the lanes of a memory op take effect;
// one run under several schedules shows whether a result depends on it.
//
// Detectors (Options.Detect) report accesses out of bounds, reads of memory that
// nothing wrote, and races. They run on one worker. Without them, the forward schedule
// runs groups on several goroutines; atomics on buffers are then atomic among these,
// and results that hang on the order of contended atomics may differ between runs.
//
// What always holds:
//   - The launch contract (package launch) is checked before the first effect: a launch is
//     refused as a whole or runs.
//   - A trap does not stop a run. It is part of the Result.
//   - Whatever the program does, Run returns: rows are budgeted, state is bounded, the
//     context is looked at every 65,536 rows, and a barrier that cannot be satisfied
//     any more is an error.
//   - A run takes its state from a pool of the Kernel and gives it back, so launching
//     again allocates nothing that grows with the launch.
//
// Not here: devices, buffers that outlive a launch and command sequences (package
// driver), optimisation (package opt), comparison with other devices (package conform).
//
// Start reading at decode.go, which says what an instruction is, and step.go, which
// runs it. slots.go is about registers, worker.go about schedules, race.go about races.
package interp
