package generate

import (
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/mix"
)

// icfg is a made-up program: procedures of equally many places, calls among them, and facts that hold at places. Its
// graph is exploded (Reps, Horwitz and Sagiv, "Precise interprocedural dataflow analysis via graph reachability",
// 1995): a node is a place with a fact, an arc says that the fact at its end follows from the one at its start. Fact 0
// holds always. Arcs inside procedures are of kind control, the others call, call return, and call to return site.
type icfg struct {
	procedures, places uint32 // places of one procedure; entry first, exit last
	facts              uint32 // beside fact 0
	seed               uint64
}

func newICFG(p [3]uint64, o Options) icfg {
	return icfg{uint32(p[0]), uint32(p[1]), uint32(p[2]), o.Seed}
}

// icfgSize counts at most: each place has three ways on, with one more arc than facts and two beside. The exit of a
// procedure has as many ways as there are calls to it, and every place makes at most one.
func icfgSize(p [3]uint64) (nodes, arcs uint64) {
	places, facts := product(p[0], p[1]), p[2]+1
	return product(places, facts), product(places, 3, facts+2)
}

func icfgArcs(p [3]uint64, o Options) made {
	g := newICFG(p, o)
	return func(part graph.Portion, emit graph.Emit) {
		for i, last := part.Of(uint64(g.procedures) * uint64(g.places)); i < last && !part.Ended(); i++ {
			place, words := uint32(i), mix.StreamOf(g.seed, i)
			if callee, ok := g.call(place, words); ok {
				g.callArcs(place, callee, emit)
				continue
			}
			g.ways(place, words, func(to uint32) { g.flow(place, to, words, emit) })
		}
	}
}

// node is a place with a fact.
func (g icfg) node(place, fact uint32) uint32 { return place*(g.facts+1) + fact }

// call returns the procedure that a place calls, if it does. Entry and the last two places call none.
func (g icfg) call(place uint32, words mix.Stream) (callee uint32, ok bool) {
	b := place % g.places
	if b < 1 || b+3 > g.places || words.Word(0)%8 != 0 {
		return 0, false
	}
	return uint32(words.Word(1) % uint64(g.procedures)), true
}

// ways yields the places that follow one that calls nothing.
func (g icfg) ways(place uint32, words mix.Stream, to func(place uint32)) {
	b, last := place%g.places, g.places-1
	if b == last {
		return
	}
	start := place - b
	to(place + 1)
	if b+2 <= last && words.Word(2)%4 == 0 {
		to(start + uint32(min(uint64(last), uint64(b)+2+words.Word(3)%8)))
	}
	if b >= 1 && words.Word(4)%16 == 0 {
		to(start + b - 1 - uint32(words.Word(5)%uint64(min(b, 8))))
	}
}

// flow yields what the facts at one place give at the next: some facts end, fact 0 makes one now and then, and one
// fact may make another.
func (g icfg) flow(place, next uint32, words mix.Stream, emit graph.Emit) {
	fact := func(k uint64) uint32 { return 1 + uint32(words.Word(k)%uint64(g.facts)) }
	emit(g.node(place, 0), g.node(next, 0), graph.KindControl)
	if words.Word(6)%16 == 0 {
		emit(g.node(place, 0), g.node(next, fact(7)), graph.KindControl)
	}
	var from, makes uint32
	if words.Word(8)%4 == 0 {
		from, makes = fact(9), fact(10)
		emit(g.node(place, from), g.node(next, makes), graph.KindControl)
	}
	lives := mix.StreamOf(g.seed+1, uint64(place))
	for d := uint32(1); d <= g.facts; d++ {
		if lives.Word(uint64(d))%8 != 0 && !(d == from && d == makes) {
			emit(g.node(place, d), g.node(next, d), graph.KindControl)
		}
	}
}

// callArcs yields the arcs of a call: even facts go into the procedure and come back from its exit, odd ones and fact
// 0 pass by.
func (g icfg) callArcs(place, callee uint32, emit graph.Emit) {
	entry := callee * g.places
	exit := entry + g.places - 1
	for d := uint32(0); d <= g.facts; d++ {
		if d%2 == 0 {
			emit(g.node(place, d), g.node(entry, d), graph.KindCall)
			emit(g.node(exit, d), g.node(place+1, d), graph.KindCallReturn)
		}
		if d%2 == 1 || d == 0 {
			emit(g.node(place, d), g.node(place+1, d), graph.KindCallToReturnSite)
		}
	}
}

// icfgProcedures returns the procedure of each node and the call site of each arc: the place of the call.
func icfgProcedures(p [3]uint64, g *graph.CSR) (procedures, sites []uint32) {
	of := newICFG(p, Options{})
	place := func(node uint32) uint32 { return node / (of.facts + 1) }
	procedures, sites = make([]uint32, g.Nodes()), make([]uint32, g.Arcs())
	i := 0
	for u := range uint32(g.Nodes()) {
		procedures[u] = place(u) / of.places
		targets, masks := g.Row(u)
		for k := range targets {
			mask := uint32(1)
			if masks != nil {
				mask = masks[k]
			}
			switch mask {
			case graph.KindCall:
				sites[i] = place(u)
			case graph.KindCallReturn:
				sites[i] = place(targets[k]) - 1 // it returns to the place after the call
			default:
				sites[i] = graph.NoSite
			}
			i++
		}
	}
	return procedures, sites
}
