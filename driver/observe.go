package driver

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/govyre/vyre/ir"
)

// Observer is told what happens on a device while it happens. A hook that is nil is not
// called. Hooks are called by the goroutine that caused the event, several at once if several
// did, and with locks held: they have to be quick and must not use the device.
type Observer struct {
	// RunStart and RunEnd enclose each run of a sequence or graph, from its start to the
	// moment somebody knows that it ended. The result is only good during the call.
	RunStart func(label string)
	RunEnd   func(label string, r *Result, err error)
	// Compile and Alloc are called when the operation has ended.
	Compile func(label string, took time.Duration, err error)
	Alloc   func(label string, bytes int64, err error)
	// Error is called with every error that the device returns.
	Error func(err *Error)
}

// Compiling notes that a compilation begins, for the observer and for runtime/trace. The
// device calls ended with its outcome.
func (c *Core) Compiling(ctx context.Context, p *ir.Program, o Options) (ended func(error)) {
	label, begin := LabelOf(p, o), time.Now()
	region := c.region(ctx, "vyre.compile", label)
	return func(err error) {
		region.End()
		if f := c.observer.Compile; f != nil {
			f(label, time.Since(begin), err)
		}
	}
}

// LabelOf returns the name that a kernel goes by.
func LabelOf(p *ir.Program, o Options) string {
	if o.Label == "" && p != nil {
		return p.Name()
	}
	return o.Label
}

// Allocated tells the observer of a buffer that was asked for.
func (c *Core) Allocated(label string, bytes int64, err error) {
	if f := c.observer.Alloc; f != nil {
		f(label, bytes, err)
	}
}

// region is a region of runtime/trace that names what it is about. While there is no trace,
// it costs a load.
func (c *Core) region(ctx context.Context, what, label string) *trace.Region {
	if trace.IsEnabled() {
		trace.Log(ctx, what, label+" on "+c.name)
	}
	return trace.StartRegion(ctx, what)
}

// flight is what is watched of a run: its task in runtime/trace, while there is a trace.
type flight struct {
	ctx  context.Context
	task *trace.Task
}

// takeOff begins a run; it returns the context of its task.
func (f *flight) takeOff(ctx context.Context) context.Context {
	if !trace.IsEnabled() {
		return ctx
	}
	f.ctx, f.task = trace.NewTask(ctx, "vyre.run")
	return f.ctx
}

// within returns ctx, or the context of the run's task.
func (f *flight) within(ctx context.Context) context.Context {
	if f.task == nil {
		return ctx
	}
	return f.ctx
}

// touchDown ends the run.
func (f *flight) touchDown() {
	if f.task != nil {
		f.task.End()
		*f = flight{}
	}
}
