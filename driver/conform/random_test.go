package conform_test

import (
	"context"
	"encoding/binary"
	"flag"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var (
	randomPrograms = flag.Uint64("random", 0, "number of random programs to run; 0 takes a few")
	randomSeed     = flag.Uint64("seed", 0, "the first of them")
)

// schedules are what random programs run under, besides going forward.
var schedules = []interp.Options{
	{Schedule: interp.Reversed},
	{Schedule: interp.Seeded(1)},
	{},
}

func TestRandomProgramsAgreeUnderEverySchedule(t *testing.T) {
	n := *randomPrograms
	if n == 0 {
		n = 300
		if long.Enabled() {
			n = 20_000
		}
	}
	var devices []conform.Device
	for _, o := range schedules {
		devices = append(devices, conform.Interp(o))
	}
	var s conform.Summary
	if err := conform.RunRandom(context.Background(), *randomSeed, n, runtime.GOMAXPROCS(0), &s, func() {}, devices...); err != nil {
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

func TestProgramsThatDoNotEndAreNamed(t *testing.T) {
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

func TestShrinkingFindsASmallProgramThatStillFails(t *testing.T) {
	// "Fails" stands for a property that survives in a tiny program: it has a loop.
	loops := func(r *conform.RandomProgram) bool { return strings.Contains(text.Of(r.Program), "loop ^") }
	for seed := range uint64(200) {
		r := conform.Random(seed)
		if !loops(r) || r.Program.Rows() < 100 {
			continue
		}
		small := conform.Shrink(r, 2000, loops)
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
	}
}

func TestADescribedProgramIsACase(t *testing.T) {
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
func FuzzProgram(f *testing.F) {
	for seed := range uint64(8) {
		var b []byte
		for _, c := range conform.Random(seed).Choices() {
			b = binary.LittleEndian.AppendUint16(b, c)
		}
		f.Add(b)
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
