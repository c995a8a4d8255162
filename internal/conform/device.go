package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// On runs the suite on a device. Every case compiles its program, uploads all buffers as
// parts of one allocation with guard bytes between them, launches, and reads all of it back.
func On(d driver.Device) Device { return OnWith(d, driver.Options{}) }

// OnWith is On with programs compiled under options.
func OnWith(d driver.Device, o driver.Options) Device { return onDriver{d, o} }

type onDriver struct {
	dev     driver.Device
	options driver.Options
}

func (d onDriver) Name() string {
	if o := d.options.Optimise; o != "" {
		return d.dev.Name() + " optimising " + o
	}
	return d.dev.Name()
}

func (d onDriver) Run(ctx context.Context, p *ir.Program, l Launch) (out Outcome, err error) {
	k, err := d.dev.Compile(ctx, p, d.options)
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
	seq.Launch(k, l.groups(), a.args(p, l, mem)...)
	seq.Read(driver.All(mem), a.mem)
	res, err := seq.Run(ctx)
	var trapped *driver.TrapError
	var outside *driver.BoundsError
	if errors.As(err, &trapped) {
		out.Trap = &Trap{Code: trapped.Code, Value: trapped.Value, Group: trapped.Group, Local: trapped.Local,
			Message: trapped.Message, Line: lineOf(err)}
	} else if errors.As(err, &outside) { // found by memcheck, and defined
		for _, r := range res.Reports {
			out.Reports = append(out.Reports, Report{OutOfBounds, r.Text})
		}
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

// groups is the grid as a sequence takes it. In a case every axis is said, and 0 on one of them is a
// launch of nothing, within the limits of the others.
func (l *Launch) groups() driver.Grid {
	g := driver.Grid(l.Grid)
	if slices.Contains(g[:], 0) {
		g[0], g[1], g[2] = 0, max(g[1], 1), max(g[2], 1)
	}
	return g
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

// Residency fills the device with one launch whose groups all wait for each other: exactly as many
// groups as the device promises to run at once. One more must be refused.
func Residency(ctx context.Context, d driver.Device) error {
	b := build.New("resident", build.Workgroup(128))
	count, seen := b.Buffer("count", ir.U32, ir.RW), b.Buffer("seen", ir.U32, ir.RW)
	lead := b.Eq(b.Local(0), b.U32(0))
	b.If(lead, func() { b.AtomicAdd(count, b.U32(0), b.U32(1), ir.Relaxed, ir.Device) })
	b.GridBarrier()
	b.If(lead, func() { b.Store(seen, b.Group(0), b.Load(count, b.U32(0))) })
	p := must(b.Program())
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		return err
	}
	groups := k.Occupancy(0).Cooperative
	if err := k.Close(); err != nil {
		return err
	}
	var want []uint64
	for range groups {
		want = append(want, uint64(groups))
	}
	c := Case{Program: p, Launch: Launch{Grid: [3]uint32{uint32(groups), 1, 1}, Args: []Arg{{Data: make([]byte, 4)}, {Data: make([]byte, 4*groups)}}},
		Want: [][]byte{pack(ir.U32, uint64(groups)), pack(ir.U32, want...)}}
	if err := Try(ctx, On(d), &c); err != nil {
		return fmt.Errorf("%d groups, which the device promises to run at once: %w", groups, err)
	}
	c.Launch.Grid[0]++
	c.Refused = fmt.Sprintf("%d groups", groups+1)
	return Try(ctx, On(d), &c)
}
