package superopt

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/allinputs"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

const (
	maxRows  = 64 // of a root's term
	maxTried = 4  // candidates of a root whose inputs are tried, or are too many
	glance   = 4  // inputs after which most rows are known to differ
)

// Use gives the pass search a bank, and a device on which all inputs are tried. What it finds and cannot prove it reports, a line
// a term. Call it before anything is compiled; a device of another pass choice may be the same.
func Use(ctx context.Context, b *Bank, dev driver.Device, report func(line string)) *Finder {
	f := &Finder{ctx: ctx, bank: b, dev: dev, report: report, said: make(map[string]bool), known: make(map[string]verdict)}
	compile.Bank = b.Digest
	opt.SetSearch(f.find)
	return f
}

// Finder is the search of a process.
type Finder struct {
	ctx    context.Context
	bank   *Bank
	dev    driver.Device
	report func(string)

	mu    sync.Mutex
	said  map[string]bool
	known map[string]verdict // by root and candidate
	listing
}

// root is a term that is looked up.
type root struct {
	g       *egraph.Graph
	t       *egraph.Term
	kernel  string
	nodes   []int // of the term, operands first
	leaves  []leafOf
	rng     *rand.Rand
	bound   [numLeaves]*leafOf // what the leaves of the bank stand for
	values  int
	typ     ir.Type
	swept   int        // candidates for which inputs were tried, or were too many
	counter [][]uint64 // values of leaves that refuted some
	cost    func(egraph.Head) uint64
}

// leafOf is a leaf, or a constant, of a root's term.
type leafOf struct {
	node  int
	info  egraph.HeadInfo
	known bool
	facts egraph.Facts
	term  *allinputs.Term
}

// candidate is a row of the bank.
type candidate struct {
	row  int32
	cost uint64
}

// find looks up the root of a term.
func (f *Finder) find(kernel string, g *egraph.Graph, t *egraph.Term, cost func(egraph.Head) uint64) (to egraph.Class, proof string, ok bool) {
	r := &root{g: g, t: t, kernel: kernel, cost: cost, rng: rand.New(rand.NewPCG(13, 0))}
	if !r.gather() {
		return 0, "", false
	}
	b, err := f.table(r.typ, r.values)
	if err != nil {
		f.say("search: no bank of terms over " + r.typ.String() + ": " + err.Error())
	}
	if b == nil {
		return 0, "", false
	}
	name := ""
	if b.only != nil || f.lists() {
		name = digest(r.key(r.pair(b, -1)))
	}
	unproved, first, found := "", candidate{}, Found{Root: r.text()}
	for _, c := range r.candidates(b) {
		if r.swept == maxTried || len(found.Terms) == maxListed {
			break
		}
		if only, ok := b.only[name]; b.only != nil && !(ok && only == c.row) {
			continue
		}
		switch v := f.prove(r, b, c.row); v.outcome {
		case proved:
			if !f.lists() {
				return r.make(b, c.row), v.how, true
			}
			if len(found.Terms) == 0 {
				first, proof = c, v.how
			}
			found.add(r, b, c.row, name, v.how)
		case unknown:
			if r.swept++; unproved == "" {
				unproved = fmt.Sprintf("search: kernel %s: %v may be %s: %s, so it is not used", kernel, r.text(), r.write(b, c.row), v.how)
			}
		}
	}
	if len(found.Terms) > 0 {
		f.list(name, found)
		return r.make(b, first.row), proof, true
	}
	if unproved != "" {
		f.say(unproved)
	}
	return 0, "", false
}

// say reports a line once.
func (f *Finder) say(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.said[line] {
		f.said[line] = true
		f.report(line)
	}
}

