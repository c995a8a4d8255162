package graph

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
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
	var wrong firstWrong
	p.all(portions(p.ctx, uint64(g.Arcs()), func(p Portion) {
		for u, last := p.Of(uint64(g.Nodes())); u < last && !p.end; u++ {
			if err := g.checkRow(p.polls, uint32(u)); err != nil && !p.end {
				wrong.at(u, err)
				return
			}
		}
	}))
	if p.end {
		return p.err()
	}
	return wrong.err
}

// firstWrong is the error of the first row that has one, whichever portion comes to it.
type firstWrong struct {
	mu  sync.Mutex
	row uint64
	err error
}

func (w *firstWrong) at(row uint64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || row < w.row {
		w.row, w.err = row, err
	}
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
	hashes := make(map[uint32][32]byte, len(f.table))
	for _, s := range f.table {
		full := hashed(p, f.bytes[s.offset:s.offset+s.length], f.unmap != nil)
		if p.end {
			return p.err()
		} else if [16]byte(full[:16]) != s.sum {
			return f.bad(int64(s.offset), s.String(), "checksum differs")
		}
		if _, there := hashes[s.kind]; !there { // as section finds it
			hashes[s.kind] = full
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
	f.found.hashes.Store(&hashes)
	return p.err()
}

// checkDigest compares the digest that the file states with that of what is in it.
func (f *file) checkDigest(p *polls) error {
	if d := digestOf(p, f.g); !p.end && d != f.head.digest {
		return f.bad(40, fmt.Sprintf("digest %x…", f.head.digest[:8]), fmt.Sprintf("that of what is in the file is %x…", d[:8]))
	}
	return p.err()
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

// checkFlags looks whether the arcs are as the header says. That they are symmetric is told by sums (see Symmetric): going
// after each arc's way back takes ten times as long.
func (f *file) checkFlags(p *polls) error {
	const all = flagSymmetric | flagSorted | flagSimple | flagNoSelf
	g, said := f.g, f.head.flags&all
	var holds atomic.Uint32
	var sums sums
	holds.Store(all)
	p.all(portions(p.ctx, uint64(g.Arcs()), func(p Portion) {
		flags, own := uint32(all), mirrored{}
		masks := g.kinds()
		for u, last := p.Of(uint64(g.Nodes())); u < last && !p.end; u++ {
			first, end := g.rows.row(uint32(u))
			for from, to := range p.pieces(first, end) {
				for i := from; i < to; i++ {
					v := g.targets[i]
					if v == uint32(u) {
						flags &^= flagNoSelf
					}
					if i > first && g.targets[i-1] == v {
						flags &^= flagSimple
					}
					if said&flagSymmetric != 0 {
						own.arc(u, uint64(v), orOne(masks, int(i)))
					}
				}
			}
		}
		holds.And(flags)
		sums.add(own)
	}))
	if p.end {
		return p.err()
	}
	if !sums.equal() {
		holds.And(^uint32(flagSymmetric))
	}
	if wrong := said &^ holds.Load(); wrong != 0 {
		return f.bad(12, fmt.Sprintf("flags %#x", f.head.flags), fmt.Sprintf("of these %#x do not hold", wrong))
	}
	f.found.symmetric.Store(said&flagSymmetric != 0)
	return nil
}
