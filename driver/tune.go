package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/ir"
)

// How long a group size is measured.
const (
	mostCandidates = 4
	fewestRuns     = 3 // of a kernel that takes long
	enoughRuns     = 20
	mostRuns       = 1000
	longEnough     = 5 * time.Millisecond  // with enough runs
	tooLong        = 50 * time.Millisecond // with fewer
)

// Tune measures which group size of a program is fastest on the device, for launches over o.Items invocations along x
// with these arguments: ranges and scalars, as in Sequence.Launch. Later compilations with these options, AutoWorkgroup and
// about as many items get that size, also in other processes if the device has a place on disk.
//
// The candidates are the declared size, and at most three others for which the model of the device predicts at most a
// quarter more than the least cost. Runs of them take turns. The declared size stays, unless the median of another one is
// more than 3 % less.
//
// Before each run the contents of the buffers are those of the call, and so they are when Tune returns, with an error or
// without, as long as the device works. A copy of what the kernel writes is in device memory meanwhile. If ctx ends, Tune waits for the launch under way as long as Close would. Nothing
// else should be at work on the device.
//
// Tune refuses a program that AutoWorkgroup would leave as it is, with an error of kind Unsupported.
func Tune(ctx context.Context, d Device, p *ir.Program, o Options, args ...Arg) (t Tuning, err error) {
	if err := tunable(d, p, o); err != nil {
		return t, err
	}
	items := o.Items
	o.Workgroup, o.Items = [3]uint32{}, 0
	x := tuner{ctx: ctx, dev: d, program: p, options: o, items: items, args: args}
	defer func() {
		if err = errors.Join(err, x.close()); err != nil {
			t = Tuning{}
		}
	}()
	if err := x.prepare(); err != nil {
		return t, err
	}
	if err := x.measure(); err != nil {
		return t, err
	}
	t = x.decide()
	c := d.core()
	key := tuningKey(d.Caps(), p, o, items)
	c.noteSize(key, t.Workgroup)
	t.File = c.keepMeasured(key, t.encode())
	return t, nil
}

// tunable refuses what there is nothing to measure of.
func tunable(d Device, p *ir.Program, o Options) error {
	no := func(kind Kind, msg, fix string) error {
		e := &Error{Op: "tune", Label: LabelOf(p, o), Kind: kind, Msg: msg, Fix: fix}
		if d == nil {
			return e
		}
		e.Device = d.Name()
		return d.core().Fail(e)
	}
	switch {
	case d == nil:
		return no(InvalidArgument, "the device is nil", "open one, and look at the error of Open")
	case p == nil || p.GroupSize() == 0:
		return no(InvalidArgument, "there is no sealed program", "pass one that was sealed")
	case o.Items == 0:
		return no(InvalidArgument, "Options.Items is 0", "say how many invocations along x have work")
	case o.Workgroup != [3]uint32{} && o.Workgroup != AutoWorkgroup:
		return no(InvalidArgument, fmt.Sprintf("Options.Workgroup is %v", o.Workgroup), "leave it out, for Tune is to choose it")
	}
	if err := sizable(p); err != nil {
		return no(Unsupported, err.Error(), "leave the group size as it is")
	}
	return nil
}

// tuner is a measurement under way.
type tuner struct {
	ctx     context.Context
	dev     Device
	program *ir.Program
	options Options
	items   uint64
	args    []Arg

	tried         []*trial // the declared size is the first
	kept          []Buffer // what the kernel writes, as it was at first
	save, restore *Sequence
	saved         bool
}

// trial is a group size that is measured.
type trial struct {
	kernel Kernel
	seq    *Sequence
	times  []time.Duration
	spent  time.Duration // as the caller sees it
}

// prepare compiles the candidates, and keeps what they are going to write.
func (x *tuner) prepare() error {
	if err := x.try(x.program.GroupSize()); err != nil {
		return err
	}
	declared := x.tried[0].kernel
	sizes, least := groupSizes(x.dev.Caps(), declared.Resources(), x.program.GroupSize(), x.items)
	sizes = slices.DeleteFunc(sizes, func(s groupSize) bool { return s.threads == x.program.GroupSize() || !s.within(least, 4) })
	for _, s := range sizes[:min(len(sizes), mostCandidates-1)] {
		if err := x.try(s.threads); err != nil && !errors.Is(err, Unsupported) && !errors.Is(err, Compile) {
			return err // of other kinds: code for another size may take more than the model says
		}
	}
	return x.keep(declared.Signature())
}

