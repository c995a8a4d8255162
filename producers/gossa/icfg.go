package main

import (
	"context"
	"fmt"
	"go/token"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"

	"github.com/govyre/vyre/graph"
)

// icfg is the control flow of all functions that are reached: a node an instruction, an arc from each to those that may come
// next. A call leads into what it may call, from where returns lead to the instruction after the call; deferred calls are
// made where the function runs them, and a call in a goroutine never comes back.
type icfg struct {
	procs []*copied
	names []string // of procedures
	first []uint32 // the node of each procedure's first instruction
	of    map[*copied]int
	arcs  arcBlocks
	sites uint32
}

// control makes the graph of control flow.
func (c *calls) control(ctx context.Context, p *program, options string) (*graph.CSR, error) {
	g := &icfg{of: make(map[*copied]int)}
	for name := range c.byName {
		g.names = append(g.names, name)
	}
	slices.Sort(g.names)
	g.names = slices.DeleteFunc(g.names, func(name string) bool { return c.byName[name].f.Blocks == nil })
	nodes := 0
	for i, name := range g.names {
		g.procs = append(g.procs, c.byName[name])
		g.of[c.byName[name]] = i
		g.first = append(g.first, uint32(nodes))
		nodes += size(c.byName[name].f)
	}
	procedures := make([]uint32, 0, nodes)
	for i, of := range g.procs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.inside(i)
		for range size(of.f) {
			procedures = append(procedures, uint32(i))
		}
	}
	made, _, err := graph.FromBlocks(ctx, int64(nodes), g.arcs, graph.BuildOptions{Dedup: true})
	if err != nil {
		return nil, err
	}
	all := made.Data()
	g.arcs, all.Procedures = nil, procedures
	all.Names, all.Positions = g.texts(p, nodes)
	all.Attributes = map[string]string{"graph": "icfg", "procedures": strconv.Itoa(len(g.procs)), "call sites": fmt.Sprint(g.sites),
		"copies": strconv.Itoa(c.copies), "copies left out": strconv.Itoa(c.left)}
	all.Provenance = graph.Provenance{Producer: "gossa", Version: runtime.Version(), Options: options}
	return made.With(all)
}

// texts are the name of each node: its function, where it stands there, and what it is; and where it stands in the source.
func (g *icfg) texts(p *program, nodes int) (called, positions graph.Strings) {
	t, name, position := p.texts(), graph.Collect(nodes), graph.Collect(nodes)
	var sample room
	for i := 0; i < len(g.procs); i += oneIn {
		sample.of += size(g.procs[i].f)
		g.textsOf(p, t, i, sample.name, sample.position)
	}
	name.Reserve(sample.names(nodes))
	position.Reserve(sample.positions(nodes))
	for i := range g.procs {
		g.textsOf(p, t, i, name.Add, position.Add)
	}
	return name.Strings(), position.Strings()
}

// textsOf gives the texts of the nodes of a procedure. They are not to be kept.
func (g *icfg) textsOf(p *program, t *texts, proc int, name, position func([]byte)) {
	of := g.procs[proc]
	text := append(append(t.name[:0], g.names[proc]...), ": "...)
	begin, in := len(text), names.Package(of.f)
	where, last := t.position[:0], token.Pos(-1)
	places(of.f, func(b, k int, instr ssa.Instruction, at token.Pos) {
		text = strconv.AppendInt(text[:begin], int64(b), 10)
		text = strconv.AppendInt(append(text, '.'), int64(k), 10)
		text = t.what(append(text, ' '), instr)
		name(text)
		if at != last {
			where, last = p.at(where[:0], in, at, names.AppendPosition), at
		}
		position(where)
	})
	t.name, t.position = text, where
}

// inside makes the arcs that begin in a procedure, and those that come back to it.
func (g *icfg) inside(proc int) {
	f := g.procs[proc].f
	starts := make([]uint32, len(f.Blocks))
	at := g.first[proc]
	for i, b := range f.Blocks {
		starts[i] = at
		at += uint32(len(b.Instrs))
	}
	var deferred []*copied
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if d, is := i.(*ssa.Defer); is {
				deferred = append(deferred, g.procs[proc].sites[d]...)
			}
		}
	}
	for bi, b := range f.Blocks {
		for k, i := range b.Instrs {
			here := starts[bi] + uint32(k)
			if k == len(b.Instrs)-1 {
				for _, s := range b.Succs {
					g.arc(here, starts[s.Index], graph.KindControl, graph.NoSite)
				}
				continue
			}
			var callees []*copied
			returns := true
			switch i := i.(type) {
			case *ssa.Call:
				callees = g.procs[proc].sites[i]
			case *ssa.Go:
				callees, returns = g.procs[proc].sites[i], false
			case *ssa.RunDefers:
				callees = deferred
			}
			g.calls(here, here+1, callees, returns)
		}
	}
}

// calls makes the arcs of a call, and the one past it.
func (g *icfg) calls(here, next uint32, callees []*copied, returns bool) {
	kind, site := graph.KindControl, g.sites
	for _, c := range callees {
		to, ok := g.of[c]
		if !ok {
			continue
		}
		kind, g.sites = graph.KindCallToReturnSite, site+1
		g.arc(here, g.first[to], graph.KindCall, site)
		if returns {
			for _, exit := range g.exits(to) {
				g.arc(exit, next, graph.KindCallReturn, site)
			}
		}
	}
	g.arc(here, next, kind, graph.NoSite)
}

// exits are the returns of a procedure.
func (g *icfg) exits(proc int) (list []uint32) {
	at := g.first[proc]
	for _, b := range g.procs[proc].f.Blocks {
		at += uint32(len(b.Instrs))
		if _, is := b.Instrs[len(b.Instrs)-1].(*ssa.Return); is {
			list = append(list, at-1)
		}
	}
	return list
}

func (g *icfg) arc(from, to, mask, site uint32) { g.arcs.add(from, to, mask, site) }
