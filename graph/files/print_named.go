package files

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
)

// named writes a list with names. Nodes are numbered as they appear when it is read, so a node that would appear too late, or never,
// has a line of its own before.
func (p *printer) named(g *graph.CSR) error {
	name, err := uniqueNames(g)
	if err != nil {
		return err
	}
	d := g.Data()
	kind, err := p.kindLines(g, d.KindNames)
	if err != nil {
		return err
	}
	next := uint32(0)
	node := func(before uint32) {
		for ; next < before; next++ {
			fmt.Fprintf(p.w, "#:node %s\n", wordOf(name(next)))
		}
	}
	masked, weighted := g.Masks() != nil, d.Weights != nil
	p.arcsOf(g, func(u, v, mask, weight uint32) {
		node(u)
		if v > u+1 {
			node(v)
		}
		next = max(next, u+1, v+1)
		p.buf = append(append(append(p.buf[:0], wordOf(name(u))...), ' '), wordOf(name(v))...)
		if masked {
			p.buf = append(append(p.buf, ' '), kind(mask)...)
		} else if weighted {
			p.buf = append(p.buf, " -"...)
		}
		if weighted {
			p.buf = strconv.AppendUint(append(p.buf, ' '), uint64(weight), 10)
		}
		p.w.Write(append(p.buf, '\n'))
	})
	node(uint32(g.Nodes()))
	return nil
}

// uniqueNames returns what nodes are called: their names, where one of them may be empty, and their ids where several have none. The
// same name of two nodes would make one of them.
func uniqueNames(g *graph.CSR) (func(uint32) string, error) {
	if g.Data().Names.Len() == 0 {
		return func(node uint32) string { return strconv.FormatUint(uint64(node), 10) }, nil
	}
	of := called
	if !unnamed(g) {
		of = (*graph.CSR).Name
	}
	seen := make(map[string]uint32, g.Nodes())
	for node := range uint32(g.Nodes()) {
		name := of(g, node)
		if other, twice := seen[name]; twice {
			return nil, fmt.Errorf("nodes %d and %d are both called %q, and format %s knows nodes by their names; write them as vyg, or as el, which has ids", other, node, name, Named)
		}
		seen[name] = node
	}
	return func(node uint32) string { return of(g, node) }, nil
}

// kindLines writes which bits have which names, and returns how a mask is written: by names where reading finds the same bits by
// them.
func (p *printer) kindLines(g *graph.CSR, own [32]string) (func(mask uint32) string, error) {
	known, by := wellKnown(), make(map[string]int)
	for bit, name := range own {
		if name == "" {
			continue
		}
		if other, twice := by[name]; twice {
			return nil, fmt.Errorf("bits %d and %d of kinds are both called %q, and format %s knows kinds by their names; write them as vyg", other, bit, name, Named)
		}
		by[name], known[name] = bit, bit
		fmt.Fprintf(p.w, "#:kind %d %s\n", bit, wordOf(name))
	}
	return func(mask uint32) string {
		var names []string
		for _, name := range g.KindNames(mask) {
			bit := known[name]
			if plain := wordOf(name); mask>>bit&1 == 0 || strings.ContainsAny(plain, `+"`) || strings.ContainsRune("0123456789-.", rune(plain[0])) {
				if bits.OnesCount32(mask) == 1 && mask>>bit&1 != 0 {
					return strconv.Quote(name)
				}
				return fmt.Sprintf("%#x", mask)
			}
			names = append(names, name)
		}
		if written := strings.Join(names, "+"); allDistinct(names) {
			return written
		}
		return fmt.Sprintf("%#x", mask)
	}, nil
}

// allDistinct reports whether no name is there twice: of two bits that are called the same, one is found by it.
func allDistinct(names []string) bool {
	for i, name := range names {
		for _, other := range names[:i] {
			if name == other {
				return false
			}
		}
	}
	return true
}
