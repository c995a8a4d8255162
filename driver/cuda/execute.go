package cuda

import (
	"context"
	"encoding/binary"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

// enqueue puts the commands of a run into the stream, with events around the part that is
// device work. The context is current.
func (r *runner) enqueue(ctx context.Context) error {
	d, s := r.dev, r.stream.handle
	no := func(err error) error { return d.errorOf("start", r.plan.Label, err) }
	if err := r.records.clear(d.drv, s); err != nil {
		return no(err)
	}
	if err := r.record(r.timer.begin); err != nil {
		return no(err)
	}
	for i, c := range r.plan.Cmds {
		if i == r.plan.TimedFrom {
			if err := r.record(r.timer.from); err != nil {
				return no(err)
			}
		}
		if err := r.command(ctx, c); err != nil {
			return err
		}
		if i == r.plan.TimedTo-1 {
			if err := r.record(r.timer.to); err != nil {
				return no(err)
			}
		}
	}
	if err := r.record(r.timer.end); err != nil {
		return no(err)
	}
	if len(r.reports) > 0 {
		if err := d.drv.MemcpyDtoHAsync(unsafe.Pointer(&r.reports[0]), r.records.trapAt(0), int64(len(r.reports)), s); err != nil {
			return no(err)
		}
	}
	return nil
}

// record puts an event of the timer into the stream, if there is one.
func (r *runner) record(e cu.Event) error {
	if e == 0 {
		return nil
	}
	return r.dev.drv.EventRecord(e, r.stream.handle)
}

func (r *runner) command(ctx context.Context, c driver.Cmd) error {
	d, s := r.dev, r.stream.handle
	var err error
	var path, what string
	switch c := c.(type) {
	case *driver.FillCmd:
		path, what, err = c.Path, "fill", r.fill(c)
		d.Count(driver.Fills, 1)
		d.Count(driver.FillBytes, uint64(c.Dst.Len))
	case *driver.UploadCmd:
		if !r.resident.Send[c.Index] {
			return nil
		}
		path, what = c.Path, "upload"
		err = d.drv.MemcpyHtoDAsync(addressOf(c.Dst), unsafe.Pointer(&r.staged[c.Index][0]), c.Dst.Len, s)
		d.Count(driver.Uploads, 1)
		d.Count(driver.UploadBytes, uint64(c.Dst.Len))
	case *driver.CopyCmd:
		path, what = c.Path, "copy"
		err = d.drv.MemcpyDtoDAsync(addressOf(c.Dst), addressOf(c.Src), c.Dst.Len, s)
		d.Count(driver.Copies, 1)
		d.Count(driver.CopyBytes, uint64(c.Dst.Len))
	case *driver.ReadCmd:
		path, what = c.Path, "read"
		err = d.drv.MemcpyDtoHAsync(unsafe.Pointer(&r.fetched[c.Index][0]), addressOf(c.Src), c.Src.Len, s)
		d.Count(driver.Reads, 1)
		d.Count(driver.ReadBytes, uint64(c.Src.Len))
		d.Count(driver.ReadGapBytes, uint64(c.Gap))
	case *driver.LaunchCmd:
		path, what, err = c.Path, "launch", r.launch(c)
	case *driver.LoopCmd:
		if c.While {
			return r.while(ctx, c)
		}
		return r.repeat(ctx, c)
	}
	if err != nil {
		return r.refused(what, path, c, err)
	}
	return nil
}

// refused says which command the driver did not take.
func (r *runner) refused(what, path string, c driver.Cmd, err error) *driver.Error {
	label := r.plan.Label
	if l, ok := c.(*driver.LaunchCmd); ok {
		label = l.Kernel.Label()
	}
	e := r.dev.errorOf(what, label, err)
	e.Path = path
	return e
}

// fill stores a value over a range again and again. There is no call for 8 bytes: the words
// of the two halves then lie in two columns, 8 bytes apart.
func (r *runner) fill(c *driver.FillCmd) error {
	drv, s, at, n := r.dev.drv, r.stream.handle, addressOf(c.Dst), c.Dst.Len/int64(c.Width)
	switch c.Width {
	case 1:
		return drv.MemsetD8Async(at, uint8(c.Value), n, s)
	case 2:
		return drv.MemsetD16Async(at, uint16(c.Value), n, s)
	case 4:
		return drv.MemsetD32Async(at, uint32(c.Value), n, s)
	}
	lo, hi := uint32(c.Value), uint32(c.Value>>32)
	if lo == hi {
		return drv.MemsetD32Async(at, lo, 2*n, s)
	}
	if err := drv.MemsetD2D32Async(at, 8, lo, 1, n, s); err != nil {
		return err
	}
	return drv.MemsetD2D32Async(at+4, 8, hi, 1, n, s)
}

// launch starts a kernel. One with a grid barrier is launched cooperatively, so that the
// driver guarantees what the barrier relies on: all groups are resident.
func (r *runner) launch(c *driver.LaunchCmd) error {
	d, l := r.dev, &r.launches[c.Index]
	d.CountLaunch(c, r.graph)
	if c.Grid.Empty() {
		return nil
	}
	if l.barrier < 0 {
		return d.drv.LaunchKernel(&l.call)
	}
	at, err := r.records.barrier(d.drv, r.stream.handle)
	if err != nil {
		return err
	}
	l.values[l.barrier] = uint64(at)
	return d.drv.LaunchCooperativeKernel(&l.call)
}

func (r *runner) repeat(ctx context.Context, c *driver.LoopCmd) error {
	for range c.Count {
		if err := r.body(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) body(ctx context.Context, c *driver.LoopCmd) error {
	for _, b := range c.Body {
		if err := r.command(ctx, b); err != nil {
			return err
		}
	}
	r.dev.Count(driver.LoopIterations, 1)
	return nil
}

// while fetches the flag before every round and waits for it. If the context ends, the loop
// stops after a whole number of rounds, and so does the run.
func (r *runner) while(ctx context.Context, c *driver.LoopCmd) error {
	var out driver.LoopResult
	for {
		set, err := r.flagSet(c)
		if err != nil {
			return err
		}
		if out.Converged = !set; !set || out.Iterations == c.Count {
			break
		}
		if err := ctx.Err(); err != nil {
			return &driver.Error{Op: "run", Label: r.plan.Label, Device: r.dev.Name(), Path: c.Path, Kind: driver.Canceled,
				Msg: "the loop was stopped between two rounds, and the run with it", Err: err}
		}
		if err := r.body(ctx, c); err != nil {
			return err
		}
		out.Iterations++
	}
	r.loops[c.Index] = out
	return nil
}

// flagSet fetches the flag of a loop. What was enqueued so far becomes a part of the run that
// ends here, with a ticket of its own.
func (r *runner) flagSet(c *driver.LoopCmd) (bool, error) {
	drv, s := r.dev.drv, r.stream.handle
	ticket := r.open
	err := drv.MemcpyDtoHAsync(unsafe.Pointer(&r.flag[0]), addressOf(c.Flag), 4, s)
	if err == nil {
		err = r.endPart(false)
	}
	if err != nil {
		e := r.faulted(err)
		e.Path = c.Path
		return false, e
	}
	r.await(context.Background(), ticket, &r.thread)
	if fault := r.ending(ticket); fault != nil {
		fault.Path = c.Path
		return false, fault
	}
	if err := r.thread.bind("start", r.plan.Label); err != nil {
		return false, err
	}
	if err := r.beginPart(context.Background()); err != nil {
		return false, r.notStarted(err)
	}
	return binary.LittleEndian.Uint32(r.flag) != 0, nil
}
