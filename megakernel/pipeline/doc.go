// Package pipeline runs a chain of kernels in as few launches as is legal, with the same bits as one launch each.
//
// A stage is a program over a number of items. What stages hand to each other stands in temps, buffers that the
// pipeline provides:
//
//	half := megakernel.Temp{ID: 1, Bytes: 4 * n}
//	p, err := pipeline.New(ctx, dev, []pipeline.Stage{
//		{Program: scale, Args: []driver.Arg{x, half}, Items: n},
//		{Program: shift, Args: []driver.Arg{half, y}, Items: n},
//	}, pipeline.Options{})
//	err = p.Run(ctx) // as often as x changes
//	p.Explain()      // which stages share what, and why the others do not
//
// There are three ways for a stage to follow the one before it:
//
//	inline   both are one program, in which an invocation runs one after the other for its item; what the
//	         first stores, the second has in a register
//	barrier  both stand in one cooperative launch, with a barrier of the grid between
//	launch   a launch of its own
//
// A stage is inlined where no invocation touches what another one of the stages before it writes: every access to
// memory that they share goes to elements of its own item. Indices are compared as step·item + base, worked out from
// the constants, scalars and lengths that the stages are given. A temp of which only such stages know then has no
// memory at all, if each item stores an element before it is loaded.
//
// # Flow
//
//	stages ─▶ looked into ─▶ planned (plan.PlanPipeline) ─▶ chains ─▶ parts ─▶ launches
//	          bindings        host, layout, budget          inline    barrier
//
// # Invariants
//
// Fused or not, a pipeline leaves the same bits, if each stage by itself is free of races. Equal stages give equal plans.
// After New a run allocates nothing. Contents of a temp last from the stage of a run that first writes it to the last one
// that touches it; before, they are undefined.
//
// # Errors
//
// A Run that failed may have done any of its stages. The next one begins with the first; what stages add to, in ranges of the
// caller's, has to be brought back before.
//
// # Concurrency and ownership
//
// A Pipeline is for one goroutine at a time. It owns its kernels and temps until Close; ranges are the caller's.
//
// # Not here
//
// Which stages may share a launch at all is arithmetic, in megakernel/plan. Barriers, and rounds to a fixed point:
// package megakernel.
//
// Start reading at pipeline.go, then join.go.
package pipeline
