package prim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// subject is a primitive on a device with its buffers, for at most max elements.
type subject struct {
	d      vyre.Device
	max    int
	record func(seq *vyre.Sequence, n prim.Length) *prim.Step
	begin  func(t *testing.T)        // sets the buffers
	check  func(t *testing.T, n int) // compares them with what n elements give
	once   bool                      // doing it twice gives something else
}

// run runs a sequence and reports what detectors find.
func run(t *testing.T, seq *vyre.Sequence) {
	t.Helper()
	res, err := seq.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Reports {
		t.Errorf("a detector found %+v", r)
	}
}

// run records the subject, runs it, and checks.
func (s *subject) run(t *testing.T, what string, n int, record func(seq *vyre.Sequence)) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		s.begin(t)
		seq := s.d.NewSequence(what)
		defer seq.Close()
		record(seq)
		run(t, seq)
		s.check(t, n)
	})
}

// simple runs it for a length that the host knows.
func (s *subject) simple(t *testing.T, what string, n int) {
	t.Helper()
	s.run(t, what, n, func(seq *vyre.Sequence) { s.record(seq, prim.N(n)) })
}

// exercise does all that can be done with a primitive: lengths that the host or the device knows, loops, grids.
func (s *subject) exercise(t *testing.T) {
	s.simple(t, "all", s.max)
	s.simple(t, "none", 0)
	for _, groups := range []uint32{1, 2, 7} {
		prim.ForceGroups(groups)
		s.simple(t, fmt.Sprint(groups, " groups"), s.max)
		prim.ForceGroups(0)
	}
	if !s.once {
		s.run(t, "repeat", s.max, func(seq *vyre.Sequence) {
			seq.Repeat(2, func() { s.record(seq, prim.N(s.max)) })
		})
		s.run(t, "while", s.max, func(seq *vyre.Sequence) {
			flag := vyre.Scratch[uint32](seq, 1)
			seq.Fill(flag.All(), 1, 4)
			seq.While(flag.All(), 2, func() { s.record(seq, prim.N(s.max)) })
		})
	}
	t.Run("captured", s.captured)
	s.setters(t)
	t.Run("on the device", func(t *testing.T) { onDevice[uint32](t, s) })
	t.Run("on the device, 64 bits", func(t *testing.T) { onDevice[uint64](t, s) })
}

// captured runs a graph of it, again and again.
func (s *subject) captured(t *testing.T) {
	seq := s.d.NewSequence("captured")
	defer seq.Close()
	s.record(seq, prim.N(s.max))
	graph := must(seq.Capture(vyre.CaptureOptions{}))(t)
	defer closeAll(t, graph)
	for range 2 {
		s.begin(t)
		if _, err := graph.Run(ctx); err != nil {
			t.Fatal(err)
		}
		s.check(t, s.max)
	}
}

// setters changes the length between runs.
func (s *subject) setters(t *testing.T) {
	t.Run("set", func(t *testing.T) {
		seq := s.d.NewSequence("set")
		defer seq.Close()
		step := s.record(seq, prim.N(s.max))
		for _, n := range []int{s.max / 2, s.max} {
			s.begin(t)
			if err := step.SetLength(prim.N(n)); err != nil {
				t.Fatal(err)
			}
			run(t, seq)
			s.check(t, n)
		}
		if err := step.SetLength(prim.N(s.max + 1)); err == nil || !strings.Contains(err.Error(), fmt.Sprint(s.max+1)) {
			t.Errorf("a length above the maximum gives %v", err)
		}
	})
}

func onDevice[C uint32 | uint64](t *testing.T, s *subject) {
	count := must(vyre.Upload(t.Context(), s.d, []C{0}))(t)
	defer count.Close()
	seq := s.d.NewSequence("counted")
	defer seq.Close()
	s.record(seq, prim.At(count))
	for _, n := range []int{0, s.max, s.max / 2} {
		s.begin(t)
		if err := count.Write(ctx, []C{C(n)}); err != nil {
			t.Fatal(err)
		}
		run(t, seq)
		s.check(t, n)
	}
	if err := count.Write(ctx, []C{C(s.max + 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := seq.Run(ctx); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("value %#x", s.max+1)) {
		t.Errorf("a length of %d on the device, above %d, gives %v", s.max+1, s.max, err)
	}
}

// seeded is the interpreter with an order drawn from a seed, and all detectors.
func seeded(t *testing.T, seed uint64) vyre.Device {
	d, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(seed), Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// tileEdges are lengths at which something changes in a primitive of tiles.
var tileEdges = []int{0, 1, 31, 32, 33, 4095, 4096, 4097, 8191, 8192, 8193}

// some are a few of the cases, others for each salt, and others for each seed of long tests; all in exhaustive ones.
func some[T any](t testing.TB, cases []T, quick, sweep int, salt uint64) []T {
	rng := rand.New(rand.NewPCG(long.Seed(t, 7), salt))
	cases = slices.Clone(cases)
	rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	return cases[:min(long.Count(quick, sweep, len(cases)), len(cases))]
}

// shared reports whether case i is for device k: each device has its share, all in long tests, and one alone has all.
func shared(i, k int) bool { return (i+k)%2 == 0 || len(devices()) == 1 || long.Enabled() }

// buffer is a part of a buffer, whose other elements nothing may write.
type buffer[T vyre.Element] struct {
	*vyre.Buffer[T]
	all  *vyre.Buffer[T]
	skip int
	fill []T
}

// hold returns a buffer of the elements of fill but the first skip and the last few. One that begins at an odd place has
// accesses of single elements.
func hold[T vyre.Element](t *testing.T, d vyre.Device, fill []T, skip int) *buffer[T] {
	t.Helper()
	all := must(vyre.Upload(t.Context(), d, fill))(t)
	t.Cleanup(func() { all.Close() })
	return &buffer[T]{all.View(skip, len(fill)-2+skip), all, skip, fill}
}

// set makes the buffer hold its elements.
func (b *buffer[T]) set(t *testing.T) {
	t.Helper()
	if err := b.all.Write(ctx, b.fill); err != nil {
		t.Fatal(err)
	}
}

// holds compares what the buffer has with want, and what is around with what was there.
func (b *buffer[T]) holds(t *testing.T, what string, want []T) {
	t.Helper()
	got := must(b.all.Read(ctx))(t)
	for i := range got {
		w := b.fill[i]
		if k := i - b.skip; k >= 0 && k < len(want) {
			w = want[k]
		}
		if !slices.Equal(vyre.Bytes(got[i:i+1]), vyre.Bytes([]T{w})) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i-b.skip, len(want), got[i], w)
		}
	}
}
