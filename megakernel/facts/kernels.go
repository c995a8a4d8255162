package facts

import "github.com/govyre/vyre/gpu"

// rows are the edges of the nodes. There are as many starts as nodes: the last row ends where edges do.
type rows struct {
	starts, targets, kinds []uint32
	edges                  uint32
	filter                 uint32 // kinds that are followed; 0 is any
}

func (g rows) row(v uint32) (first, last uint32) {
	last = g.edges
	if v+1 < uint32(len(g.starts)) {
		last = g.starts[v+1]
	}
	return g.starts[v], last
}

// queue holds what a round runs over and what it appends. Rounds take turns at its two ends, so two
// that follow each other share all of it, however the one is long and the other short.
type queue struct {
	nodes   []uint32
	lengths []uint32 // of a list, as package megakernel has them
	peak    []uint32 // most nodes that two rounds wanted to have here together
}

// place is where node i of a round stands.
func (q queue) place(round, i uint32) uint32 {
	if round&1 != 0 {
		return uint32(len(q.nodes)) - 1 - i
	}
	return i
}

// full reports whether something found no room. Then the run is in vain, and rounds do nothing.
func (q queue) full() bool { return gpu.AtomicLoad(&q.peak[0]) > uint32(len(q.nodes)) }

// append adds a node for the next round, and reports whether there was room.
func (q queue) append(round, node uint32) bool {
	held := gpu.AtomicLoad(&q.lengths[round%3])
	i := gpu.AtomicAdd(&q.lengths[(round+1)%3], 1)
	gpu.AtomicMax(&q.peak[0], held+i+1)
	if held+i >= uint32(len(q.nodes)) {
		return false
	}
	q.nodes[q.place(round+1, i)] = node
	return true
}

// finder says which nodes an edge finds.
type finder interface{ take(node uint32) bool }

// every finds a node as often as an edge leads to it.
type every struct{}

func (every) take(node uint32) bool { return true }

// once finds a node that was not marked, and marks it.
type once struct{ visited []uint32 }

func (o once) take(node uint32) bool {
	bit := uint32(1) << (node % 32)
	return gpu.AtomicOr(&o.visited[node/32], bit)&bit == 0
}

// walk appends what the edges of one node find.
func walk[F finder](t gpu.Thread, f F, g rows, q queue, round uint32, weight, looked []uint32) {
	if q.full() {
		return
	}
	first, last := g.row(q.nodes[q.place(round, t.Global().X)])
	gpu.AtomicAdd(&looked[0], last-first)
	for k := first; k < last; k++ {
		to := g.targets[k]
		if g.filter != 0 && g.kinds[k]&g.filter == 0 || !f.take(to) {
			continue
		}
		if !q.append(round, to) {
			return
		}
		gpu.AtomicAdd(&weight[0], 1)
	}
}

// expand is a wave over a queue whose nodes repeat.
//
//vyre:kernel workgroup=256
func expand(t gpu.Thread, round, edges, filter uint32, starts, targets, kinds, nodes, lengths, peak, weight, looked []uint32) {
	walk(t, every{}, rows{starts, targets, kinds, edges, filter}, queue{nodes, lengths, peak}, round, weight, looked)
}

// spread is a wave over a queue that each node enters once.
//
//vyre:kernel workgroup=256
func spread(t gpu.Thread, round, edges, filter uint32, starts, targets, kinds, visited, nodes, lengths, peak, weight, looked []uint32) {
	walk(t, once{visited}, rows{starts, targets, kinds, edges, filter}, queue{nodes, lengths, peak}, round, weight, looked)
}

// unmark takes all marks away.
//
//vyre:kernel workgroup=256
func unmark(t gpu.Thread, visited []uint32) { visited[t.Global().X] = 0 }

// mark marks the nodes that a run begins with.
//
//vyre:kernel workgroup=256
func mark(t gpu.Thread, visited, nodes []uint32) {
	v := nodes[t.Global().X]
	gpu.AtomicOr(&visited[v/32], 1<<(v%32))
}
