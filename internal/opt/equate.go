package opt

import (
	"strconv"
	"sync"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// equate puts the cheapest equal terms in the place of arithmetic. Rules that go down one at a time block each other, so it
// keeps all equal terms at once, in e-graphs (package egraph): rules add to them in rounds, and then the cheapest is taken.
//
// Pure, exact, scalar values are islands: their rows become rows of an e-graph. All else that they touch is a leaf, one for
// each value, so that nothing with an effect is repeated or moved. Up to maxEquated rows of a program are one e-graph; a
// larger program is cut between rows of its outermost regions, or where one region is too large, within that.
//
// A value is replaced where every row of the new term is there, or can be made of what is; where the program's own rows cost
// less then, those counted that nothing needs any more; and where rounds of loops do not cost more (equate_place.go). What
// the range analysis knows of a leaf where it is defined holds wherever the leaf may be used, and goes into the e-graph; what
// a condition says holds in its region only, and stays out.
//
// An e-graph has at most equateGrowth rows for each that came in, and 256, so rounds are O(rows); so is the walk that replaces, but for
// what terms of values that stay have in common, of which it looks at equateLooks for each row.
func equate(w *work) { w.equate(nil) }

func (w *work) equate(find Search) {
	e := &equating{w: w}
	if !e.islands() {
		return
	}
	e.graphs()
	e.facts()
	for i := range e.parts {
		if e.parts[i].saturate(w); find != nil {
			e.parts[i].search(w, find)
		}
	}
	newPlacing(e).walk()
	w.equated = true
	if w.stats.Rewrites != nil {
		for i := range e.parts {
			if p := &e.parts[i]; p.limit != "" && p.replaced {
				w.stats.Stopped = p.limit
			}
		}
	}
}

const (
	minEquated    = 2    // rows of an island
	maxEquated    = 4096 // rows of a program in one e-graph
	equateRounds  = 6    // two more change few kernels, and take a sixth of the time of all
	equateGrowth  = 4    // rows of an e-graph for each that came in
	equateSpare   = 256
	equateMatches = 32 // of rules applied for each
	equateLooks   = 64 // nodes of terms looked at for each row
)

// equating is a run of equate.
type equating struct {
	w     *work
	part  []uint32 // by row: 1 + the e-graph that it is in, 0 for none
	size  []int    // by region: island rows in it and below
	leaf  []bool   // by row: some e-graph has it as a leaf
	known []interval.Interval
	parts []equatedPart
}

// equatedPart is an e-graph and what it has of the program.
type equatedPart struct {
	g        *egraph.Graph
	class    map[ir.Row]egraph.Class // of island rows, leaves and constants
	leaves   []ir.Row                // by head: the value that is a leaf, NoRow for other heads
	rows     []ir.Row                // of islands, in program order
	roots    []ir.Row                // of them, used elsewhere
	at       map[ir.Row]int          // by root: its number among the roots of term
	term     *egraph.Term
	nodes    map[egraph.Class]int // of the term, by their classes
	limit    string               // at which it stopped, if it did
	replaced bool
	retries  int
}

// equatable reports whether row r is of an island: a pure and exact op of scalars.
func (w *work) equatable(r ir.Row) bool {
	in := w.info(r)
	if in.Args == 0 || in.List || !w.pure(r) || in.Attr&(ir.Approximate|ir.Expanded) != 0 || exact.Of(w.Op[r]) == nil || !scalar(w.Type[r]) {
		return false
	}
	for _, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
		if v != ir.NoRow && !scalar(w.Type[v]) {
			return false
		}
	}
	return true
}

// inChains are the rows of carries and of the sums that take them. A target makes a carry and its sum by one instruction, which costs
// of terms do not say: another sum, equal and as short, would be one more.
func (w *work) inChains() map[ir.Row]bool {
	var of map[ir.Row]bool
	bit := func(v ir.Row) bool { return v != ir.NoRow && (w.Op[v] == ir.OpCarry || w.Op[v] == ir.OpBorrow) }
	sum := func(v ir.Row) bool { return v != ir.NoRow && (w.Op[v] == ir.OpAdd || w.Op[v] == ir.OpSub) }
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow || !bit(r) && !(sum(r) && (bit(w.A(r)) || bit(w.B(r)))) {
			continue
		}
		if of == nil {
			of = make(map[ir.Row]bool)
		}
		of[r] = true
		if sum(r) {
			for _, v := range [...]ir.Row{w.A(r), w.B(r)} {
				of[v] = of[v] || sum(v)
			}
		}
	}
	return of
}

