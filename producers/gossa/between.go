package main

import (
	"context"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// between narrows questions to the part of a graph that lies on a way from a source to a sink, whatever calls that way goes by. All paths
// of findings are in it, and most programs have little of it.
type between struct {
	g     *graph.CSR
	first []int    // of the arcs that lead to a node, in from; one more than there are nodes
	from  []uint32 // where they come from
}

func newBetween(g *graph.CSR) *between {
	b := &between{g: g, first: make([]int, g.Nodes()+2)}
	for v := range uint32(g.Nodes()) {
		targets, _ := g.Row(v)
		for _, to := range targets {
			b.first[to+2]++
		}
	}
	for v := range g.Nodes() {
		b.first[v+2] += b.first[v+1]
	}
	b.from = make([]uint32, b.first[g.Nodes()+1])
	for v := range uint32(g.Nodes()) {
		targets, _ := g.Row(v)
		for _, to := range targets {
			b.from[b.first[to+1]] = v
			b.first[to+1]++
		}
	}
	return b
}

func (b *between) onward(v uint32) []uint32 {
	targets, _ := b.g.Row(v)
	return targets
}

func (b *between) backward(v uint32) []uint32 { return b.from[b.first[v]:b.first[v+1]] }

// spread adds all nodes to which some lead, but for those that are out.
func spread(to []bool, queue []uint32, out []bool, next func(uint32) []uint32) {
	reach := func(list []uint32) {
		for _, v := range list {
			if !to[v] && !out[v] {
				to[v] = true
				queue = append(queue, v)
			}
		}
	}
	start := queue
	queue = nil
	for reach(start); len(queue) > 0; {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		reach(next(v))
	}
}

// nodes are those on a way from a source to a sink, ascending. Sanitizers hold for all sources.
func (b *between) nodes(q session.TaintQuery) (list []uint32) {
	n := b.g.Nodes()
	out, reached, leading := make([]bool, n), make([]bool, n), make([]bool, n)
	for _, s := range q.Sanitizers {
		for _, v := range s.Nodes {
			out[v] = true
		}
	}
	for _, s := range q.Sources {
		spread(reached, s.Nodes, out, b.onward)
	}
	for v := range out {
		out[v] = !reached[v]
	}
	spread(leading, q.Sinks, out, b.backward)
	for v, is := range leading {
		if is {
			list = append(list, uint32(v))
		}
	}
	return list
}

// part is the graph of some nodes, with the arcs between them.
func (b *between) part(ctx context.Context, nodes []uint32, number map[uint32]uint32) (*graph.CSR, error) {
	of := b.g.Data()
	var arcs arcBlocks
	sites := make(map[uint32]uint32)
	for _, v := range nodes {
		targets, masks := b.g.Row(v)
		for k, to := range targets {
			if n, is := number[to]; is {
				site := uint32(noSite)
				if of.Sites != nil {
					site = numberedAnew(of.Sites[b.g.First(v)+k], sites)
				}
				arcs.add(number[v], n, masks[k], site)
			}
		}
	}
	g, _, err := graph.FromBlocks(ctx, int64(len(nodes)), arcs, graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	d := g.Data()
	d.Procedures = b.procedures(nodes)
	return g.With(d)
}

// numberedAnew is the number of a call site in a part: as many as there were before.
func numberedAnew(site uint32, sites map[uint32]uint32) uint32 {
	if site == noSite {
		return site
	}
	n, is := sites[site]
	if !is {
		n = uint32(len(sites))
		sites[site] = n
	}
	return n
}

// procedures are those of some nodes, numbered anew: there are no more than nodes.
func (b *between) procedures(nodes []uint32) (list []uint32) {
	of, number := b.g.Data().Procedures, make(map[uint32]uint32)
	for _, v := range nodes {
		n, is := number[of[v]]
		if !is {
			n = uint32(len(number))
			number[of[v]] = n
		}
		list = append(list, n)
	}
	return list
}

// ask asks about the part of the graph that matters, and answers as if all of it had been asked about.
func (a *asker) ask(q session.TaintQuery, o session.Options) (*session.Tainted, error) {
	all := &session.Tainted{Counts: make([]int, len(q.Sources))}
	nodes := a.between.nodes(q)
	if len(nodes) == 0 {
		return all, a.ctx.Err()
	}
	number := make(map[uint32]uint32, len(nodes))
	for n, v := range nodes {
		number[v] = uint32(n)
	}
	part, err := a.between.part(a.ctx, nodes, number)
	if err != nil {
		return nil, err
	}
	in := session.TaintQuery{Sinks: numbered(q.Sinks, number), Kinds: q.Kinds, Paths: q.Paths}
	var labels []int
	for label, s := range q.Sources {
		if s.Nodes = numbered(s.Nodes, number); len(s.Nodes) > 0 {
			in.Sources, labels = append(in.Sources, s), append(labels, label)
		}
	}
	if all, err = a.searched(part, in, o); err != nil {
		return nil, err
	}
	all.Counts = make([]int, len(q.Sources))
	for i := range all.Findings {
		f := &all.Findings[i]
		f.Sink, f.Label = nodes[f.Sink], labels[f.Label]
		all.Counts[f.Label]++
		for k := range f.Path {
			f.Path[k].Node = nodes[f.Path[k].Node]
		}
	}
	return all, nil
}

// numbered are the numbers of those nodes that have one.
func numbered(list []uint32, number map[uint32]uint32) (some []uint32) {
	for _, v := range list {
		if n, is := number[v]; is {
			some = append(some, n)
		}
	}
	return some
}
