package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/pprof"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/pprofs"
)

// profiled is a sequence, a graph of it, and a batch, whose results are known.
type profiled struct {
	dev driver.Device
	s   *driver.Sequence
	g   *driver.Graph
	dst []byte
}

func newProfiled(dev driver.Device, k driver.Kernel) (*profiled, error) {
	p := &profiled{dev: dev, s: dev.NewSequence("work"), dst: make([]byte, 128)}
	x, y := p.s.Scratch(128), p.s.Scratch(128)
	p.s.Upload(driver.All(x), words(32, 5), driver.IfChanged)
	p.s.Copy(driver.All(y), driver.All(x))
	p.s.Repeat(3, func() { p.s.Launch(k, driver.Groups(1), driver.All(y), driver.U32(1)) })
	p.s.Fill(driver.Part(y, 0, 4), 8, 4)
	p.s.Read(driver.All(y), p.dst)
	if !dev.Caps().Graphs {
		return p, p.s.Prepare()
	}
	var err error
	p.g, err = p.s.Capture(driver.CaptureOptions{})
	return p, err
}

// run runs everything under a profile, and holds that against the results.
func (p *profiled) run(ctx context.Context) (err error) {
	var w bytes.Buffer
	stop, err := driver.Profile(p.dev, &w)
	if err != nil {
		return err
	}
	before, runs := p.dev.Stats(), int64(0)
	note := func(dst []byte) error {
		runs++
		if !bytes.Equal(dst, words(32, 8)) {
			return fmt.Errorf("%w: the words are % x", faults.ErrWrong, dst[:8])
		}
		return nil
	}
	once := func(r driver.Prepared) error {
		clear(p.dst)
		_, err := r.Run(ctx)
		if err == nil {
			err = note(p.dst)
		}
		return err
	}
	err = once(p.s)
	if err == nil && p.g != nil {
		err = once(p.g)
	}
	if err == nil && p.g != nil {
		rows := []driver.Row{{Inputs: [][]byte{words(32, 5)}, Outputs: [][]byte{make([]byte, 128)}}, {Inputs: [][]byte{words(32, 5)}, Outputs: [][]byte{make([]byte, 128)}}}
		var all []driver.Result
		all, err = p.g.RunBatch(ctx, rows)
		for i := range all {
			if e := note(rows[i].Outputs[0]); err == nil {
				err = e
			}
		}
	}
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	made, err := pprofs.Read(&w)
	if err != nil {
		return fmt.Errorf("%w: %w", faults.ErrWrong, err)
	}
	launches, work, took := int64(0), int64(0), p.dev.Stats().Sub(before).Get(metric.DeviceNS) // of rows that run as one, it is counted once
	for _, s := range made.Samples {
		if launches += s.Values[0]; !slices.ContainsFunc(s.Stack, func(f pprof.Frame) bool { return f.Name == "transfers in" || f.Name == "transfers out" }) {
			work += s.Values[1]
		}
	}
	if launches != 3*runs || work != int64(took) {
		return fmt.Errorf("%w: %d launches in %d runs, samples of %d ns for %d", faults.ErrWrong, launches, runs, work, took)
	}
	return nil
}

// TestNoFaultBreaksProfiles: whatever call fails, results and profiles that are made are right, nothing is left, and the
// same sequence, graph and device are profiled again.
func TestNoFaultBreaksProfiles(t *testing.T) {
	p := parse(t, noted)
	for _, lacks := range [][]cu.Group{nil, {cu.MemOp, cu.Pool, cu.Graphing, cu.Cond}} {
		session := faults.OnDevice(func(ctx context.Context, dev driver.Device) (err error) {
			k, err := dev.Compile(ctx, p, driver.Options{})
			if err != nil {
				return err
			}
			work, err := newProfiled(dev, k)
			defer func() { err = errors.Join(err, work.s.Close()) }()
			if err != nil {
				return err
			}
			return errors.Join(faults.Twice(ctx, func() error { return work.run(ctx) }), dev.Flush())
		})
		n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Lacks: lacks}, long.Count(17, 5, 1), session, 719, cu.OutOfMemory)
		t.Logf("%d attempts", n)
	}
}

// A run makes no call more when a profile has ended than before it, and one that is profiled makes the same graph launch.
func TestRunsAfterAProfileMakeTheCallsOfBefore(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	k := compiled(t, d, parse(t, noted))
	work, err := newProfiled(d, k)
	if err != nil {
		t.Fatal(err)
	}
	calls := func() []string {
		from := len(sim.Calls())
		run(t, work.g)
		return slices.Clone(sim.Calls()[from:])
	}
	calls()
	before := calls()
	if err := work.run(ctx); err != nil {
		t.Error(err)
	}
	calls()
	if after := calls(); !slices.Equal(after, before) {
		t.Errorf("calls were %q, are %q", before, after)
	}
	stop, err := driver.Profile(d, new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	calls()
	if during := calls(); !slices.Equal(during, before) {
		t.Errorf("calls were %q, are %q under a profile", before, during)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	closed(t, work.s)
	closed(t, k)
}

// Where the memory for measuring cannot be had, the run fails, and the next one goes without it.
func TestMemoryForAProfileThatCannotBeHad(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	d, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		t.Fatal(err)
	}
	k := compiled(t, d, parse(t, noted))
	work, err := newProfiled(d, k)
	if err != nil {
		t.Fatal(err)
	}
	sim.Fail(cusim.Rule{Call: "cuStreamCreate", Nth: sim.Count("cuStreamCreate") + 1, Result: cu.OutOfMemory})
	if err := work.run(ctx); !errors.Is(err, driver.OutOfMemory) {
		t.Errorf("got %v", err)
	}
	if _, err := work.s.Run(ctx); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := work.run(ctx); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []interface{ Close() error }{work.s, k, d} {
		closed(t, c)
	}
}
