package main

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/govyre/vyre/graph"
)

// check compares with searches on one core, which take the best open node next (Dijkstra, 1959).
func check(g *graph.CSR, far []uint64, wide []uint32) error {
	shortest := best(g, 0, math.MaxUint64, func(x uint64, w uint32) uint64 { return x + uint64(w) }, func(a, b uint64) bool { return a < b })
	widest := best(g, math.MaxUint32, 0, func(x uint64, w uint32) uint64 { return min(x, uint64(w)) }, func(a, b uint64) bool { return a > b })
	for v := range far {
		if far[v] != shortest[v] || uint64(wide[v]) != widest[v] {
			return fmt.Errorf("node %d: %d away and %d wide, on one core %d and %d", v, far[v], wide[v], shortest[v], widest[v])
		}
	}
	return nil
}

// best returns what is best at each node, from node 0 on.
func best(g *graph.CSR, first, others uint64, along func(x uint64, w uint32) uint64, better func(a, b uint64) bool) []uint64 {
	facts := make([]uint64, g.Nodes())
	for v := range facts {
		facts[v] = others
	}
	facts[0] = first
	open := &places{better: better, list: []place{{0, first}}}
	for len(open.list) > 0 {
		p := heap.Pop(open).(place)
		if p.fact != facts[p.node] {
			continue
		}
		targets, _ := g.Row(p.node)
		for k, v := range targets {
			x := along(p.fact, g.Data().Weights[g.First(p.node)+k])
			if better(x, facts[v]) {
				facts[v] = x
				heap.Push(open, place{v, x})
			}
		}
	}
	return facts
}

// place is a node with a fact that is to be looked at; places are a heap of them.
type place struct {
	node uint32
	fact uint64
}

type places struct {
	list   []place
	better func(a, b uint64) bool
}

func (p *places) Len() int           { return len(p.list) }
func (p *places) Less(i, j int) bool { return p.better(p.list[i].fact, p.list[j].fact) }
func (p *places) Swap(i, j int)      { p.list[i], p.list[j] = p.list[j], p.list[i] }
func (p *places) Push(x any)         { p.list = append(p.list, x.(place)) }
func (p *places) Pop() any {
	last := p.list[len(p.list)-1]
	p.list = p.list[:len(p.list)-1]
	return last
}
