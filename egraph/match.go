package egraph

import (
	"slices"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// matches is a flat list: of each match the pattern, and where its classes and rows begin in data.
type matches struct {
	pattern []uint32
	first   []uint32
	data    []uint32 // classes of the variables, then rows of the ops of the left side
}

func (m *matches) reset() { m.cut(0) }

// cut takes all matches away but the first n.
func (m *matches) cut(n int) {
	if n < len(m.pattern) {
		m.data = m.data[:m.first[n]]
	}
	m.pattern, m.first = m.pattern[:n], m.first[:n]
}

// index finds live rows: by head in the order of classes, and by class and head.
type index struct {
	headFirst []uint32
	byHead    []uint32
	classAt   []uint32 // by class id
	byClass   []uint32
	next      []uint32
	has       []heads64 // by class id: of its rows
	below     []heads64 // by head, three for each: of the classes of a child
}

// heads64 is a set of heads: a bit is for all those that are equal modulo 63, and the last for constants that are known. So it
// may say yes where there is none.
type heads64 uint64

const someConstant heads64 = 1 << 63

func bitOf(h Head) heads64 { return 1 << (h % 63) }

// sets finds the heads of each class, and those that are a child of each head.
func (x *index) sets(g *Graph) {
	x.has = append(x.has[:0], make([]heads64, len(g.types))...)
	x.below = append(x.below[:0], make([]heads64, 3*len(g.heads.info))...)
	for c, constant := range g.known.constant {
		if constant != 0 {
			x.has[c] = someConstant
		}
	}
	for _, row := range x.byHead {
		x.has[g.sets.find(g.rowClass[row])] |= bitOf(g.rowHead[row])
	}
	for _, row := range x.byHead {
		h := g.rowHead[row]
		for i, k := range g.children(row) {
			if i < 3 {
				x.below[3*int(h)+i] |= x.has[k]
			}
		}
	}
}

// build sorts the live rows by counting, which keeps rows of one class and head in rising order.
func (x *index) build(g *Graph) {
	heads, classes := len(g.heads.info), len(g.types)
	live := func(row int) bool { return !g.isDead(uint32(row)) }
	head := func(row uint32) uint32 { return uint32(g.rowHead[row]) }
	class := func(row uint32) uint32 { return uint32(g.sets.find(g.rowClass[row])) }
	all := make([]uint32, 0, g.table.live)
	for row := range g.rowHead {
		if live(row) {
			all = append(all, uint32(row))
		}
	}
	sorted := make([]uint32, len(all))
	x.sort(all, sorted, heads, head)
	x.byClass = make([]uint32, len(all))
	x.classAt = x.sort(sorted, x.byClass, classes, class)
	x.sort(all, sorted, classes, class)
	x.byHead = all
	x.headFirst = x.sort(sorted, x.byHead, heads, head)
	x.sets(g)
}

// sort moves rows from one list to another in the order of a key below n, and returns where the rows of each key begin.
func (x *index) sort(from, to []uint32, n int, key func(uint32) uint32) []uint32 {
	first := make([]uint32, n+1)
	for _, row := range from {
		first[key(row)+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	x.next = append(x.next[:0], first...)
	for _, row := range from {
		k := key(row)
		to[x.next[k]] = row
		x.next[k]++
	}
	return first
}

// rows returns the rows of a class with a head.
func (x *index) rows(g *Graph, c Class, h Head) []uint32 {
	rows := x.byClass[x.classAt[c]:x.classAt[c+1]]
	lo := firstOf(g, rows, h)
	return rows[lo : lo+firstOf(g, rows[lo:], h+1)]
}

// firstOf is how many rows, which are in the order of their heads, have a smaller one.
func firstOf(g *Graph, rows []uint32, h Head) int {
	lo, hi := 0, len(rows)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); g.rowHead[rows[m]] < h {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// matcher runs the programs of patterns over a closed graph.
type matcher struct {
	*Graph
	index   index
	heads   []Head   // of Rules.heads in this graph, or noHead
	stamp   []uint32 // by row: the round in which it changed last
	learned []uint32 // by class: the round in which its facts did
	out     matches
	most    int // matches at which it stops
	p       *pattern
	at      uint32 // number of the pattern
	since   uint32 // matches all of whose rows are older were found before
	newest  newest
	registers
}

// registers are what the program of a pattern works with.
type registers struct {
	regs      []Class
	may       []heads64 // by register: of the classes that it can have
	rows      []uint32
	key       []Class
	constants [2]uint64 // of a condition
}

// newest are the rounds of the latest changes that a search can meet.
type newest struct {
	head  []uint32 // by head: of a row
	known uint32   // of a constant or of facts
	rest  []uint32 // by instruction of the pattern: of what it and later ones find
}

const noHead = 1<<32 - 1

// search appends the matches of a pattern, all of whose heads are there, that are new: classes and rows rising.
func (m *matcher) search(at uint32, p *pattern, since uint32) {
	m.p, m.at, m.since = p, at, since
	m.regs, m.may, m.rows = room(m.regs, p.regs), room(m.may, p.regs), room(m.rows, p.ops)
	m.newest.rest = room(m.newest.rest, len(p.code)+1)
	if m.may[0] = ^heads64(0); !m.possible() {
		return
	}
	m.newest.rest[len(p.code)] = 0
	for i := len(p.code) - 1; i >= 0; i-- {
		m.newest.rest[i] = max(m.newest.rest[i+1], m.latest(&p.code[i]))
	}
	if m.newest.rest[0] < since {
		return
	}
	in := &p.code[0]
	h := m.heads[in.head]
	for _, row := range m.index.byHead[m.index.headFirst[h]:m.index.headFirst[h+1]] {
		if m.regs[0] = m.sets.find(m.rowClass[row]); !m.row(0, in, row, 0) {
			return
		}
	}
}

// room is a slice of length n, of the same memory if that is enough.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// possible reports whether each op and constant of the pattern is somewhere the child of such a head as in the pattern.
func (m *matcher) possible() bool {
	for i := range m.p.code {
		in := &m.p.code[i]
		needs := heads64(0)
		if in.do == doAny {
			needs = someConstant
		} else if in.finds() {
			needs = bitOf(m.heads[in.head])
		}
		if m.may[in.r]&needs != needs {
			return false
		}
		if in.do == doRows {
			below := m.index.below[3*m.heads[in.head]:][:3]
			for k, n := 0, m.Graph.heads.info[m.heads[in.head]].Op.Info().Args; k < n; k++ {
				if m.may[in.out+k] = below[k]; in.swap {
					m.may[in.out+k] = below[0] | below[1]
				}
			}
		}
	}
	return true
}

// changes notes what is new.
func (m *matcher) changes() {
	m.newest.head = append(m.newest.head[:0], make([]uint32, len(m.Graph.heads.info))...)
	m.newest.known = 0
	for row, h := range m.rowHead {
		m.newest.head[h] = max(m.newest.head[h], m.stamp[row])
	}
	for h := range m.newest.head {
		if m.Graph.heads.info[h].Op == ir.OpConst {
			m.newest.known = max(m.newest.known, m.newest.head[h])
		}
	}
	for _, round := range m.learned {
		m.newest.known = max(m.newest.known, round)
	}
}

// latest is the latest change on which an instruction's answer can rest.
func (m *matcher) latest(in *instruction) uint32 {
	switch in.do {
	case doRows, doLookup, doConstant:
		return m.newest.head[m.heads[in.head]]
	case doAny, doWhen:
		return m.newest.known
	}
	return 0
}

// row goes on with one row of a doRows. It reports whether to look further.
func (m *matcher) row(pc int, in *instruction, row, newest uint32) bool {
	newest = max(newest, m.stamp[row])
	if max(newest, m.newest.rest[pc+1]) < m.since {
		return true // all that begins so was found before
	}
	kids := m.children(row)
	m.rows[in.node] = row
	copy(m.regs[in.out:], kids)
	if !m.run(pc+1, newest) {
		return false
	}
	if !in.swap || kids[0] == kids[1] {
		return true
	}
	m.rows[in.node], m.regs[in.out], m.regs[in.out+1] = row, kids[1], kids[0]
	return m.run(pc+1, newest)
}

// run goes on at an instruction; newest is the latest change of a row so far.
func (m *matcher) run(pc int, newest uint32) bool {
	for ; pc < len(m.p.code); pc++ {
		in := &m.p.code[pc]
		if in.do == doRows {
			if m.index.has[m.regs[in.r]]&bitOf(m.heads[in.head]) == 0 {
				return true
			}
			for _, row := range m.index.rows(m.Graph, m.regs[in.r], m.heads[in.head]) {
				if !m.row(pc, in, row, newest) {
					return false
				}
			}
			return true
		}
		changed, ok := m.test(in)
		if !ok {
			return true
		}
		newest = max(newest, changed)
	}
	if newest >= m.since {
		m.emit()
	}
	return len(m.out.pattern) <= m.most
}

// test does an instruction that does not scan. It returns when that on which the answer rests has changed.
func (m *matcher) test(in *instruction) (changed uint32, ok bool) {
	switch in.do {
	case doSame:
		return 0, m.regs[in.r] == m.regs[in.s]
	case doType:
		return 0, m.types[m.regs[in.r]] == in.t
	case doLookup:
		return m.testLookup(in)
	case doWhen:
		return m.testWhen(in)
	}
	row := m.Graph.known.constant[m.regs[in.r]] - 1
	if row == noRow || in.do == doConstant && m.rowHead[row] != m.heads[in.head] {
		return 0, false
	}
	return m.stamp[row], true
}

func (m *matcher) testLookup(in *instruction) (changed uint32, ok bool) {
	if m.index.has[m.regs[in.r]]&bitOf(m.heads[in.head]) == 0 {
		return 0, false
	}
	m.key = m.key[:0]
	for _, r := range in.args {
		m.key = append(m.key, m.regs[r])
	}
	row := m.lookup(m.heads[in.head], m.key)
	if row == noRow || m.sets.find(m.rowClass[row]) != m.regs[in.r] {
		return 0, false
	}
	m.rows[in.node] = row
	return m.stamp[row], true
}

// testWhen asks the condition of the rule, for a value with all bits that it may have.
func (m *matcher) testWhen(in *instruction) (changed uint32, ok bool) {
	c := &m.constants
	for i, r := range in.args {
		class, v := m.regs[r], m.p.rule.Vars[m.p.rule.Of[i]]
		switch row := m.Graph.known.constant[class] - 1; {
		case row != noRow:
			c[i] = m.Graph.heads.info[m.rowHead[row]].Bits
		case v.Const || !known(m.types[class]):
			return 0, false
		default:
			c[i] = ^m.Graph.known.facts[class].Zeros
			changed = m.learned[class]
		}
	}
	return changed, m.p.rule.Holds(c[:len(in.args)]...)
}

// emit writes the match. A constant is named by its row's class, which is the constant whatever else it is equal to.
func (m *matcher) emit() {
	out := &m.out
	out.pattern, out.first = append(out.pattern, m.at), append(out.first, uint32(len(out.data)))
	for v, r := range m.p.vars {
		c := m.regs[r]
		if m.p.rule.Vars[v].Const {
			c = m.rowClass[m.Graph.known.constant[c]-1]
		}
		out.data = append(out.data, uint32(c))
	}
	out.data = append(out.data, m.rows...)
}

// builder makes the right side of a match.
type builder struct {
	*Graph
	rules *Rules
	named []Head // of Rules.heads in this graph, or noHead
	p     *pattern
	bind  []uint32
	built []uint32 // rows of the ops of the right side, operands first
}

// term returns the class of a term of the right side, and its constant if it is computed from constants.
func (b *builder) term(t *output) (Class, *HeadInfo) {
	switch t.Kind {
	case rules.Value:
		return Class(b.bind[t.Var]), nil
	case rules.Constant:
		c := Class(b.bind[t.Var])
		return c, b.constantOf(c)
	case rules.Literal:
		c := b.constant(t.Type, t.Bits)
		return c, b.constantOf(c)
	}
	var kids [3]Class
	var of [3]*HeadInfo
	whole := true
	for i := range t.args {
		kids[i], of[i] = b.term(&t.args[i])
		whole = whole && of[i] != nil
	}
	if whole {
		if bits, ok := evaluate(&b.rules.heads.info[t.head], of[:len(t.args)]); ok {
			c := b.constant(t.Type, bits)
			return c, b.constantOf(c)
		}
	}
	h := b.named[t.head]
	if h == noHead {
		h = b.heads.intern(b.rules.heads.info[t.head])
		b.named[t.head] = h
	}
	row, _ := b.add(h, kids[:len(t.args)])
	b.built = append(b.built, row)
	return b.rowClass[row], nil
}
