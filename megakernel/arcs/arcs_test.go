package arcs_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// reach marks what can be reached.
type reach struct{ seen []uint32 }

func (r reach) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to & 31)
	return gpu.AtomicOr(&r.seen[to/32], bit)&bit == 0
}

// ring has arcs from every node to the next and to the one three on, and a row of rays from node 0.
func ring(n uint32) arcs.Graph {
	g := arcs.Graph{Masks: []uint32{0}}
	for v := range n {
		g.Offsets = append(g.Offsets, uint32(len(g.Targets)))
		g.Targets = append(g.Targets, (v+1)%n, (v+3)%n)
		if v == 0 {
			for k := range 3 * uint32(arcs.Split) {
				g.Targets = append(g.Targets, k%n)
			}
		}
	}
	g.Offsets = append(g.Offsets, uint32(len(g.Targets)))
	return g
}

// TestDrainRunsNatively is for the race detector, which sees the hand-over of items as Go does.
func TestDrainRunsNatively(t *testing.T) {
	const n = 50
	g := ring(n)
	q := arcs.Queue{Slots: make([]uint64, arcs.Slots(n, uint64(len(g.Targets)))), Control: make([]uint32, arcs.ControlWords)}
	w := reach{make([]uint32, (n+31)/32)}
	w.seen[0] = 1
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 64}, Cooperative: true}, func(th gpu.Thread) {
		arcs.Drain(th, w, g, []uint32{0}, 1, q)
	})
	for v := range uint32(n) {
		if w.seen[v/32]>>(v%32)&1 == 0 {
			t.Errorf("node %d was not reached", v)
		}
	}
	rec := q.Control[arcs.RecordWord:]
	if rec[6] != n || int(rec[8]) != len(g.Targets) || rec[1] != 1 {
		t.Errorf("record %v, want %d nodes and %d arcs", rec, n, len(g.Targets))
	}
}

// TestStayRunsNatively does the same in one group, with a list that is handed over in the middle.
func TestStayRunsNatively(t *testing.T) {
	const n = 50
	g := ring(n)
	w := reach{make([]uint32, (n+31)/32)}
	w.seen[0] = 1
	l := arcs.List{Nodes: make([]uint32, 2*n), Lengths: []uint32{1, 0, 0}, Edges: make([]uint32, 1)}
	rounds, items, greatest := uint64(0), uint64(0), uint64(0)
	for round, stays := uint32(0), 0; l.Lengths[round%3] > 0; stays++ {
		limit := round + 2
		if stays == 2 {
			limit = 1 << 20
		}
		var result [arcs.StayWords]uint64
		size := l.Lengths[round%3]
		gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 64}}, func(th gpu.Thread) {
			arcs.Stay(th, w, g, l, round, size, limit, 30, result[:])
		})
		rounds, items, greatest = result[arcs.StayRound], items+result[arcs.StayItems], max(greatest, result[arcs.StayGreatest])
		round = uint32(rounds)
		if uint64(l.Lengths[round%3]) != result[arcs.StayWeight] {
			t.Errorf("after %d rounds a list of %d, and %d are left", round, l.Lengths[round%3], result[arcs.StayWeight])
		}
	}
	if items != n || int(l.Edges[0]) != len(g.Targets) || rounds != 2 || greatest != n-1 {
		t.Errorf("%d nodes, %d arcs in %d rounds, at most %d, want %d, %d, 2 and %d", items, l.Edges[0], rounds, greatest, n, len(g.Targets), n-1)
	}
}

// TestRoundsRunNatively does the same round by round.
func TestRoundsRunNatively(t *testing.T) {
	const n = 50
	g := ring(n)
	w := reach{make([]uint32, (n+31)/32)}
	w.seen[0] = 1
	l := arcs.List{Nodes: make([]uint32, 2*n), Lengths: []uint32{1, 0, 0}, Weight: make([]uint32, 1), Edges: make([]uint32, 1)}
	nodes := uint32(0)
	for round := uint32(0); l.Lengths[round%3] > 0; round++ {
		size := l.Lengths[round%3]
		nodes += size
		gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 64}}, func(th gpu.Thread) {
			arcs.Round(th, w, g, l, round, size)
		})
		l.Lengths[(round+2)%3] = 0
	}
	if nodes != n || int(l.Edges[0]) != len(g.Targets) || l.Weight[0] != n-1 {
		t.Errorf("%d nodes, %d arcs and %d found, want %d, %d and %d", nodes, l.Edges[0], l.Weight[0], n, len(g.Targets), n-1)
	}
}

// level gives nodes their level in either direction.
type level struct {
	levels []uint32
	round  uint32
}

func (l level) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return gpu.AtomicCompareExchange(&l.levels[to], ^uint32(0), l.round+1) == ^uint32(0)
}

func (l level) Open(node uint32) bool        { return gpu.AtomicLoad(&l.levels[node]) == ^uint32(0) }
func (l level) Leads(from, mask uint32) bool { return gpu.AtomicLoad(&l.levels[from]) == l.round }
func (l level) Take(node uint32)             { gpu.AtomicStore(&l.levels[node], l.round+1) }

func (l level) At(round uint32) level {
	l.round = round
	return l
}

