package conform_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var randomPrograms = flag.Uint64("random", 0, "number of random programs to run; 0 takes a few")

// schedules are what random programs run under, besides going forward.
var schedules = []interp.Options{
	{Schedule: interp.Reversed},
	{Schedule: interp.Seeded(1)},
	{},
}

func TestRandomProgramsAgreeUnderEverySchedule(t *testing.T) {
	n := *randomPrograms
	if n == 0 {
		n = uint64(long.Count(300, 3_000, 20_000))
	}
	var devices []conform.Device
	for _, o := range schedules {
		devices = append(devices, conform.Interp(o))
	}
	var s conform.Summary
	first := long.Seed(t, 0)
	if err := conform.RunRandom(context.Background(), first, n, runtime.GOMAXPROCS(0), &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	shapes := conform.RandomRun{Seed: first, N: n / 10, Make: conform.RandomShapes, Workers: runtime.GOMAXPROCS(0)}
	if err := shapes.Run(t.Context(), &s, devices...); err != nil {
		t.Fatal(err)
	}
	products := conform.RandomRun{Seed: first, N: n / 5, Make: conform.RandomMatrices, Workers: runtime.GOMAXPROCS(0)}
	if err := products.Run(t.Context(), &s, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
	t.Logf("%d programs, each forward, reversed, seeded and with detectors: %d differ", s.Cases, s.Failed)
}

// stuck is a device whose runs go on when their context has ended, until it is told.
type stuck struct {
	conform.Device
	begun, until chan struct{}
}

func (s stuck) Run(context.Context, *ir.Program, conform.Launch) (conform.Outcome, error) {
	s.begun <- struct{}{}
	<-s.until
	return conform.Outcome{}, context.Canceled
}

//ci:race DoNotEnd|AsManyGroups
func TestProgramsThatDoNotEndAreNamed(t *testing.T) {
	t.Parallel() // it waits
	ctx, cancel := context.WithCancel(t.Context())
	dev := stuck{conform.Interp(interp.Options{}), make(chan struct{}), make(chan struct{})}
	defer close(dev.until)
	go func() {
		<-dev.begun
		<-dev.begun
		cancel()
	}()
	var s conform.Summary
	err := conform.RunRandom(ctx, 40, 100, 2, &s, func() {}, dev)
	if err == nil || !strings.Contains(err.Error(), "programs [40 41] under way") || s.Cases != 0 {
		t.Errorf("got %v after %d programs", err, s.Cases)
	}
}

// wrong is a device on which every program fails, and which does something at its third.
type wrong struct {
	conform.Device
	runs  *int
	third func()
}

func (w wrong) Run(context.Context, *ir.Program, conform.Launch) (conform.Outcome, error) {
	if *w.runs++; *w.runs == 3 {
		w.third()
	}
	return conform.Outcome{}, errors.New("wrong")
}

// Programs of many rows are made small for seconds. What the end of a run cuts short is the making, not the verdict.
func TestProgramThatIsBeingMadeSmallWhenTimeIsOverHasFailed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	var s conform.Summary
	run := conform.RandomRun{Seed: 40, N: 1, Make: conform.RandomGo}
	err := run.Run(ctx, &s, wrong{conform.Interp(interp.Options{}), &runs, cancel})
	if !errors.Is(err, context.Canceled) || s.Failed != 1 || runs > 4 {
		t.Errorf("got %v, %d programs failed, %d runs", err, s.Failed, runs)
	}
}

func TestRandomRunThatIsStoppedGivesVerdictsOnWhatItHasBegun(t *testing.T) {
	stop := make(chan struct{})
	var s conform.Summary
	run := conform.RandomRun{Seed: 40, N: 1 << 60, Workers: 3, Stop: stop, Step: func() {
		if s.Cases == 10 { // Step is never called twice at once
			close(stop)
		}
	}}
	if err := run.Run(t.Context(), &s, conform.Interp(interp.Options{})); err != nil {
		t.Fatal(err)
	}
	if s.Cases < 10 || s.Cases > 12 || s.Failed != 0 {
		t.Errorf("stopped after 10 with 3 workers: %d programs, of which %d failed", s.Cases, s.Failed)
	}
}

// fragile is a device that a program with a loop in it loses, for good.
type fragile struct {
	conform.Device
	lost atomic.Bool
}

func newFragile() *fragile { return &fragile{Device: conform.Interp(interp.Options{})} }

func (d *fragile) Run(ctx context.Context, p *ir.Program, l conform.Launch) (conform.Outcome, error) {
	if d.lost.Load() || strings.Contains(text.Of(p), "loop ^") {
		d.lost.Store(true)
		return conform.Outcome{}, &driver.Error{Kind: driver.DeviceFault, Sticky: true, Err: errors.New("illegal instruction")}
	}
	return d.Device.Run(ctx, p, l)
}

func TestRandomRunFindsTheProgramThatLosesTheDevice(t *testing.T) {
	n := uint64(long.Count(30, 200, 200))
	run := conform.RandomRun{N: n, Workers: 4, Alone: func(ctx context.Context, choices []uint16) error {
		return conform.FromChoices(choices).Agree(ctx, newFragile())
	}}
	var s conform.Summary
	found := map[string]bool{}
	for run.N > 0 {
		before := s.Failed
		err := run.Run(t.Context(), &s, newFragile())
		if err == nil {
			break
		}
		lost := new(conform.LostError)
		if !errors.As(err, &lost) || len(lost.UnderWay) != 0 {
			t.Fatalf("got %v", err)
		}
		if s.Failed == before {
			t.Fatalf("nobody is accused: %v", err)
		}
		run.Seed, run.N = lost.Next, n-lost.Next
	}
	if uint64(s.Cases) != n {
		t.Errorf("%d programs have a verdict, want %d", s.Cases, n)
	}
	for _, f := range s.Failures {
		found[f.Case.Name] = true
		text := f.Err.Error()
		if !strings.Contains(text, "loses the device, also alone") || strings.Count(text, "\n") > 90 {
			t.Errorf("seed %s is described so:\n%s", f.Case.Name, text)
		}
	}
	for seed := range n {
		if loops := strings.Contains(text.Of(conform.Random(seed).Program), "loop ^"); loops != found[fmt.Sprint(seed)] && s.Failed < 100 {
			t.Errorf("seed %d: has a loop %v, is accused %v", seed, loops, !loops)
		}
	}
}

func TestRandomRunWithoutAProcessNamesTheProgramsUnderWay(t *testing.T) {
	var s conform.Summary
	err := conform.RandomRun{N: 500, Workers: 3}.Run(t.Context(), &s, newFragile())
	lost := new(conform.LostError)
	if !errors.As(err, &lost) || len(lost.UnderWay) == 0 || len(lost.UnderWay) > 3 || s.Failed != 0 || uint64(s.Cases+len(lost.UnderWay)) != lost.Next {
		t.Errorf("%d passed, %d failed: %v", s.Passed, s.Failed, err)
	}
}

func TestProcessesReadTheDecisionsTheyAreGiven(t *testing.T) {
	r := conform.Random(3)
	alone := conform.InProcess(func(ctx context.Context, file string) *exec.Cmd {
		read, err := conform.ReadChoices(file)
		if err != nil || read.Program.Digest() != r.Program.Digest() {
			t.Errorf("another program was read: %v", err)
		}
		return exec.CommandContext(ctx, os.Args[0], "-test.run=^$", "-test.unknown-flag")
	})
	if err := alone(t.Context(), r.Choices()); err == nil || !strings.Contains(err.Error(), "unknown-flag") {
		t.Errorf("a process that fails gave %v", err)
	}
}

func TestShrinkingFindsASmallProgramThatStillFails(t *testing.T) {
	// "Fails" stands for a property that survives in a tiny program: it has a loop.
	loops := func(r *conform.RandomProgram) bool { return strings.Contains(text.Of(r.Program), "loop ^") }
	for seed := range uint64(200) {
		r := conform.Random(seed)
		if !loops(r) || r.Program.Rows() < 100 {
			continue
		}
		small := conform.Shrink(t.Context(), r, 2000, loops)
		if !loops(small) {
			t.Fatal("the shrunk program does not fail")
		}
		if small.Program.Rows() > 40 {
			t.Errorf("seed %d shrank from %d to %d rows only:\n%s", seed, r.Program.Rows(), small.Program.Rows(), text.Of(small.Program))
		}
		return
	}
	t.Fatal("no program has a loop")
}

func TestEqualSeedsGiveEqualPrograms(t *testing.T) {
	for seed := range uint64(50) {
		a, b := conform.Random(seed), conform.Random(seed)
		if a.Program.Digest() != b.Program.Digest() {
			t.Errorf("seed %d gave two programs", seed)
		}
		if c := conform.FromChoices(a.Choices()); c.Program.Digest() != a.Program.Digest() {
			t.Errorf("seed %d: its choices give another program", seed)
		}
		for family, kind := range map[string]func(uint64) *conform.RandomProgram{"shapes": conform.RandomShapes, "gokernels": conform.RandomGo, "goorder": conform.RandomGoOrder, "branches": conform.RandomBranches} {
			p := kind(seed)
			if c := conform.FromChoices(p.Choices()); c.Describe() != p.Describe() || p.Family != family || c.Family != family {
				t.Errorf("seed %d: the choices of its %s give another program", seed, family)
			}
		}
	}
}

func TestDescribedProgramIsACase(t *testing.T) {
	for seed := range uint64(100) {
		r := conform.Random(seed)
		cs, err := conform.ParseFile("described", []byte(r.Describe()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, r.Describe())
		}
		if len(cs) != 1 {
			t.Fatalf("seed %d: %d cases", seed, len(cs))
		}
		c := cs[0]
		if c.Program.Digest() != r.Program.Digest() || c.Launch.Grid != r.Launch.Grid {
			t.Fatalf("seed %d: another program or grid", seed)
		}
		for i := range r.Launch.Args {
			if string(c.Launch.Args[i].Data) != string(r.Launch.Args[i].Data) || c.Launch.Args[i].Bits != r.Launch.Args[i].Bits {
				t.Fatalf("seed %d: argument %d differs", seed, i)
			}
		}
	}
}

// FuzzProgram takes any bytes as the decisions of the generator.
//
//ci:inputs 1000
func FuzzProgram(f *testing.F) {
	for seed := range uint64(8) {
		for _, kind := range []func(uint64) *conform.RandomProgram{conform.Random, conform.RandomGo, conform.RandomGoOrder} {
			var b []byte
			for _, c := range kind(seed).Choices() {
				b = binary.LittleEndian.AppendUint16(b, c)
			}
			f.Add(b)
		}
	}
	d := conform.Interp(interp.Options{Schedule: interp.Reversed})
	f.Fuzz(func(t *testing.T, b []byte) {
		var choices []uint16
		for ; len(b) >= 2; b = b[2:] {
			choices = append(choices, binary.LittleEndian.Uint16(b))
		}
		r := conform.FromChoices(choices)
		if err := r.Agree(context.Background(), d); err != nil {
			t.Errorf("%v\n%s", err, r.Describe())
		}
	})
}
