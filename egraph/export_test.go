package egraph

import (
	"fmt"
	"strings"
	"unsafe"
)

// Weaken takes bits from all signatures.
func (g *Graph) Weaken(bits uint32) { g.table.weak = bits }

// Crowd lets the table fill to 1 - 1/2^full before it grows.
func (g *Graph) Crowd(full uint8) { g.table.full = full }

// Fill is the part of the table's slots that is used.
func (g *Graph) Fill() float64 { return float64(g.table.used) / float64(len(g.table.row)) }

// Bytes are those of the columns and of all else that grows with rows.
func (g *Graph) Bytes() (columns, beyond int) {
	c := &g.columns
	columns = 4 * (cap(c.rowClass) + cap(c.rowHead) + cap(c.rowFirst) + cap(c.rowLen) + cap(c.kids) + cap(c.given))
	beyond = cap(g.types) + 4*cap(g.first) + 4*cap(g.sets.parent) + 4*cap(g.uses.last) + int(unsafe.Sizeof(use{}))*cap(g.uses.list) +
		5*cap(g.table.row) + 8*cap(c.dead)
	return columns, beyond
}

// Faults are mistakes to put in.
var Faults = map[string]func(*Graph){
	"dropping the exact compare": func(g *Graph) { g.fault, g.table.weak = faultCompare, 1<<32-1 },
	"leaving a changed row out":  func(g *Graph) { g.fault = faultWork },
	"stopping a round early":     func(g *Graph) { g.fault = faultEarly },
	"hooking to the larger root": func(g *Graph) { g.sets.larger = true },
}

// Walk makes the parallel form look at all rows in each round, whatever changed.
func (g *Graph) Walk() { g.fault = faultWalk }

// StampFault makes rows that move to another class count as old.
func StampFault(g *Graph) { g.fault = faultStamp }

// Unions lists the classes of all unions so far.
func (g *Graph) Unions() (list [][2]Class) {
	for i := range g.reasons.edges.len {
		e := g.reasons.edges.at(i)
		list = append(list, [2]Class{e.a, e.b})
	}
	return list
}

// Falsify puts the i-th mistake into a proof, and reports whether there is a place for it.
func (p *Proof) Falsify(i int) bool {
	for at := range p.steps {
		s := &p.steps[at]
		if s.kind != ruled {
			continue
		}
		switch s.vars = append([]int(nil), s.vars...); i {
		case 0:
			s.vars[0] = p.from
		case 1:
			s.after = p.from
		case 2:
			s.before = s.after
		case 3:
			s.back = !s.back
		case 4:
			s.place = append(s.place, 0)
		case 5:
			s.kind = folded
		case 6:
			p.to = p.from
		case 7:
			p.steps = p.steps[:at]
		}
		return true
	}
	return false
}

// ExplainClasses proves that the terms of two class ids are equal, of those too that have only their id.
func (g *Graph) ExplainClasses(a, b Class) (*Proof, error) {
	e := newExplainer(g)
	e.proof.from, e.proof.to = e.proof.terms.class(a), e.proof.terms.class(b)
	steps := e.walk(a, b, e.last())
	if e.left <= 0 {
		return nil, nil // too long
	}
	e.proof.finish(steps)
	return e.proof, nil
}

// Bans is how often a rule found too much and had to wait.
func (r Report) Bans() int { return r.bans }

// Steps is the number of steps.
func (p *Proof) Steps() int { return len(p.steps) }

// String prints the programs, for people.
func (rs *Rules) String() string {
	var b strings.Builder
	for _, p := range rs.list {
		fmt.Fprintf(&b, "%s %s\n", rs.names[p.number], p.rule.Type)
		for _, in := range p.code {
			rs.print(&b, &in)
		}
	}
	return b.String()
}

func (rs *Rules) print(b *strings.Builder, in *instruction) {
	name := func() string { return rs.heads.name(Head(in.head)) }
	switch in.do {
	case doRows:
		fmt.Fprintf(b, "\trows r%d %s r%d\n", in.r, name(), in.out)
	case doSame:
		fmt.Fprintf(b, "\tsame r%d r%d\n", in.r, in.s)
	case doConstant:
		fmt.Fprintf(b, "\tconst r%d %s\n", in.r, name())
	case doAny:
		fmt.Fprintf(b, "\tconst r%d\n", in.r)
	case doType:
		fmt.Fprintf(b, "\ttype r%d %s\n", in.r, in.t)
	case doLookup:
		fmt.Fprintf(b, "\tlookup r%d %s %v\n", in.r, name(), in.args)
	case doWhen:
		fmt.Fprintf(b, "\twhen %v\n", in.args)
	}
}
