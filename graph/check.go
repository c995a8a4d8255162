package graph

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/graph/internal/mix"
)

// check looks for the first broken invariant, until the context ends.
func (g *arrays) check(p *polls) error {
	if err := g.checkShape(); err != nil {
		return err
	}
	for u := range g.Nodes() {
		if p.Ended() {
			return p.err()
		}
		switch from, to := g.rows.row(uint32(u)); {
		case to < from:
			return fmt.Errorf("graph: row %d: offset %d after %d", u, to, from)
		case to-from > mostInRow:
			return fmt.Errorf("graph: row %d: %d arcs, at most %d are in one", u, to-from, uint64(mostInRow))
		}
	}
	if last := g.rows.at(g.Nodes()); last != uint64(g.Arcs()) {
		return fmt.Errorf("graph: the last offset is %d, and there are %d targets", last, g.Arcs())
	}
	for u := range g.Nodes() {
		if err := g.checkRow(p, uint32(u)); err != nil {
			return err
		}
	}
	return p.err()
}

// mostInRow is how many arcs one node may have: parts of rows are counted with 32 bits.
const mostInRow = math.MaxUint32

func tooMany(arcs uint64) error {
	return fmt.Errorf("graph: %d arcs, at most %d are possible", arcs, uint64(MaxArcs))
}

// checkShape compares the lengths of the arrays.
func (g *arrays) checkShape() error {
	switch {
	case g.rows.len() == 0:
		return fmt.Errorf("graph: no offsets; a graph of n nodes has n+1, the first of them 0")
	case uint64(g.Nodes()) > MaxNodes:
		return fmt.Errorf("graph: %d nodes, at most %d have ids", g.Nodes(), uint64(MaxNodes))
	case uint64(g.Arcs()) > MaxArcs:
		return tooMany(uint64(g.Arcs()))
	case g.rows.at(0) != 0:
		return fmt.Errorf("graph: offsets start at %d, not at 0", g.rows.at(0))
	case g.kinds() != nil && len(g.kinds()) != len(g.targets):
		return fmt.Errorf("graph: %d masks for %d arcs", len(g.kinds()), len(g.targets))
	}
	return nil
}

// checkRow looks at the arcs of one node.
func (g *arrays) checkRow(p *polls, u uint32) error {
	targets, masks := g.row(u)
	for from, to := range p.pieces(0, uint64(len(targets))) {
		if err := g.checkArcs(u, targets, masks, int(from), int(to)); err != nil {
			return err
		}
	}
	return p.err()
}

// checkArcs looks at some of the arcs of a node.
func (g *arrays) checkArcs(u uint32, targets, masks []uint32, from, to int) error {
	for i := from; i < to; i++ {
		switch v := targets[i]; {
		case uint64(v) >= uint64(g.Nodes()):
			return fmt.Errorf("graph: arc %d of row %d: target %d, but n = %d", i, u, v, g.Nodes())
		case masks != nil && masks[i] == 0:
			return fmt.Errorf("graph: arc %d of row %d, to %d: mask 0 can never be allowed", i, u, v)
		case i == 0 || targets[i-1] < v:
		case targets[i-1] > v:
			return fmt.Errorf("graph: arc %d of row %d: target %d after %d; rows ascend", i, u, v, targets[i-1])
		case masks != nil && masks[i-1] > masks[i]:
			return fmt.Errorf("graph: arc %d of row %d, to %d: mask %#x after %#x; equal targets ascend by mask", i, u, v, masks[i], masks[i-1])
		}
	}
	return nil
}

// check looks for what is wrong until the context ends; then what it returns says nothing.
func (f *file) check(p *polls) error {
	for _, s := range f.table {
		if sum := sectionSum(p, f.bytes[s.offset:s.offset+s.length], f.unmap != nil); p.end {
			return p.err()
		} else if sum != s.sum {
			return f.bad(int64(s.offset), s.String(), "checksum differs")
		}
	}
	if err := f.checkKinds(p); err != nil {
		return err
	}
	g := f.g
	if err := g.check(p); err != nil {
		return f.bad(0, err.Error(), "")
	}
	for what, s := range map[string]Strings{"names": g.data.Names, "positions": g.data.Positions} {
		if err := s.check(p); err != nil {
			return f.bad(0, what, err.Error())
		}
	}
	if err := f.checkFlags(p); err != nil {
		return err
	}
	if d := digestOf(p, g); d != f.head.digest {
		return f.bad(40, fmt.Sprintf("digest %x…", f.head.digest[:8]), fmt.Sprintf("that of what is in the file is %x…", d[:8]))
	}
	return nil
}

// checkKinds looks whether kinds that are an index are in the table, and unpacks them.
func (f *file) checkKinds(p *polls) error {
	if f.head.kinds != 1 {
		return nil
	}
	table, kinds := uint64(len(f.section(kindTableSection))/4), f.section(kindsSection)
	for from, to := range p.pieces(0, uint64(len(kinds))) {
		for i, k := range kinds[from:to] {
			if uint64(k) >= table {
				return f.bad(0, fmt.Sprintf("arc %d: kind %d", from+uint64(i), k), fmt.Sprintf("the table has %d", table))
			}
		}
	}
	if p.end {
		return p.err()
	}
	_, err := f.unpacking(p)
	return err
}

// checkFlags looks whether the arcs are as the header says. That they are symmetric is told by two sums over the arcs each
// way round, in any order: going after each arc's way back takes ten times as long, and what differs by accident differs in
// the sums.
func (f *file) checkFlags(p *polls) error {
	g := f.g
	holds := uint32(flagSymmetric | flagSorted | flagSimple | flagNoSelf)
	var ahead, back [2]uint64
	masks := g.kinds()
	for u := range g.Nodes() {
		first, last := g.rows.row(uint32(u))
		for from, to := range p.pieces(first, last) {
			for i := from; i < to; i++ {
				v := g.targets[i]
				if v == uint32(u) {
					holds &^= flagNoSelf
				}
				if i > first && g.targets[i-1] == v {
					holds &^= flagSimple
				}
				if f.head.flags&flagSymmetric == 0 {
					continue
				}
				with := mix.Golden * uint64(orOne(masks, int(i)))
				a, b := mix.Mix64((uint64(u)<<32|uint64(v))+with), mix.Mix64((uint64(v)<<32|uint64(u))+with)
				ahead[0], ahead[1] = ahead[0]+a, ahead[1]+a*a
				back[0], back[1] = back[0]+b, back[1]+b*b
			}
		}
		if p.end {
			return p.err()
		}
	}
	if ahead != back {
		holds &^= flagSymmetric
	}
	if wrong := f.head.flags & (flagSymmetric | flagSorted | flagSimple | flagNoSelf) &^ holds; wrong != 0 {
		return f.bad(12, fmt.Sprintf("flags %#x", f.head.flags), fmt.Sprintf("of these %#x do not hold", wrong))
	}
	return nil
}
