package session_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// warm are ways to answer the same query again.
var warm = []struct {
	name, device, graph string
	o                   session.Options
}{
	{"native", "cpu", "skew:64", session.Options{}},
	{"kernels on the host", "cpu", "skew:64", session.Options{Engine: session.WavesEngine, Topology: megakernel.Captured}},
	{"drained", "cuda-sim", "skew:64", session.Options{Topology: megakernel.Drained}},
	{"cooperative", "cuda-sim", "skew:64", session.Options{Topology: megakernel.Cooperative}},
	{"labels", "cuda-sim", "road:8x8", session.Options{}},
}

func TestAQueryAskedAgainAllocatesNothing(t *testing.T) {
	for _, c := range warm {
		for _, count := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, count %v", c.name, count), func(t *testing.T) {
				g := graphtest.Generated(t, c.graph)
				s := openSession(t, graphtest.OpenDevice(t, c.device), g, c.o)
				queries := []session.Query{{Seeds: []uint32{0}, Count: count}, {Seeds: []uint32{50, 3, 61}, Kinds: 0x7, Count: count}}
				var r session.Reached
				ask := func() {
					for _, q := range queries {
						if err := s.ReachInto(context.Background(), q, &r); err != nil {
							t.Fatal(err)
						}
					}
				}
				ask()
				ask() // what changed once is prepared by now
				if c.device == "cpu" {
					if n := testing.AllocsPerRun(5, ask); n != 0 {
						t.Errorf("two queries asked again: %v allocations on the heap, want none", n)
					}
					return
				}
				where := allocations(ask)
				for range 2 { // what grows once is no matter
					if len(where) > 0 {
						where = allocations(ask)
					}
				}
				if len(where) > 0 {
					t.Errorf("two queries asked again allocate, beside what the simulated device does:\n%s", strings.Join(where, "\n"))
				}
			})
		}
	}
}

// allocations returns where the heap grows while f runs, leaving out the simulated device, which is no part of the host's work
// on a real one.
func allocations(f func()) (where []string) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	before := heap()
	runtime.MemProfileRate = 1
	f()
	runtime.MemProfileRate = 0
	for stack, n := range heap() {
		frames, text := runtime.CallersFrames(stack[:slices.Index(stack[:], 0)]), ""
		for more := true; more; {
			var at runtime.Frame
			at, more = frames.Next()
			text += fmt.Sprintf("\t%s:%d\n", at.Function, at.Line)
		}
		if n > before[stack] && strings.Contains(text, "ReachInto") && !strings.Contains(text, "/cusim") {
			where = append(where, fmt.Sprintf("%d times at\n%s", n-before[stack], text))
		}
	}
	return where
}

// heap is how many objects were allocated, by the stack of calls.
func heap() map[[33]uintptr]int64 {
	runtime.GC() // which is when allocations are entered
	runtime.GC()
	list := make([]runtime.MemProfileRecord, 1<<16)
	n, _ := runtime.MemProfile(list, true)
	counts := make(map[[33]uintptr]int64)
	for _, r := range list[:n] {
		stack := [33]uintptr{}
		copy(stack[:32], r.Stack())
		counts[stack] += r.AllocObjects
	}
	return counts
}

// TestAnswersTakeTheMemoryOfOthers asks for sets and counts in turns, into one answer.
func TestAnswersTakeTheMemoryOfOthers(t *testing.T) {
	for _, c := range warm {
		t.Run(c.name, func(t *testing.T) {
			g := graphtest.Generated(t, c.graph)
			s := openSession(t, graphtest.OpenDevice(t, c.device), g, c.o)
			var r session.Reached
			n := 12
			if c.device != "cpu" {
				n = long.Count(4, 6, 12)
			}
			for i, q := range randomQueries(7, n, g.Nodes()) {
				if err := s.ReachInto(context.Background(), q, &r); err != nil {
					t.Fatal(err)
				}
				matches(t, g, q, &r)
				want := r.Count()
				q.Count = true
				if err := s.ReachInto(context.Background(), q, &r); err != nil {
					t.Fatal(err)
				}
				for v := range r.Nodes() {
					t.Fatalf("query %d asks for a count, and has node %d", i, v)
				}
				if r.Count() != want {
					t.Errorf("query %d: %d nodes are counted, the set has %d", i, r.Count(), want)
				}
			}
			if err := s.ReachInto(context.Background(), session.Query{Seeds: []uint32{1 << 30}}, &r); err == nil {
				t.Error("a seed that is no node is accepted")
			}
		})
	}
}

// TestCountsLeaveSetsOnTheDevice looks at what is read back.
func TestCountsLeaveSetsOnTheDevice(t *testing.T) {
	g := graphtest.Generated(t, "skew:1024")
	dev := graphtest.OpenDevice(t, "cuda-sim")
	s := openSession(t, dev, g, session.Options{})
	for _, c := range []struct {
		q    session.Query
		read uint64
	}{
		{session.Query{Seeds: []uint32{0}}, 8 + 1024/8},
		{session.Query{Seeds: []uint32{0}, Count: true}, 8},
	} {
		for range 2 { // the first prepares
			before := dev.Stats()
			if _, err := s.Reach(context.Background(), c.q); err != nil {
				t.Fatal(err)
			}
			did := dev.Stats().Sub(before)
			if got := did.Get(metric.ReadBytes); got != c.read {
				t.Errorf("count %v: %d bytes are read, want %d", c.q.Count, got, c.read)
			}
		}
	}
	many := []session.Query{{Seeds: []uint32{0}, Count: true}, {Seeds: []uint32{1}}, {Seeds: []uint32{2}, Count: true, Kinds: 0x7}}
	all, err := s.Batch(context.Background(), many)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range many {
		q.Count = false
		r, err := s.Reach(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if all[i].Count() != r.Count() || many[i].Count == all[i].Contains(q.Seeds[0]) {
			t.Errorf("query %d of a batch: %d nodes, its seed among them: %v; alone %d", i, all[i].Count(), all[i].Contains(q.Seeds[0]), r.Count())
		}
	}
}

// openSession is a session that the test closes.
func openSession(t *testing.T, dev driver.Device, g *graph.CSR, o session.Options) *session.Session {
	t.Helper()
	s, err := session.New(context.Background(), dev, g, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
