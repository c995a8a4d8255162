package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
)

// Paths are the shortest paths from the seeds of a query, by the sums of their arcs' weights. The distances stay
// where they were found until they are asked for. If another question took their memory meanwhile, they are found
// again, the same. A Paths is for one goroutine.
type Paths struct {
	Run      Run
	Reached  int    // nodes
	Farthest uint64 // distance of one

	s         *Session
	q         Query
	distances []uint64 // once they were read
	parents   []uint32 // of a native engine, once they were found
}

// Paths returns the shortest paths from the seeds of a query. Weights are those of the graph, and distances their
// sums, which 64 bits always hold. The first call prepares the search, which takes 8 bytes a node and 4 an arc, or 12
// a node where 32 bits are too few.
//
// Errors: those of Batch; a graph without weights; a graph in parts.
func (s *Session) Paths(ctx context.Context, q Query) (*Paths, error) {
	if err := made(s); err != nil {
		return nil, err
	}
	q, err := s.resident.settle(0, q)
	if err != nil {
		return nil, err
	}
	if len(s.resident.g.Data().Weights) == 0 {
		return nil, s.resident.refuse("the graph has no weights", "ask Path, for which every arc is one step")
	}
	q.Seeds = slices.Clone(q.Seeds)
	p := &Paths{s: s, q: q}
	if err := p.ask(ctx, func(by byWeights) error { return by.find(ctx, p) }); err != nil {
		return nil, err
	}
	return p, nil
}

// ask is a call to the session about paths.
func (p *Paths) ask(ctx context.Context, do func(by byWeights) error) (err error) {
	set := p.s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return err
	}
	defer set.exit(&err)
	var moved Run
	before := set.moved
	err = do(by.byWeights())
	set.moved.since(before, &moved)
	p.Run.Uploaded += moved.Uploaded
	p.Run.Read += moved.Read
	return err
}

// Distance returns the distance of a node: math.MaxUint64 if it is not reached.
//
// Errors: a node that the graph does not have; those of the device.
func (p *Paths) Distance(ctx context.Context, node uint32) (uint64, error) {
	if err := p.has(node); err != nil {
		return 0, err
	}
	if p.distances != nil {
		return p.distances[node], nil
	}
	var d [1]uint64
	err := p.ask(ctx, func(by byWeights) error { return by.distances(ctx, p, node, d[:]) })
	return d[0], err
}

func (p *Paths) has(node uint32) error {
	if err := made(p.s); err != nil {
		return err
	}
	if n := p.s.resident.g.Nodes(); int64(node) >= int64(n) {
		return p.s.resident.refuse(fmt.Sprintf("node %d, and the graph has %d", node, n), "nodes count from 0")
	}
	return nil
}

// Distances returns the distance of each node, math.MaxUint64 where it is not reached, in dst if that has room for it.
//
// Errors: those of the device.
func (p *Paths) Distances(ctx context.Context, dst []uint64) ([]uint64, error) {
	if err := made(p.s); err != nil {
		return nil, err
	}
	dst = slices.Grow(dst[:0], p.s.resident.g.Nodes())[:p.s.resident.g.Nodes()]
	if p.distances != nil {
		copy(dst, p.distances)
		return dst, nil
	}
	if err := p.ask(ctx, func(by byWeights) error { return by.distances(ctx, p, 0, dst) }); err != nil {
		return nil, err
	}
	return dst, nil
}

