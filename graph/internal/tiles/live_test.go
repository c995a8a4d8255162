package tiles_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/internal/tiles"
	"github.com/govyre/vyre/internal/testing/long"
)

type arc struct{ from, to, mask uint32 }

// listed is a graph as a list of arcs.
type listed struct {
	nodes int
	arcs  []arc
}

func (l listed) rows(t testing.TB, back bool) tiles.Graph {
	g := l.graph(t)
	if back {
		g = graphtest.Must(g.Reverse(t.Context()))
	}
	return rows{g}
}

type rows struct{ g *graph.CSR }

func (r rows) Row(u uint32) (targets, masks []uint32) {
	from, to := r.g.First(u), r.g.First(u+1)
	if r.g.Masks() != nil {
		masks = r.g.Masks()[from:to]
	}
	return r.g.Targets()[from:to], masks
}

func (l listed) graph(t testing.TB) *graph.CSR {
	return graphtest.Must(graph.FromFunc(t.Context(), uint32(l.nodes), uint64(len(l.arcs)), true, func(p graph.Portion, emit graph.Emit) {
		for from, to := p.Of(uint64(len(l.arcs))); from < to; from++ {
			emit(l.arcs[from].from, l.arcs[from].to, l.arcs[from].mask)
		}
	}))
}

func (l listed) condensed(t testing.TB, filter uint32) *tiles.Dag {
	return graphtest.Must(tiles.Condense(t.Context(), l.rows(t, false), filter, graphtest.Strong(l.graph(t), filter)))
}

// told is all that columns say, by names of components.
func told(d *tiles.Dag) string {
	names, labels := named(d), d.Labels()
	after := map[uint32][]uint32{}
	heights := map[uint32]uint32{}
	for k, name := range d.Name {
		if name == tiles.None {
			if d.Size[k] != 0 || len(d.After(uint32(k))) != 0 {
				return fmt.Sprintf("column %d is free and has something", k)
			}
			continue
		}
		name = names[k]
		heights[name] = d.Height[k]
		for _, j := range d.After(uint32(k)) {
			after[name] = append(after[name], names[j])
		}
		slices.Sort(after[name])
	}
	return fmt.Sprint(labels, after, heights, d.Single, d.Live, d.Between, d.Squares, d.Heights())
}

// named are the least nodes of columns, None for a free one.
func named(d *tiles.Dag) []uint32 {
	names := slices.Repeat([]uint32{tiles.None}, len(d.Name))
	for v, k := range d.Of {
		names[k] = min(names[k], uint32(v))
	}
	return names
}

// reaching is which components reach which, by name.
func reaching(d *tiles.Dag) map[uint32]map[uint32]bool {
	order, _ := d.List(nil)
	names := named(d)
	all := map[uint32]map[uint32]bool{}
	for _, k := range order {
		row := map[uint32]bool{}
		for _, j := range d.After(k) {
			row[names[j]] = true
			for name := range all[names[j]] {
				row[name] = true
			}
		}
		all[names[k]] = row
	}
	return all
}

// shape is a graph of some arcs a node: without cycles, with small ones, or anything, and arcs that come twice.
func shape(r *rand.Rand, n int) (l listed) {
	l.nodes = n
	kind, arcs := r.IntN(3), 1+r.IntN(3*n)
	for range arcs {
		l.arcs = append(l.arcs, l.random(r, kind))
	}
	return l
}

func (l *listed) random(r *rand.Rand, kind int) arc {
	a := arc{r.Uint32N(uint32(l.nodes)), r.Uint32N(uint32(l.nodes)), 1 << r.Uint32N(3)}
	switch {
	case len(l.arcs) > 0 && r.IntN(6) == 0:
		return l.arcs[r.IntN(len(l.arcs))]
	case kind == 0:
		a.from, a.to = min(a.from, a.to), max(a.from, a.to)
	case kind == 1:
		a.to = min(a.from+r.Uint32N(5), uint32(l.nodes)-1)
		if r.IntN(4) == 0 {
			a.from, a.to = a.to, a.from
		}
	}
	return a
}

func TestLiveGraphsAreThoseMadeAnew(t *testing.T) {
	for seed := range long.Seeds(t, 300, 3000, 100000) {
		r := rand.New(rand.NewPCG(seed, 34))
		l := shape(r, 2+r.IntN(40))
		filter := []uint32{^uint32(0), 5}[r.IntN(2)]
		d := l.condensed(t, filter)
		live := graphtest.Must(tiles.NewLive(t.Context(), d, tiles.NewArcs(l.rows(t, false)), tiles.NewArcs(l.rows(t, true)), filter))
		for turn := range 12 {
			before, was := told(d), reaching(d)
			add := r.IntN(2) == 0 || len(l.arcs) == 0
			next := listed{l.nodes, slices.Clone(l.arcs)}
			var batch []arc
			for range 1 + r.IntN(4) {
				if add {
					a := next.random(r, r.IntN(3))
					batch, next.arcs = append(batch, a), append(next.arcs, a)
				} else if len(next.arcs) > 0 {
					i := r.IntN(len(next.arcs))
					batch, next.arcs = append(batch, next.arcs[i]), slices.Delete(next.arcs, i, i+1)
				}
			}
			names := named(d)
			edit := func() []uint32 {
				live.Begin(1 << 20)
				for _, a := range batch {
					for _, pair := range live.Asks(a.from, a.to, a.mask, add) {
						live.Answer(pair, was[names[pair[0]]][names[pair[1]]])
					}
				}
				for _, a := range batch {
					if add {
						live.Add(a.from, a.to, a.mask)
					} else if !live.Remove(a.from, a.to, a.mask) {
						t.Fatalf("seed %d, turn %d: %v is not there", seed, turn, a)
					}
				}
				stale, _ := live.Stale()
				live.Settle(stale)
				return stale
			}
			edit()
			live.Undo()
			if now := told(d); now != before {
				t.Fatalf("seed %d, turn %d, add %v %v: undone\n%s, before\n%s", seed, turn, add, batch, now, before)
			}
			stale := edit()
			fresh := next.condensed(t, filter)
			if got, want := told(d), told(fresh); got != want {
				t.Fatalf("seed %d, turn %d, add %v %v:\n%s, want\n%s", seed, turn, add, batch, got, want)
			}
			now := reaching(d)
			for k, name := range named(d) { // rows of columns that kept their name, and are not stale, are what they were
				if name != tiles.None && !slices.Contains(stale, uint32(k)) && (k >= len(names) || names[k] != name || fmt.Sprint(was[name]) != fmt.Sprint(now[name])) {
					t.Fatalf("seed %d, turn %d, add %v %v: the row of %d changed from %v to %v", seed, turn, add, batch, name, was[name], now[name])
				}
			}
			l = next
		}
	}
}
