package conform

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// On runs the suite on a device. Every case compiles its program, uploads all buffers as
// parts of one allocation with guard bytes between them, launches, and reads all of it back.
func On(d driver.Device) Device { return onDriver{d} }

type onDriver struct{ dev driver.Device }

func (d onDriver) Name() string { return d.dev.Name() }

func (d onDriver) Run(ctx context.Context, p *ir.Program, l Launch) (out Outcome, err error) {
	k, err := d.dev.Compile(ctx, p, driver.Options{})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	a, err := newArena(p, l)
	if err != nil {
		return out, err
	}
	mem, err := d.dev.Alloc(int64(len(a.mem)), driver.AllocOptions{Label: "arena"})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()
	seq := d.dev.NewSequence("case")
	defer func() { err = errors.Join(seq.Close(), err) }()

	seq.Upload(driver.All(mem), a.mem, driver.Always)
	seq.Launch(k, driver.Grid(l.Grid), a.args(p, l, mem)...)
	seq.Read(driver.All(mem), a.mem)
	res, err := seq.Run(ctx)
	var trapped *driver.TrapError
	if errors.As(err, &trapped) {
		out.Trap = &Trap{Code: trapped.Code, Value: trapped.Value, Group: trapped.Group, Local: trapped.Local,
			Message: trapped.Message, Line: lineOf(err)}
	} else if err != nil {
		return out, err
	}
	out.Dropped = res.TracesDropped
	for _, t := range res.Traces {
		out.Traces = append(out.Traces, Trace{Tag: t.Tag, Linear: t.Global, Values: append([]uint64(nil), t.Values[:t.Count]...)})
	}
	out.Buffers, err = a.buffers()
	return out, err
}

// args are the arguments of a launch whose buffers lie in mem as in the arena.
func (a *arena) args(p *ir.Program, l Launch, mem driver.Buffer) []driver.Arg {
	var args []driver.Arg
	for i, param := range p.Params() {
		if param.IsBuffer() {
			args = append(args, driver.Part(mem, int64(a.ranges[i].off), int64(a.ranges[i].len)))
		} else {
			args = append(args, driver.Scalar{Type: param.Type, Bits: l.Args[i].Bits & param.Type.Mask()})
		}
	}
	if p.Traits().SharedRest {
		args = append(args, driver.Rest(l.Rest))
	}
	return args
}

// lineOf finds the source line in the position of a device's error, "file:line" or
// "file:line:col".
func lineOf(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	fields := strings.Split(e.Pos, ":")
	for _, f := range fields[min(1, len(fields)):] {
		if n, err := strconv.Atoi(f); err == nil {
			return n
		}
	}
	return 0
}