// Parents returns the node before each one on a shortest path, in dst if that has room for it: the least that is
// nearer. If there are only such as are as near, it is the least of those that arcs of weight 0 separate least from a
// node that has a parent which is nearer, or from a seed. None are those of seeds, and of nodes that are not reached.
// The first call takes 4 bytes a node.
//
// Errors: those of the device.
func (p *Paths) Parents(ctx context.Context, dst []uint32) ([]uint32, error) {
	if err := made(p.s); err != nil {
		return nil, err
	}
	dst = slices.Grow(dst[:0], p.s.resident.g.Nodes())[:p.s.resident.g.Nodes()]
	if p.parents != nil {
		copy(dst, p.parents)
		return dst, nil
	}
	err := p.ask(ctx, func(by byWeights) error {
		return by.parents(ctx, p, func(parents []uint32) error {
			copy(dst, parents)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// To returns the path to a node, that of Parents, and beside each step the sum of the weights up to there; none if it
// is not reached. The first call finds all parents.
//
// Errors: those of Distance and Parents.
func (p *Paths) To(ctx context.Context, node uint32) (path []Step, sums []uint64, err error) {
	far, err := p.Distance(ctx, node)
	if err != nil || far == math.MaxUint64 {
		return nil, nil, err
	}
	walk := func(parents []uint32) error {
		return p.s.resident.g.Read(func() error {
			path, sums = p.walk(parents, node)
			return nil
		})
	}
	if p.parents != nil {
		err = walk(p.parents)
	} else {
		err = p.ask(ctx, func(by byWeights) error { return by.parents(ctx, p, walk) })
	}
	return path, sums, err
}

// walk goes back from a node, and sums up on the way forward.
func (p *Paths) walk(parents []uint32, node uint32) (path []Step, sums []uint64) {
	for v := node; v != graph.None; v = parents[v] {
		path = append(path, Step{Node: v})
	}
	slices.Reverse(path)
	sums = make([]uint64, len(path))
	for i := 1; i < len(path); i++ {
		mask, weight := p.lightest(path[i-1].Node, path[i].Node)
		path[i].Mask, sums[i] = mask, sums[i-1]+uint64(weight)
	}
	return path, sums
}

// lightest is the first of the allowed arcs between two nodes that have the least weight: that is what they are apart, where
// one is before the other on a shortest path.
func (p *Paths) lightest(u, v uint32) (mask, weight uint32) {
	g, filter := p.s.resident.g, p.s.resident.kinds(p.q)
	all := rowsOf(g)
	targets, masks := all.of(u)
	weights := g.Data().Weights[g.First(u):]
	for i, _ := slices.BinarySearch(targets, v); i < len(targets) && targets[i] == v; i++ {
		if m := maskAt(masks, i); m&filter != 0 && (mask == 0 || weights[i] < weight) {
			mask, weight = m, weights[i]
		}
	}
	return mask, weight
}

// weighed is what the weights of a graph come to.
type weighed struct {
	least, most uint32
	step        uint64 // of limits: 32 arcs of middling weight, as many times as there are nodes for an arc
}

func weigh(g *graph.CSR) (w weighed) {
	sum := uint64(0)
	w.least = math.MaxUint32
	for _, x := range g.Data().Weights {
		w.least, w.most, sum = min(w.least, x), max(w.most, x), sum+uint64(x)
	}
	m := float64(g.Arcs())
	w.step = uint64(max(1, min(math.Ceil(32*float64(sum)*float64(g.Nodes())/m/m), 1<<62)))
	return w
}

// wide reports whether distances of so many nodes need 64 bits.
func (w weighed) wide(nodes int) bool { return uint64(nodes-1)*uint64(w.most) >= math.MaxUint32 }

func (n *native) byWeights() byWeights { return nativePaths{n} }

// nativePaths finds paths on the cores of the host.
type nativePaths struct{ *native }

func (n nativePaths) find(ctx context.Context, p *Paths) error {
	began := time.Now()
	p.distances = make([]uint64, n.s.g.Nodes())
	if n.weighed == nil {
		w := weigh(n.s.g)
		n.weighed = &w
	}
	stats, err := n.e.Paths(ctx, p.q.Seeds, n.s.kinds(p.q), n.s.g.Data().Weights, n.weighed.step, p.distances)
	if err != nil {
		return err
	}
	for _, d := range p.distances {
		if d != cpu.Far {
			p.Farthest = max(p.Farthest, d)
		}
	}
	p.Run, p.Reached = n.ran(began, stats), int(stats.Reached)
	return nil
}

func (n nativePaths) distances(_ context.Context, p *Paths, first uint32, dst []uint64) error {
	copy(dst, p.distances[first:])
	return nil
}

func (n nativePaths) parents(ctx context.Context, p *Paths, use func([]uint32) error) error {
	found := make([]uint32, n.s.g.Nodes())
	if err := n.e.PathParents(ctx, p.q.Seeds, n.s.kinds(p.q), n.s.g.Data().Weights, p.distances, found); err != nil {
		return err
	}
	p.parents = found
	return use(found)
}

func (e partEngine) byWeights() byWeights { return noPaths{e} }

// noPaths refuses paths of a graph in parts, so that there are none to be asked about.
type noPaths struct{ e partEngine }

func (n noPaths) find(context.Context, *Paths) error {
	_, err := n.e.whole("a search for shortest paths", func(whole *runner) uint64 { return wantNearFar(whole).bytes + wantWeights(whole).bytes })
	return err
}

func (n noPaths) distances(ctx context.Context, p *Paths, _ uint32, _ []uint64) error {
	return n.find(ctx, p)
}

func (n noPaths) parents(ctx context.Context, p *Paths, _ func([]uint32) error) error {
	return n.find(ctx, p)
}
