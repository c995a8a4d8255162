package cpu

import (
	"cmp"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/internal/outside"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
)

// commands executes the plan and measures the part of it that is device work, and what is before
// and after that.
func (r *runner) commands() error {
	for i := range r.times {
		r.times[i].Times, r.times[i].Time = 0, 0
	}
	if r.plan.Rows > 1 && r.times == nil { // commands are timed one after the other
		return r.rows()
	}
	begin := time.Now()
	from, to := begin, begin
	for i, c := range r.plan.Cmds {
		if i == r.plan.TimedFrom {
			from = time.Now()
		}
		if err := r.command(c); err != nil {
			return err
		}
		if err := r.over(""); err != nil {
			return err
		}
		if i == r.plan.TimedTo-1 {
			to, r.timed = time.Now(), !r.plan.NoDeviceTime
		}
	}
	if r.timed {
		r.device, r.in, r.out = to.Sub(from), from.Sub(begin), time.Since(to)
	}
	return nil
}

// rows executes the rows of a batch at the same time, and measures all of them together. The error is of the first row that
// could not go on.
func (r *runner) rows() error {
	begin, n := time.Now(), len(r.plan.Cmds)/r.plan.Rows
	errs := make([]error, r.plan.Rows)
	var all sync.WaitGroup
	for row := range errs {
		all.Go(func() {
			for _, c := range r.plan.Cmds[row*n : (row+1)*n] {
				if errs[row] = cmp.Or(r.command(c), r.over("")); errs[row] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	r.device, r.in, r.out, r.timed = time.Since(begin), 0, 0, !r.plan.NoDeviceTime && n > 0
	return cmp.Or(errs...)
}

func (r *runner) command(c driver.Cmd) error {
	if u, ok := c.(*driver.UploadCmd); r.times == nil || ok && !r.resident.Send[u.Index] {
		return r.do(c)
	}
	begin := time.Now()
	err := r.do(c)
	row := &r.times[r.timesAt[c]]
	row.Times++
	row.Time += time.Since(begin)
	return err
}

func (r *runner) do(c driver.Cmd) error {
	switch c := c.(type) {
	case *driver.FillCmd:
		r.fill(bytes(c.Dst), c.Value, c.Width)
		r.plan.Tally.Count(metric.Fills, 1)
		r.plan.Tally.Count(metric.FillBytes, uint64(c.Dst.Len))
	case *driver.UploadCmd:
		if r.resident.Send[c.Index] {
			r.copy(bytes(c.Dst), r.staged[c.Index])
			r.plan.Tally.Count(metric.Uploads, 1)
			r.plan.Tally.Count(metric.UploadBytes, uint64(c.Dst.Len))
		}
	case *driver.CopyCmd:
		r.copy(bytes(c.Dst), bytes(c.Src))
		r.plan.Tally.Count(metric.Copies, 1)
		r.plan.Tally.Count(metric.CopyBytes, uint64(c.Dst.Len))
	case *driver.ReadCmd:
		r.copy(r.fetched[c.Index], bytes(c.Src))
		r.plan.Tally.Count(metric.Reads, 1)
		r.plan.Tally.Count(metric.ReadBytes, uint64(c.Src.Len))
		r.plan.Tally.Count(metric.ReadGapBytes, uint64(c.Gap))
	case *driver.LaunchCmd:
		return r.launch(c)
	case *driver.LoopCmd:
		return r.loop(c)
	}
	return nil
}

// stretch is how many bytes are moved until a run looks whether it is over: a millisecond or two.
const stretch = 8 << 20

// copy copies src, unless the run is over before that.
func (r *runner) copy(dst, src []byte) {
	for at := 0; at < len(src) && r.life.Err() == nil; at += stretch {
		copy(dst[at:], src[at:min(at+stretch, len(src))])
	}
}

// fill stores the low width bytes of value over mem again and again, unless the run is over before that.
func (r *runner) fill(mem []byte, value uint64, width int) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], value)
	// Doubling what is there already copies in long runs.
	for n := copy(mem, word[:width]); n < len(mem) && r.life.Err() == nil; n += min(n, stretch) {
		copy(mem[n:], mem[:min(n, stretch)])
	}
}

func (r *runner) loop(c *driver.LoopCmd) error {
	var out driver.LoopResult
	for !c.While || binary.LittleEndian.Uint32(bytes(c.Flag)) != 0 {
		if out.Iterations == c.Count {
			break
		}
		if err := r.over(c.Path); err != nil {
			return err
		}
		for _, b := range c.Body {
			if err := r.command(b); err != nil {
				return err
			}
		}
		out.Iterations++
		if r.graph || c.Lowering == driver.LoopGraph {
			r.plan.Tally.Count(metric.LoopIterationsGraph, 1)
		} else {
			r.plan.Tally.Count(metric.LoopIterations, 1)
		}
	}
	if c.While {
		out.Converged = binary.LittleEndian.Uint32(bytes(c.Flag)) == 0
		r.loops[c.Index] = out
	}
	return nil
}

// launch hands a launch to the kernel's engine. A trap fails the run, which goes on all the same.
func (r *runner) launch(c *driver.LaunchCmd) error {
	r.plan.Tally.CountLaunch(c, r.graph, 1)
	if c.Grid.Empty() {
		return nil
	}
	o := r.dev.run
	o.TraceCap = c.Traces
	k := c.Kernel.(*kernel)
	o.Matrix = k.res.Matrix
	res, err := r.dev.runOn(&r.life, k.code, &r.launches[c.Index].in, o, r.plan.Tally)
	r.note(c, &res)
	if err == nil {
		return nil
	}
	var canceled *launch.CanceledError
	if errors.As(err, &canceled) {
		return r.over(c.Path)
	}
	return runError(c, err)
}

// note keeps what a launch left besides its bytes. In a loop all rounds share the room for traces.
func (r *runner) note(c *driver.LaunchCmd, res *interp.Result) {
	e := &r.ends[c.Index]
	e.some = true
	room := min(len(res.Traces), c.Traces-len(e.traces))
	e.dropped += uint64(len(res.Traces)-room) + res.TracesDropped
	for _, t := range res.Traces[:room] {
		e.traces = append(e.traces, driver.Trace{Step: c.Index, Tag: t.Tag, Global: t.Linear, Values: t.Values, Count: t.Count})
	}
	for _, rep := range res.Reports {
		e.reports = append(e.reports, driver.Report{Path: c.Path, Kernel: rep.Kernel, Error: rep.Kind == interp.Race, Benign: rep.Kind == interp.BenignRace, Text: rep.String()})
	}
	for _, f := range res.Checks {
		e.checks.Note(f)
	}
	if t := res.Trap; t != nil && e.trap == nil {
		rec := &driver.TrapError{Kernel: c.Kernel.Label(), Code: t.Code, Site: uint32(t.Row), Value: t.Value, Group: t.By.Group, Local: t.By.Local, Message: t.Message}
		e.trap = &driver.Error{Op: "launch", Label: c.Kernel.Label(), Device: Name, Path: c.Path, Kind: driver.Trap, Pos: t.Pos.Where(), Msg: rec.Detail(), Err: rec}
	}
}

// tell hands out what launches left, and returns the error of the first one that trapped or was out of bounds. A run goes to
// its end all the same.
func (r *runner) tell(res *driver.Result) (first error) {
	for i := range r.ends {
		e := &r.ends[i]
		if !e.some {
			continue
		}
		c := r.plan.Launches[i]
		to, failed := r.plan.Told(c, res), e.trap
		to.Traces, to.TracesDropped = append(to.Traces, e.traces...), to.TracesDropped+e.dropped
		to.Reports = append(to.Reports, e.reports...)
		l := outside.Launch{Device: Name, Cmd: c, Sites: c.Kernel.(*kernel).code.sites}
		var err *driver.Error
		if to.Reports, err = l.Findings(e.checks, to.Reports); err != nil {
			failed = err
		}
		if failed != nil {
			r.plan.Trapped(c, failed)
			first = cmp.Or(first, failed)
		}
	}
	return first
}

// widen extends a narrow scalar to the value type that the program sees.
func widen(t ir.Type, v uint64) uint64 {
	switch t {
	case ir.I8:
		return uint64(uint32(int32(int8(v))))
	case ir.I16:
		return uint64(uint32(int32(int16(v))))
	}
	return v
}