// try adds a candidate.
func (x *tuner) try(threads int) error {
	o := x.options
	o.Workgroup = along(threads)
	k, err := x.dev.Compile(x.ctx, x.program, o)
	if err != nil {
		return err
	}
	s := x.dev.NewSequence("tune " + k.Label())
	s.Launch(k, Cover(x.items, uint32(threads)), x.args...)
	x.tried = append(x.tried, &trial{kernel: k, seq: s})
	return s.Prepare()
}

// keep copies what the kernel writes.
func (x *tuner) keep(params []ir.Param) error {
	x.save, x.restore = x.dev.NewSequence("tune, keep"), x.dev.NewSequence("tune, give back")
	for i := range params {
		r, ok := x.args[i].(Range)
		if !ok || !params[i].Access.Writes() || r.Len == 0 {
			continue
		}
		b, err := x.dev.Alloc(r.Len, AllocOptions{Label: params[i].Name + " as it was"})
		if err != nil {
			return err
		}
		x.kept = append(x.kept, b)
		x.save.Copy(All(b), r.Of(nil))
		x.restore.Copy(r.Of(nil), All(b))
	}
	if len(x.kept) == 0 {
		return nil
	}
	if err := x.restore.Prepare(); err != nil {
		return err
	}
	_, err := x.save.Run(x.ctx)
	x.saved = err == nil
	return err
}

// measure runs the candidates in turns.
func (x *tuner) measure() error {
	for _, t := range x.tried { // the first run does what later ones need not do
		if _, err := x.run(t); err != nil {
			return err
		}
	}
	for again := true; again; {
		again = false
		for _, t := range x.tried {
			if t.enough(x.dev.Caps().Simulated) {
				continue
			}
			again = true
			res, err := x.run(t)
			if err != nil {
				return err
			}
			took := res.Wall
			if res.HasDevice {
				took = res.Device
			}
			t.times, t.spent = append(t.times, took), t.spent+res.Wall
		}
	}
	return nil
}

// enough reports whether more runs would tell nothing more. The clock of a simulated device is exact.
func (t *trial) enough(exact bool) bool {
	n := len(t.times)
	return exact && n >= fewestRuns || n >= mostRuns || n >= enoughRuns && t.spent >= longEnough || n >= fewestRuns && t.spent >= tooLong
}

// run launches a candidate, over the contents of the call.
func (x *tuner) run(t *trial) (Result, error) {
	if len(x.kept) > 0 {
		if _, err := x.restore.Run(x.ctx); err != nil {
			return Result{}, err
		}
	}
	return t.seq.Run(x.ctx)
}

// decide chooses by the medians.
func (x *tuner) decide() Tuning {
	t := Tuning{Driver: x.dev.Caps().DriverVersion}
	for _, c := range x.tried {
		slices.Sort(c.times)
		t.Candidates = append(t.Candidates, TuneCandidate{c.kernel.Workgroup(), c.times[len(c.times)/2], len(c.times)})
	}
	t.Workgroup = fastest(t.Candidates)
	return t
}

// fastest returns the group of the least median, or that of the first candidate, which is the declared one, unless it
// takes more than 3 % longer.
func fastest(all []TuneCandidate) [3]uint32 {
	least := slices.MinFunc(all, func(a, b TuneCandidate) int { return cmp.Compare(a.Median, b.Median) })
	if declared := all[0]; 100*(declared.Median-least.Median) <= 3*declared.Median {
		return declared.Workgroup
	}
	return least.Workgroup
}

func (x *tuner) giveBack(ctx context.Context) error {
	if err := x.restore.Settle(ctx); err != nil {
		return err
	}
	_, err := x.restore.Run(ctx)
	return err
}

// close gives the buffers their contents back, and frees what was made.
func (x *tuner) close() error {
	var errs []error
	if x.saved && x.dev.Err() == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), x.dev.core().CloseTimeout())
		defer cancel()
		err := x.giveBack(ctx)
		if err != nil && x.dev.Err() == nil { // memory that was short, say: contents that are lost cost more than a copy
			err = x.giveBack(ctx)
		}
		errs = append(errs, err)
	}
	for _, t := range x.tried {
		errs = append(errs, t.seq.Close(), t.kernel.Close())
	}
	for _, s := range []*Sequence{x.save, x.restore} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, b := range x.kept {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}
