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
		region.end()
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

// Ranges marks spans of time in a profiler. Its methods may be called by several
// goroutines at once.
type Ranges interface {
	Start(text string) (id uint64)
	End(id uint64)
}

// MarkRanges makes the device mark its work in a profiler as well. A device calls it while it
// is being opened.
func (c *Core) MarkRanges(r Ranges) { c.ranges = r }

// region is a span of work, as runtime/trace and a profiler see it.
type region struct {
	traced *trace.Region
	ranges Ranges
	id     uint64
}

// region begins a span of work. While nobody looks, it costs a load.
func (c *Core) region(ctx context.Context, what, label string) region {
	if ctx == nil { // what is asked for is going to be refused
		ctx = context.Background()
	}
	if trace.IsEnabled() {
		trace.Log(ctx, what, label+" on "+c.name)
	}
	r := region{traced: trace.StartRegion(ctx, what)}
	if c.ranges != nil {
		r.ranges, r.id = c.ranges, c.ranges.Start(what+":"+label)
	}
	return r
}

// end ends it, on the goroutine that began it.
func (r region) end() {
	r.traced.End()
	if r.ranges != nil {
		r.ranges.End(r.id)
	}
}

// flight is what is watched of a run: its task in runtime/trace, while there is a trace.
type flight struct {
	ctx  context.Context
	task *trace.Task
	run  region // as the profiler sees it
}

// takeOff begins a run; it returns the context of its task.
func (f *flight) takeOff(ctx context.Context, c *Core, what, label string) context.Context {
	if c.ranges != nil {
		f.run = region{ranges: c.ranges, id: c.ranges.Start(what + ":" + label)}
	}
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
	}
	if f.run.ranges != nil {
		f.run.ranges.End(f.run.id)
	}
	*f = flight{}
}