// gather lists the nodes of the root, and gives its leaves places in the bank. It reports whether a bank has terms like it.
func (r *root) gather() bool {
	seen := make(map[int]bool)
	var visit func(n int) bool
	visit = func(n int) bool {
		if seen[n] {
			return true
		}
		if seen[n] = true; len(seen) > maxRows {
			return false
		}
		for _, k := range r.t.Nodes[n].Kids {
			if !visit(k) {
				return false
			}
		}
		r.nodes = append(r.nodes, n)
		return true
	}
	if !visit(r.t.Roots[0]) || len(r.t.Nodes[r.t.Roots[0]].Kids) == 0 {
		return false
	}
	for _, n := range r.nodes {
		info := r.g.Info(r.t.Nodes[n].Head)
		if info.Op == 0 || info.Op == ir.OpConst {
			r.leaves = append(r.leaves, leafOf{node: n, info: info})
		}
	}
	values, bools, constants := 0, 0, 0
	for i := range r.leaves {
		l := &r.leaves[i]
		t := l.info.Type
		place := leaf(0)
		switch {
		case l.info.Op == ir.OpConst:
			continue
		case t == ir.Bool:
			place = firstBool + leaf(bools)
			bools++
		case r.typ == ir.None || r.typ == t:
			r.typ = t
			place = leaf(values)
			values++
		default:
			return false
		}
		if values > int(firstBool) || bools > int(firstConstant-firstBool) {
			return false
		}
		l.facts, l.known = r.g.Facts(r.g.Find(r.t.Nodes[l.node].Class))
		l.term = &allinputs.Term{Type: t, Leaf: values + bools - 1}
		r.bound[place] = l
	}
	for i := range r.leaves {
		l := &r.leaves[i]
		if l.info.Op != ir.OpConst {
			continue
		}
		l.term = &allinputs.Term{Op: ir.OpConst, Type: l.info.Type, Bits: l.info.Bits}
		if l.info.Type == r.typ && constants < int(numLeaves-firstConstant) && l.info.Bits > 1 && l.info.Bits != r.typ.Mask() {
			r.bound[firstConstant+leaf(constants)] = l
			constants++
		}
	}
	r.values = values
	return r.typ != ir.None
}

// draw makes an input of a leaf: edges of what is known, and what lies between.
func (l *leafOf) draw(rng *rand.Rand, k int) uint64 {
	m := l.info.Type.Mask()
	if l.info.Op == ir.OpConst {
		return l.info.Bits
	}
	v := rng.Uint64() >> (rng.IntN(2) * rng.IntN(64)) & m
	if !l.known {
		return []uint64{v, v, v, 0, 1, m, m >> 1, m ^ m>>1}[rng.IntN(8)]
	}
	fit := func(v uint64) uint64 { return v&^l.facts.Zeros | l.facts.Ones }
	if rng.IntN(4) == 0 {
		return []uint64{l.facts.Lo, l.facts.Hi, uint64(l.facts.SLo) & m, uint64(l.facts.SHi) & m}[rng.IntN(4)]
	}
	for range 8 {
		if v = fit(v); l.has(v) {
			return v
		}
		v = l.facts.Lo + rng.Uint64N(max(l.facts.Hi-l.facts.Lo, 1))
	}
	return l.facts.Lo
}

// has reports whether a value is one that the facts allow for.
func (l *leafOf) has(v uint64) bool {
	s := int64(v<<(64-l.info.Type.Bits())) >> (64 - l.info.Type.Bits())
	f := &l.facts
	return f.Lo <= v && v <= f.Hi && f.SLo <= s && s <= f.SHi && v&f.Zeros == 0 && v&f.Ones == f.Ones
}

