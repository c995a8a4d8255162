package device_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// plain is the closure of a graph, written to be read: it compares all rows with all rows until nothing changes.
type plain struct {
	roots, live    []uint32
	classes, first []uint32 // groups
	rows           []uint32
}

func closeByHand(g *egraph.Graph) (p plain) {
	c := g.Columns()
	root := make([]uint32, len(c.Parent))
	for k, up := range c.Parent {
		root[k] = uint32(up)
	}
	unite := func(a, b uint32) bool {
		from, to := max(root[a], root[b]), min(root[a], root[b])
		for k := range root {
			if root[k] == from {
				root[k] = to
			}
		}
		return from != to
	}
	for _, u := range g.Pending() {
		unite(uint32(u[0]), uint32(u[1]))
	}
	key := func(i int) []uint32 {
		k := []uint32{uint32(c.Head[i])}
		for _, kid := range c.Kids[c.First[i]:][:c.Len[i]] {
			k = append(k, root[kid])
		}
		if len(k) == 3 && g.Info(c.Head[i]).Commutative {
			slices.Sort(k[1:])
		}
		return k
	}
	for changed := true; changed; {
		changed = false
		for i := range c.Class {
			for j := range i {
				if slices.Equal(key(i), key(j)) && unite(uint32(c.Class[i]), uint32(c.Class[j])) {
					changed = true
				}
			}
		}
	}
	p.roots = root
	for i := range c.Class {
		first := 0
		for !slices.Equal(key(first), key(i)) {
			first++
		}
		if first == i {
			p.live = append(p.live, uint32(i))
		}
	}
	p.group(c.Class)
	return p
}

// group lists the rows of each root.
func (p *plain) group(class []egraph.Class) {
	for r := range p.roots {
		before := len(p.rows)
		for i, of := range class {
			if p.roots[of] == uint32(r) {
				p.rows = append(p.rows, uint32(i))
			}
		}
		if len(p.rows) > before {
			p.classes, p.first = append(p.classes, uint32(r)), append(p.first, uint32(before))
		}
	}
	p.first = append(p.first, uint32(len(p.rows)))
}

// compare compares a result with what was closed by hand.
func (p *plain) compare(r *device.Result) error {
	if !slices.Equal(r.Roots(), p.roots) {
		return fmt.Errorf("roots %v, want %v", r.Roots(), p.roots)
	}
	var live []uint32
	classes, first, rows := r.Groups()
	for i := range rows {
		if r.IsLive(i) {
			live = append(live, uint32(i))
		}
	}
	if !slices.Equal(live, p.live) || r.Live != len(live) {
		return fmt.Errorf("%d live rows %v, want %v", r.Live, live, p.live)
	}
	if !slices.Equal(classes, p.classes) || !slices.Equal(first, p.first) || !slices.Equal(rows, p.rows) {
		return fmt.Errorf("groups %v, %v, %v, want %v, %v, %v", classes, first, rows, p.classes, p.first, p.rows)
	}
	return nil
}

// draw draws a graph with few heads, so that many rows are equal: children before and after a row, classes without rows,
// up to sixteen children, commutative heads.
func draw(seed uint64, rows int) *egraph.Graph {
	rng := rand.New(rand.NewPCG(seed, 33))
	g := egraph.New()
	classes := 1 + rng.IntN(rows+3)
	for range classes {
		g.Class(ir.U32)
	}
	add := g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32})
	var names []egraph.Head
	for k := range 3 {
		names = append(names, g.Head(egraph.HeadInfo{Name: fmt.Sprint("f", k), Type: ir.U32}))
	}
	few := 1 + rng.IntN(classes)
	for range rows {
		var list []egraph.Class
		head, n := names[rng.IntN(len(names))], rng.IntN(4)
		switch rng.IntN(6) {
		case 0:
			n = 4 + rng.IntN(13)
		case 1:
			head, n = add, 2
		}
		for range n {
			list = append(list, egraph.Class(rng.IntN(few)))
		}
		g.Insert(egraph.Class(rng.IntN(classes)), head, list...)
	}
	for range rng.IntN(1 + classes/4) {
		if err := g.Union(egraph.Class(rng.IntN(classes)), egraph.Class(rng.IntN(classes)), "drawn"); err != nil {
			panic(err)
		}
	}
	return g
}

// TestRandomGraphsOnDevices closes drawn graphs by hand, on the host's goroutines and on devices; also with signatures of four
// bits, of which many different rows have the same.
func TestRandomGraphsOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		quick := 16
		if name == "cuda-sim" {
			quick = 2
		}
		for seed := range long.Seeds(t, quick, 40*quick, 400*quick) {
			g := draw(seed, int(seed%40)+1)
			want := closeByHand(g)
			for _, u := range []device.Tuning{{}, {Keep: 15}} {
				s := session(t, dev, g, u)
				r := canonicalise(t, s, nil, device.Options{})
				if err := want.compare(&r); err != nil {
					t.Fatalf("%s, seed %d, %+v: %v", name, seed, u, err)
				}
				rounds := []uint32{}
				h := draw(seed, int(seed%40)+1)
				unions, err := h.RebuildParallel(2)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range unions[1:] {
					rounds = append(rounds, uint32(n))
				}
				if r.Pending != unions[0] || !slices.Equal(r.PerRound(), rounds) {
					t.Fatalf("%s, seed %d: unions %d %v, want %v", name, seed, r.Pending, r.PerRound(), unions)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestAFullTableIsFilledAgain closes graphs with tables that have room for nine rows of ten slots, and for hardly more than all rows: a
// later round finds too little room and all rows are looked up anew.
func TestAFullTableIsFilledAgain(t *testing.T) {
	dev := open(t, "cpu")
	refills := 0
	for seed := range uint64(6) {
		g := draw(seed, 50)
		want := closeByHand(g)
		for _, full := range []uint32{50, 57} {
			im, err := device.BuildWith(g, 64)
			if err != nil {
				t.Fatal(err)
			}
			s := opened(t, dev, im, device.Tuning{Keep: 255, Full: full})
			r := canonicalise(t, s, nil, device.Options{})
			if err := want.compare(&r); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			h := draw(seed, 50)
			if unions, err := h.RebuildParallel(2); err != nil || len(unions) != r.Rounds+1 {
				t.Fatalf("seed %d: %d rounds, want %v (%v)", seed, r.Rounds, unions, err)
			}
			refills += r.Refills
		}
	}
	if refills == 0 {
		t.Error("no table was full")
	}
}

var topologies = []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop, megakernel.BackToBack, megakernel.Captured, megakernel.DeviceLoop}

// TestEveryTopologyLeavesTheSameBytesOnDevices compares all columns, on all devices.
func TestEveryTopologyLeavesTheSameBytesOnDevices(t *testing.T) {
	graphs := []*egraph.Graph{draw(7, 20)}
	if long.Enabled() {
		graphs = append(graphs, ladder())
	}
	var want [2][]uint32 // by graph
	for _, name := range devices() {
		dev := open(t, name)
		for k, g := range graphs {
			for _, how := range topologies {
				if how == megakernel.DeviceLoop && !dev.Caps().LoopNodes {
					continue
				}
				s := session(t, dev, g, device.Tuning{})
				r := canonicalise(t, s, nil, device.Options{Topology: how, Rows: true})
				if want[k] == nil {
					want[k] = slices.Clone(r.Words())
				}
				if !slices.Equal(r.Words(), want[k]) {
					t.Errorf("%s, %v: graph %d differs", name, how, k)
				}
			}
		}
	}
}
