// Package pipeline runs a chain of kernels in as few launches as is legal, with the same bits as one launch each.
//
// A stage is a program over a number of items. Stages pass data to each other in temps, which are buffers of the
// pipeline:
//
//	half := megakernel.Temp{ID: 1, Bytes: 4 * n}
//	p, err := pipeline.New(ctx, dev, []pipeline.Stage{
//		{Program: scale, Args: []driver.Arg{x, half}, Items: n},
//		{Program: shift, Args: []driver.Arg{half, y}, Items: n},
//	}, pipeline.Options{})
//	err = p.Run(ctx) // as often as x changes
//	p.Explain()      // the stages that share a launch, and the reasons of the others
//
// This package is a library for kernels of your own, and no command of vyre uses it. The program examples/filters does:
// it runs three filters over a picture in one launch.
//
// A stage can follow the previous one in three ways:
//
//	inline   both are one program, in which an invocation runs one after the other for its item; the second
//	         has the results of the first in registers
//	barrier  both are in one cooperative launch, with a barrier of the grid between
//	launch   a launch of its own
//
// A stage is inlined if no invocation touches memory that another invocation of the earlier stages writes. In memory that
// the stages have in common, every access uses elements of its own item. The package compares indices as
// step·item + base, from the constants, scalars and lengths of the stages. A temp that only such stages use has no memory
// at all, if each item stores an element before loading it.
//
// # Flow
//
//	stages ─▶ looked into ─▶ planned (plan.PlanPipeline) ─▶ chains ─▶ parts ─▶ launches
//	          bindings        host, layout, budget          inline    barrier
//
// # Invariants
//
// Fused or not, a pipeline leaves the same bits, if each stage by itself has no races. Equal stages give equal plans.
// After New a run allocates nothing. In each run, contents of a temp are defined from its first stage that writes it
// to its last stage that touches it.
//
// # Errors
//
// A Run that failed may have done any of its stages. The next one begins with the first. Before that, the caller
// restores data in its own ranges that stages add to.
//
// # Concurrency and ownership
//
// A Pipeline is for one goroutine at a time. It owns its kernels and temps until Close. Ranges belong to the caller.
//
// # Not here
//
// The arithmetic that decides which stages may share a launch is in internal/plan. Barriers, and rounds to a fixed
// point, are in package megakernel.
//
// Start reading at pipeline.go, then join.go.
package pipeline