// candidates are the rows of a bank with the values of the root that cost less, the cheapest first.
func (r *root) candidates(b *table) (list []candidate) {
	var inputs [numLeaves]column
	at := make(map[int]*column)
	for i := range r.leaves {
		l := &r.leaves[i]
		c := new(column)
		for k := range c {
			c[k] = l.draw(r.rng, k)
		}
		at[l.node] = c
		for p, bound := range r.bound {
			if bound == l {
				inputs[p] = *c
			}
		}
	}
	most := uint64(0)
	for _, n := range r.nodes {
		node := &r.t.Nodes[n]
		most += r.cost(node.Head)
		if at[n] != nil {
			continue
		}
		info := r.g.Info(node.Head)
		in := ir.None
		if k := info.Op.Info().Typed; k > 0 {
			in = r.g.Info(r.t.Nodes[node.Kids[k-1]].Head).Type
		}
		c := new(column)
		for k := range c {
			var a [3]uint64
			for i, kid := range node.Kids {
				a[i] = at[kid][k]
			}
			c[k] = exact.Eval(info.Op, in, info.Type, info.X, a[0], a[1], a[2])
		}
		at[n] = c
	}
	want := at[r.t.Roots[0]]
	typ := r.g.Info(r.t.Nodes[r.t.Roots[0]].Head).Type
	columns, live := make([]column, b.operands), make([]bool, len(b.rows))
	var scratch column
	for k := range b.rows {
		row := &b.rows[k]
		c := &scratch // nothing is made of it
		if k < b.operands {
			c = &columns[k]
		}
		switch row.op {
		case 0:
			if l := r.bound[row.leaf]; l == nil || l.info.Type != row.typ {
				continue
			}
			*c = inputs[row.leaf]
		case ir.OpConst:
			for i := range c {
				c[i] = row.bits
			}
		default:
			whole := true
			for _, kid := range row.kids[:row.op.Info().Args] {
				whole = whole && live[kid]
			}
			if !whole {
				continue
			}
			if row.run(columns, c, glance); !b.operand[k] && (row.typ != typ || [glance]uint64(c[:glance]) != [glance]uint64(want[:glance])) {
				continue
			}
			row.run(columns, c, lanes)
		}
		if live[k] = true; row.whole && row.typ == typ && *c == *want {
			if n := r.price(b, int32(k)); n < most {
				list = append(list, candidate{int32(k), n})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.cost, y.cost) })
	return list
}

// folded returns the bits of a row that is made of constants alone.
func (r *root) folded(b *table, k int32) (uint64, bool) {
	row := &b.rows[k]
	switch row.op {
	case 0:
		l := r.bound[row.leaf]
		return l.info.Bits, l.info.Op == ir.OpConst
	case ir.OpConst:
		return row.bits, true
	}
	var a [3]uint64
	for i, kid := range row.kids[:row.op.Info().Args] {
		var ok bool
		if a[i], ok = r.folded(b, kid); !ok {
			return 0, false
		}
	}
	return exact.Eval(row.op, row.in, row.typ, 0, a[0], a[1], a[2]), true
}

// head is that of a row.
func (r *root) head(b *table, k int32) egraph.Head {
	row := &b.rows[k]
	if bits, ok := r.folded(b, k); ok {
		return r.g.Head(egraph.HeadInfo{Op: ir.OpConst, Type: row.typ, Bits: bits})
	}
	if row.op == 0 {
		return r.t.Nodes[r.bound[row.leaf].node].Head
	}
	return r.g.Head(egraph.HeadInfo{Op: row.op, Type: row.typ})
}

// price is what a row costs, common parts once.
func (r *root) price(b *table, k int32) (sum uint64) {
	seen := make(map[int32]bool)
	var visit func(k int32)
	visit = func(k int32) {
		if seen[k] {
			return
		}
		seen[k] = true
		sum += r.cost(r.head(b, k))
		if _, ok := r.folded(b, k); !ok && b.rows[k].op != 0 {
			for _, kid := range b.rows[k].kids[:b.rows[k].op.Info().Args] {
				visit(kid)
			}
		}
	}
	visit(k)
	return sum
}

// make adds a row to the root's graph.
func (r *root) make(b *table, k int32) egraph.Class {
	return r.add(r.g, b, k, func(l *leafOf) egraph.Class { return r.t.Nodes[l.node].Class })
}

func (r *root) add(g *egraph.Graph, b *table, k int32, leaf func(*leafOf) egraph.Class) egraph.Class {
	row := &b.rows[k]
	if bits, ok := r.folded(b, k); ok {
		return g.Const(row.typ, bits)
	}
	if row.op == 0 {
		return leaf(r.bound[row.leaf])
	}
	kids := make([]egraph.Class, row.op.Info().Args)
	for i := range kids {
		kids[i] = r.add(g, b, row.kids[i], leaf)
	}
	return g.Add(g.Head(egraph.HeadInfo{Op: row.op, Type: row.typ}), kids...)
}