func scalar(t ir.Type) bool { return t >= ir.Bool && t <= ir.BF16 }

// islands finds the rows of islands and how many each region has. An island of fewer than minEquated rows stays out: what
// its terms are equal to algebra finds too. It reports whether there is any.
func (e *equating) islands() bool {
	w := e.w
	e.part, e.size = make([]uint32, w.Rows()), make([]int, len(w.Regions))
	sets := make([]ir.Row, w.Rows()) // of connected rows, by the first one
	count := make([]int32, w.Rows())
	linked := w.inChains()
	find := func(v ir.Row) ir.Row {
		for sets[v] != v {
			sets[v] = sets[sets[v]]
			v = sets[v]
		}
		return v
	}
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow || linked[r] || !w.equatable(r) {
			continue
		}
		e.part[r], sets[r], count[r] = 1, r, 1
		w.each(r, func(v ir.Row) {
			if e.part[v] == 0 {
				return
			}
			if a, b := find(v), find(r); a != b {
				lo, hi := min(a, b), max(a, b)
				sets[hi] = lo
				count[lo] += count[hi]
			}
		})
	}
	some := false
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atEnd:
			for i := range w.regions(r) {
				e.size[w.Region[r]] += e.size[w.X[r]+i]
			}
		case it.at != atRow || e.part[r] == 0:
		case count[find(r)] < minEquated:
			e.part[r] = 0
		default:
			e.size[w.Region[r]]++
			some = true
		}
	}
	return some
}

// graphs cuts the program and makes rows of e-graphs of it.
func (e *equating) graphs() {
	w := e.w
	e.leaf = make([]bool, w.Rows())
	e.begin()
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow {
			continue
		}
		now := &e.parts[len(e.parts)-1]
		below := 1
		for i := range w.regions(r) {
			below += e.size[w.X[r]+i]
		}
		if n := len(now.rows); n > 0 && n+below > maxEquated && (n >= maxEquated || below <= maxEquated) {
			e.begin()
		}
		if e.part[r] != 0 {
			e.add(r)
		}
		e.use(r)
	}
}

func (e *equating) begin() {
	e.parts = append(e.parts, equatedPart{g: egraph.New(), class: make(map[ir.Row]egraph.Class), at: make(map[ir.Row]int)})
}

