package ifds_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// openDevice opens a device that the test closes.
// deviceFlag names where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

func devices() []string { return strings.Split(*deviceFlag, ",") }

func openDevice(t *testing.T, name string) driver.Device {
	t.Helper()
	dev, err := vyre.Open(long.Device(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// solveOn solves with a session of its own.
func solveOn(t *testing.T, dev driver.Device, g *graph.CSR, o ifds.Options, each ...[]uint32) (solutions []*ifds.Solution) {
	t.Helper()
	s, err := ifds.NewSession(t.Context(), dev, g, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, seeds := range each {
		solution, err := s.Solve(t.Context(), seeds)
		if err != nil {
			t.Fatal(err)
		}
		if solution.Run.Engine != s.Engine() || solution.Why == "" {
			t.Errorf("%v, %q", solution.Run.Engine, solution.Why)
		}
		solutions = append(solutions, solution)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return solutions
}

// same compares all that can be asked of two solutions.
func same(t *testing.T, g *graph.CSR, got, want *ifds.Solution, about string) {
	t.Helper()
	if got.PathEdges() != want.PathEdges() || got.Count() != want.Count() {
		t.Errorf("%s: %d pairs, %d path edges, want %d and %d", about, got.Count(), got.PathEdges(), want.Count(), want.PathEdges())
	}
	for v := range uint32(g.Nodes()) {
		a, seed := got.Entries(v)
		b, wanted := want.Entries(v)
		if got.Holds(v) != want.Holds(v) || seed != wanted || !slices.Equal(a, b) {
			t.Fatalf("%s: node %d holds: %v, from %v, %v; want %v, from %v, %v", about, v, got.Holds(v), a, seed, want.Holds(v), b, wanted)
		}
	}
	ifds.CheckSummaries(t, got, want)
}

// programs are made-up ones of many shapes, with seeds.
func programs(t *testing.T, r *rand.Rand) (g *graph.CSR, seeds [][]uint32, unbalanced bool) {
	t.Helper()
	switch r.IntN(3) {
	case 0:
		g = exploded(t, 1+r.IntN(6), 4+r.IntN(12), 1+r.IntN(5), r.Uint64())
		unbalanced = r.IntN(2) == 0
	default:
		g, unbalanced = randomProgram(t, r, r.IntN(2) == 0), true // it has arcs that only then are allowed
	}
	n := uint32(g.Nodes())
	all := make([]uint32, n)
	for v := range all {
		all[v] = uint32(v)
	}
	v := r.Uint32N(n)
	return g, [][]uint32{{v}, nil, {r.Uint32N(n), v, v}, all, {v}}, unbalanced
}

func TestDevicesSolveAsTheHostDoes(t *testing.T) {
	for _, name := range devices() {
		for _, topology := range []megakernel.Topology{megakernel.Auto, megakernel.HostLoop} {
			t.Run(fmt.Sprint(name, topology), func(t *testing.T) {
				dev := openDevice(t, name)
				for seed := range long.Seeds(t, 6, 12, 1000) {
					r := rand.New(rand.NewPCG(seed, 31))
					g, seeds, unbalanced := programs(t, r)
					o := ifds.Options{Unbalanced: unbalanced, Entries: true, Engine: session.WavesEngine, Topology: topology, Seeds: g.Nodes()}
					if seed%4 == 3 {
						o.Kinds = graph.AllKinds &^ (1 << r.Uint32N(16))
					}
					got := solveOn(t, dev, g, ifds.InPortions(ifds.Ordered(o), uint32(seed%3)), seeds...)
					o.Engine, o.Topology = session.NativeEngine, megakernel.Auto
					for i, want := range solveOn(t, dev, g, ifds.Ordered(o), seeds...) {
						same(t, g, got[i], want, fmt.Sprintf("seed %d, from %v", seed, seeds[i]))
					}
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// wideProgram has one procedure with so many entries, each called from a place of its own in another procedure, by a chain
// inside of it that all entries share the end of: what comes back to a caller is its own.
func wideProgram(t *testing.T, entries uint32) *graph.CSR {
	var of []uint32
	var arcs []arc
	caller := func(k uint32) uint32 { return 2 * k }                   // a node that calls, and one after it
	entry := func(k uint32) uint32 { return 2*entries + k }            // of the procedure that is called
	last := func(k uint32) uint32 { return 3*entries + k%(entries/8) } // an exit for every eighth
	for range 2 * entries {
		of = append(of, 0)
	}
	for range entries + entries/8 {
		of = append(of, 1)
	}
	for k := range entries {
		arcs = append(arcs, arc{caller(k), entry(k), graph.KindCall, k}, arc{entry(k), last(k), graph.KindAssign, graph.NoSite}, arc{last(k), caller(k) + 1, graph.KindCallReturn, k})
		if k > 0 && k%50 != 0 {
			arcs = append(arcs, arc{entry(k - 1), entry(k), graph.KindAssign, graph.NoSite}) // rows grow along the entries
		}
		if k+1 < entries {
			arcs = append(arcs, arc{caller(k), caller(k + 1), graph.KindControl, graph.NoSite})
		}
	}
	arcs = append(arcs, arc{caller(0) + 1, caller(entries / 2), graph.KindArgument, graph.NoSite - 1}) // it calls itself
	return program(t, of, arcs)
}

func TestThousandsOfEntries(t *testing.T) {
	for _, name := range devices() {
		dev, entries := openDevice(t, name), uint32(400)
		if long.Enabled() && name == "cpu" {
			entries = 4000
		}
		g := wideProgram(t, entries)
		seeds := [][]uint32{{0}, {entries, 7}}
		for _, unbalanced := range []bool{false, true} {
			o := ifds.Options{Unbalanced: unbalanced, Entries: true, Engine: session.WavesEngine}
			got := solveOn(t, dev, g, ifds.Ordered(o), seeds...)
			o.Engine = session.NativeEngine
			for i, want := range solveOn(t, dev, g, ifds.Ordered(o), seeds...) {
				same(t, g, got[i], want, fmt.Sprintf("%s, from %v", name, seeds[i]))
			}
		}
	}
}

// popular is one procedure that so many others call, which all begin with what one node leads to.
func popular(t *testing.T, callers uint32) *graph.CSR {
	of := []uint32{0, 1, 1, 1, 1} // a node that leads to all, and the procedure: two entries, a node between, and an exit
	arcs := []arc{{1, 3, graph.KindAssign, graph.NoSite}, {2, 3, graph.KindAssign, graph.NoSite}, {3, 4, graph.KindAssign, graph.NoSite}}
	for k := range callers {
		before := uint32(len(of))
		of = append(of, 2+k, 2+k)
		arcs = append(arcs, arc{0, before, graph.KindStore, graph.NoSite}, arc{before, 1 + k%2, graph.KindCall, k}, arc{4, before + 1, graph.KindCallReturn, k})
	}
	return program(t, of, arcs)
}

// TestOneThatManyCall has a node with many arcs, entries with many calls, and an exit with many returns, in portions of several lengths.
func TestOneThatManyCall(t *testing.T) {
	for _, name := range devices() {
		dev, g := openDevice(t, name), popular(t, 1100)
		for _, portion := range []uint32{0, 1, 1 << 20} {
			o := ifds.Options{Unbalanced: true, Entries: true, Engine: session.WavesEngine}
			got := solveOn(t, dev, g, ifds.InPortions(ifds.Ordered(o), portion), []uint32{0}, []uint32{9, 10})
			o.Engine = session.NativeEngine
			for i, want := range solveOn(t, dev, g, ifds.Ordered(o), []uint32{0}, []uint32{9, 10}) {
				same(t, g, got[i], want, fmt.Sprintf("%s, portions of %d, question %d", name, portion, i))
			}
		}
	}
}

func TestKnownAnswersOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := openDevice(t, name)
		for _, c := range knownAnswers {
			if c.procedures > 1000 || c.procedures > 4 && !long.Enabled() {
				continue // the engines are compared by the figures
			}
			g := exploded(t, c.procedures, c.places, c.facts, 1)
			s := solveOn(t, dev, g, ifds.Options{Engine: session.WavesEngine}, []uint32{0})[0]
			if got := [2]int{s.Count(), int(s.PathEdges())}; got != [2]int{c.pairs, c.pathEdges} {
				t.Errorf("%s, %d procedures: %d pairs and path edges, want %d and %d", name, c.procedures, got, c.pairs, c.pathEdges)
			}
		}
	}
}

// TestDevicesSolveAsTheFunctionalSolver does, entry by entry.
func TestDevicesSolveAsTheFunctionalSolver(t *testing.T) {
	dev := openDevice(t, "cpu")
	r := rand.New(rand.NewPCG(long.Seed(t, 5), 0))
	for range long.Count(30, 500, 5000) {
		procedures, places, facts := 1+r.IntN(5), 2+r.IntN(10), 1+r.IntN(4)
		g := exploded(t, procedures, places, facts, r.Uint64())
		seeds := some(r, g, 3)
		s := solveOn(t, dev, g, ifds.Options{Engine: session.WavesEngine, Entries: true}, seeds)[0]
		want := functional(g, seeds)
		nodes := want.nodes()
		for v := range uint32(g.Nodes()) {
			entries, _ := s.Entries(v)
			for _, e := range entries {
				if !want.edges[[2]uint32{e, v}] {
					t.Errorf("node %d does not follow from entry %d", v, e)
				}
			}
			if s.Holds(v) != nodes[v] || t.Failed() {
				t.Fatalf("%d procedures of %d places, %d facts, seeds %v: node %d holds: %v, want %v", procedures, places, facts, seeds, v, s.Holds(v), nodes[v])
			}
		}
	}
}