// TestStaysLeaveTheSumsOfRounds: stays of one round and of several among rounds of all groups leave what those would, so that the
// rounds after them decide alike.
func TestStaysLeaveTheSumsOfRounds(t *testing.T) {
	const n = 400
	g := ring(n)
	search := func(alone func(round uint32) uint32) (levels []uint32, sums [][]uint64) {
		levels = slices.Repeat([]uint32{^uint32(0)}, n)
		levels[7] = 0
		turn := arcs.Turn{Sums: make([]uint64, arcs.SumsWords), Reverse: reversed(g), Forward: 64}
		l := arcs.List{Nodes: make([]uint32, 2*n), Lengths: []uint32{1, 0, 0}, Weight: make([]uint32, 1), Edges: make([]uint32, 1)}
		l.Nodes[0] = 7
		turn.Seed(g, 7)
		for round := uint32(0); l.Lengths[round%3] > 0; {
			size := l.Lengths[round%3]
			began := round
			if k := alone(round); k > 0 {
				var result [arcs.StayWords]uint64
				gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 64}}, func(th gpu.Thread) {
					arcs.StayBoth(th, level{levels, round}, g, turn, l, round, size, round+k, n, result[:])
				})
				round = uint32(result[arcs.StayRound])
			}
			if round == began { // the list was too heavy, or for all
				gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 64}}, func(th gpu.Thread) {
					arcs.RoundBoth(th, level{levels, round}, g, turn, l, round, size)
				})
				l.Lengths[(round+2)%3] = 0
				round++
			}
			for len(sums) < int(round) {
				sums = append(sums, nil)
			}
			at := round % 3 // those of the round that comes next, and what it is going to add to
			sums[round-1] = []uint64{turn.Sums[at], turn.Sums[3+at], turn.Sums[6+at], turn.Sums[(at+1)%3]}
		}
		return levels, sums
	}
	want, wantSums := search(func(uint32) uint32 { return 0 })
	for name, alone := range map[string]func(round uint32) uint32{
		"every second": func(round uint32) uint32 { return round % 2 },
		"three of four": func(round uint32) uint32 {
			if round%4 == 1 {
				return 3
			}
			return 0
		},
		"all": func(uint32) uint32 { return 1 },
	} {
		got, sums := search(alone)
		if !slices.Equal(got, want) {
			t.Errorf("%s: levels %v, want %v", name, got, want)
		}
		for round, s := range sums {
			if s != nil && !slices.Equal(s, wantSums[round]) {
				t.Errorf("%s: after round %d the sums are %d, want %d", name, round, s, wantSums[round])
			}
		}
	}
}

// reversed has the arcs the other way round.
func reversed(g arcs.Graph) arcs.Graph {
	n, reverse := uint32(len(g.Offsets))-1, arcs.Graph{Offsets: []uint32{0}, Masks: []uint32{0}}
	for v := range n {
		for from := range n {
			for k := g.Offsets[from]; k < g.Offsets[from+1]; k++ {
				if g.Targets[k] == v {
					reverse.Targets = append(reverse.Targets, from)
				}
			}
		}
		reverse.Offsets = append(reverse.Offsets, uint32(len(reverse.Targets)))
	}
	return reverse
}

// levelSets is level with sets of what was found and of lists.
type levelSets struct {
	levels, found, front []uint32
	now, next            uint32 // words of front
	round                uint32
}

func (l levelSets) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to % 32)
	if gpu.AtomicOr(&l.found[to/32], bit)&bit != 0 {
		return false
	}
	gpu.AtomicOr(&l.front[l.next+to/32], bit)
	l.levels[to] = l.round + 1
	return true
}

func (l levelSets) Open(node uint32) bool        { return l.found[node/32]>>(node%32)&1 == 0 }
func (l levelSets) Leads(from, mask uint32) bool { return l.front[l.now+from/32]>>(from%32)&1 != 0 }
func (l levelSets) Take(node uint32)             { l.levels[node] = l.round + 1 }

// TestBothDirectionsRunNatively: forward, as it comes, and backward, in two groups, with lists and with sets.
func TestBothDirectionsRunNatively(t *testing.T) {
	const n = 50
	g := ring(n)
	var want []uint32
	for k, turn := range []arcs.Turn{{Scan: 1 << 30}, {}, {Forward: 1 << 20}, {Scan: 1 << 30}, {}, {Forward: 1 << 20}, {Forward: 4}} {
		const words = (n + 31) / 32
		found, front := make([]uint32, words), make([]uint32, 3*words)
		found[0], found[words-1], front[0] = 1, ^uint32(0)-(1<<(n%32)-1), 1
		turn.Reverse, turn.Sums = reversed(g), make([]uint64, arcs.SumsWords)
		turn.Seed(g, 0)
		levels := make([]uint32, n)
		for v := 1; v < n; v++ {
			levels[v] = ^uint32(0)
		}
		l := arcs.List{Nodes: make([]uint32, 2*n), Lengths: []uint32{1, 0, 0}, Weight: make([]uint32, 1), Edges: make([]uint32, 1)}
		for round := uint32(0); l.Lengths[round%3] > 0; round++ {
			size := l.Lengths[round%3]
			gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 64}}, func(th gpu.Thread) {
				if k < 3 {
					arcs.RoundBoth(th, level{levels, round}, g, turn, l, round, size)
				} else {
					w := levelSets{levels, found, front, words * (round % 3), words * ((round + 1) % 3), round}
					arcs.RoundBits(th, w, g, turn, found, front, l, round, size)
				}
			})
			l.Lengths[(round+2)%3] = 0
		}
		if want == nil {
			want = levels
		}
		backward := turn.Scan == 0
		if !slices.Equal(levels, want) || l.Weight[0] != n-1 || backward != (int(l.Edges[0]) != len(g.Targets)) {
			t.Errorf("%+v: %d found, %d arcs of %d, levels %v, want %v", turn, l.Weight[0], l.Edges[0], len(g.Targets), levels, want)
		}
	}
}