// add makes a row of the e-graph of an island's row.
func (e *equating) add(r ir.Row) {
	w, n := e.w, len(e.parts)
	p := &e.parts[n-1]
	e.part[r] = uint32(n)
	var kids [3]egraph.Class
	args, of := w.info(r).Args, [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	for i, v := range of[:args] {
		kids[i] = e.operand(p, v)
	}
	p.class[r] = p.g.Add(p.g.Head(egraph.HeadInfo{Op: w.Op[r], Type: w.Type[r], X: w.immediate(r)}), kids[:args]...)
	p.rows = append(p.rows, r)
}

// immediate is the one of an op whose meaning has one.
func (w *work) immediate(r ir.Row) uint32 {
	if w.info(r).Imm == ir.ImmNone {
		return 0
	}
	return w.X[r]
}

func (e *equating) operand(p *equatedPart, v ir.Row) egraph.Class {
	w := e.w
	if c, ok := p.class[v]; ok {
		return c
	}
	h := egraph.HeadInfo{Name: "%" + strconv.Itoa(int(v)), Type: w.Type[v]}
	bits, constant := w.bits(v)
	if constant {
		h = egraph.HeadInfo{Op: ir.OpConst, Type: w.Type[v], Bits: bits}
	} else {
		if name, ok := w.Debug.Names[v]; ok {
			h.Name = "%" + name + "." + strconv.Itoa(int(v))
		}
		e.leaf[v] = true
	}
	head := p.g.Head(h)
	for len(p.leaves) <= int(head) {
		p.leaves = append(p.leaves, ir.NoRow)
	}
	if !constant {
		p.leaves[head] = v
	}
	p.class[v] = p.g.Add(head)
	return p.class[v]
}

// use makes roots of those operands of row r that are in another e-graph than r, or while r is in none.
func (e *equating) use(r ir.Row) {
	e.w.each(r, func(v ir.Row) {
		if n := e.part[v]; n != 0 && n != e.part[r] {
			p := &e.parts[n-1]
			if _, ok := p.at[v]; !ok {
				p.at[v] = len(p.roots)
				p.roots = append(p.roots, v)
			}
		}
	})
}

// facts finds what is known of leaves where they are defined.
func (e *equating) facts() {
	w := e.w
	e.known = make([]interval.Interval, w.Rows())
	n := ir.Row(len(e.leaf))
	tell := func(v ir.Row, i *interval.Interval) {
		if t := w.Type[v]; v < n && e.leaf[v] && (t.IsInt() || t == ir.Bool) {
			e.known[v].Set(i)
		}
	}
	w.ranges(func(g *ranges, r ir.Row) {
		for at := w.prev[r]; at != ir.NoRow && w.Op[at] == ir.OpRes; at = w.prev[at] {
			if at < n && e.leaf[at] {
				tell(at, g.of(at))
			}
		}
		if r < n && e.leaf[r] && (w.Type[r].IsInt() || w.Type[r] == ir.Bool) {
			if w.Op[r] == ir.OpArg && w.Region[r] != 0 {
				tell(r, g.of(r))
			} else {
				var i interval.Interval
				g.transfer(r, &i)
				tell(r, &i)
			}
		}
		if !w.must(checkFactPlace, false) {
			return
		}
		w.each(r, func(v ir.Row) {
			if i := g.at(v); i.Within(&e.known[v]) {
				tell(v, i)
			}
		})
	})
	for i := range e.parts {
		p := &e.parts[i]
		for _, v := range p.leaves {
			if v != ir.NoRow && e.says(v) {
				p.g.Assume(p.class[v], e.known[v])
			}
		}
	}
}

// says reports whether anything is known about leaf v.
func (e *equating) says(v ir.Row) bool {
	t := e.w.Type[v]
	if !t.IsInt() && t != ir.Bool {
		return false
	}
	i := &e.known[v]
	var nothing, full interval.Interval
	full.Full(interval.WidthOf(t))
	return !i.Same(&nothing) && !i.Same(&full) && i.Lo <= i.Hi && i.SLo <= i.SHi && i.Zeros&i.Ones == 0
}

// equalities is the rule table as e-graphs read it.
var equalities = sync.OnceValue(func() *egraph.Rules {
	rs, err := egraph.Compile(rules.Table())
	if err != nil {
		panic("BUG: opt: " + err.Error())
	}
	return rs
})

// saturate runs the rules and takes the cheapest terms of the roots.
func (p *equatedPart) saturate(w *work) {
	if len(p.roots) == 0 {
		return
	}
	rep, err := p.g.Run(equalities(), egraph.Limits{
		Rows: equateGrowth*len(p.rows) + equateSpare, Rounds: equateRounds, Matches: equateMatches * (len(p.rows) + equateSpare)})
	if err != nil {
		panic("BUG: opt: " + err.Error())
	}
	p.limit = rep.Stopped
	w.visits += rep.Matches + p.g.Rows()
	p.term = p.extract(nil, p.roots...)
}

// extract takes the cheapest terms of rows, of leaves that are allowed.
func (p *equatedPart) extract(allow func(egraph.Head) bool, rows ...ir.Row) *egraph.Term {
	classes := make([]egraph.Class, len(rows))
	for i, r := range rows {
		classes[i] = p.class[r]
	}
	return p.g.Extract(egraph.Costs{Of: p.cost, Allow: allow}, classes...)
}

// cost is that of a head, in instructions.
func (p *equatedPart) cost(h egraph.Head) uint64 {
	info := p.g.Info(h)
	switch info.Op {
	case 0:
		return 0
	case ir.OpConst:
		return constantCost
	case ir.OpCvt, ir.OpBitcast:
		return instruction
	}
	return OpCost(info.Op, info.Type, info.Type)
}
