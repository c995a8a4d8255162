package native

import "github.com/govyre/vyre/ir"

// Records of four elements of 4 bytes lie in memory one after the other, and a vector wants a register an element: so they
// are transposed on the way in and out. Where the same is done to all four elements on the way from loads to stores, that
// is for nothing: four registers with the memory as it lies give the same bits. A pack is four such rows. The registers of
// a pack are those of its rows; register k has lanes 2k and 2k+1, four elements each, and not element k of all lanes.
//
// Rows are a pack if each comes from a pack by the same op, or is an element of one load, or one argument or result of a
// loop that brings packs; other operands are uniform, so it does not matter which lane they are for. All that reads
// a row of a pack is in a pack again, at the same place, or a store. If anything is not so, all packs that hang together
// are given up.
type packs struct {
	*shapes
	at     map[ir.Row]place // rows of packs
	number int              // of packs
	joined map[int][]int    // packs that hang together
	broken map[int]bool     // those given up
	access map[ir.Row]int   // loads and stores of records, and what they store, by pack
	ways   *ways
}

// ways are which rows bring arguments and results, and to what; found when somebody asks.
type ways struct {
	args, results map[ir.Row][]ir.Row // by op: the rows that bring them, in their order
	op            map[ir.Row]ir.Row   // by result: the op that it is of
}

func (p *packs) findWays() *ways {
	if p.ways != nil {
		return p.ways
	}
	w := &ways{map[ir.Row][]ir.Row{}, map[ir.Row][]ir.Row{}, map[ir.Row]ir.Row{}}
	for r := range ir.Row(p.p.Rows()) {
		switch p.p.Op(r) {
		case ir.OpLoop:
			w.args[r] = append(w.args[r], r)
		case ir.OpContinue:
			w.args[p.target(r)] = append(w.args[p.target(r)], r)
		case ir.OpYield:
			w.results[p.parent(r)] = append(w.results[p.parent(r)], r)
		case ir.OpBreak:
			w.results[p.target(r)] = append(w.results[p.target(r)], r)
		}
	}
	for op := range p.owned {
		first, end := p.results(op)
		for r := first; r < end; r++ {
			w.op[r] = op
		}
	}
	p.ways = w
	return w
}

// place is where a row stands: which pack, and which of its four.
type place struct{ pack, k int }

// anyPack is of what is the same in all four registers.
const anyPack = 0

func findPacks(s *shapes, records func(ir.Row) bool) *packs {
	p := &packs{shapes: s, at: map[ir.Row]place{}, joined: map[int][]int{}, broken: map[int]bool{}, access: map[ir.Row]int{}}
	for r := range ir.Row(s.p.Rows()) {
		in := s.p.Op(r).Info()
		if in.Imm != ir.ImmObject || in.Vec == 0 || !records(r) {
			continue
		}
		if in.Attr&ir.Writes == 0 {
			p.access[r] = p.fresh()
		} else if id, ok := p.stored(s.p.B(r)); ok {
			p.access[r] = id
		}
	}
	for r := range ir.Row(s.p.Rows()) {
		if len(p.access) > 0 {
			p.reads(r)
		}
	}
	for id := range p.broken {
		p.giveUp(id)
	}
	return p
}

// packed reports whether a load or store moves memory as it lies.
func (p *packs) packed(r ir.Row) bool {
	id, ok := p.access[r]
	return ok && !p.broken[id]
}

func (p *packs) fresh() int {
	p.number++
	return p.number
}

func (p *packs) join(a, b int) {
	p.joined[a], p.joined[b] = append(p.joined[a], b), append(p.joined[b], a)
}

// giveUp breaks all packs that hang together with one.
func (p *packs) giveUp(id int) {
	todo := []int{id}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p.broken[id] = true
		for _, o := range p.joined[id] {
			if !p.broken[o] {
				todo = append(todo, o)
			}
		}
	}
}

// stored returns the pack of what a store brings.
func (p *packs) stored(v ir.Row) (int, bool) {
	if id, ok := p.access[v]; ok {
		return id, true
	}
	if p.p.Op(v) != ir.OpVec {
		return 0, false
	}
	id, ok := p.pack([4]ir.Row(rowsOf(p.p.List(v))))
	if ok {
		p.access[v] = id
	}
	return id, ok
}

func rowsOf(list []uint32) []ir.Row {
	out := make([]ir.Row, len(list))
	for i, v := range list {
		out[i] = ir.Row(v)
	}
	return out
}

// pack makes a pack of four rows, or finds the one that they are.
func (p *packs) pack(x [4]ir.Row) (int, bool) {
	if x[0] == x[1] && x[0] == x[2] && x[0] == x[3] && p.value[x[0]] == uniform {
		return anyPack, true
	}
	first, known := p.at[x[0]]
	for k, r := range x {
		if at, ok := p.at[r]; ok != known || at != (place{first.pack, k}) && ok || p.p.Op(r) != p.p.Op(x[0]) || p.p.Type(r) != p.p.Type(x[0]) || p.p.Region(r) != p.p.Region(x[0]) {
			return 0, false
		}
	}
	if known {
		return first.pack, true
	}
	id := 0
	if p.p.Op(x[0]) == ir.OpElem {
		if id = p.access[p.p.A(x[0])]; id == 0 {
			return 0, false
		}
	} else {
		id = p.fresh()
	}
	for k, r := range x {
		if _, twice := p.at[r]; twice {
			p.broken[id] = true
		}
		p.at[r] = place{id, k}
	}
	if !p.from(id, x) {
		p.broken[id] = true
	}
	return id, true
}

// from reports whether four rows come from packs, and joins them with those.
func (p *packs) from(id int, x [4]ir.Row) bool {
	q := p.p
	switch op := q.Op(x[0]); op {
	case ir.OpElem:
		for k, r := range x {
			if q.A(r) != q.A(x[0]) || q.X(r) != uint32(k) {
				return false
			}
		}
		return true
	case ir.OpArg:
		loop := p.parent(x[0])
		if loop == ir.NoRow || p.divergent[loop] {
			return false
		}
		first, _ := p.args(loop)
		return p.brought(id, x, first, p.findWays().args[loop])
	case ir.OpRes:
		return p.results4(id, x)
	}
	return p.sameOp(id, x)
}

// sameOp is from for rows that compute.
func (p *packs) sameOp(id int, x [4]ir.Row) bool {
	q := p.p
	t, in := q.Type(x[0]), q.Op(x[0]).Info()
	if in.Attr&ir.Pure == 0 || in.Attr&ir.Convergent != 0 || ruleOf(q, x[0]) == nil || t != ir.Bool && t.Size() != 4 || t.Lanes() != 1 {
		return false
	}
	var from [3][4]ir.Row
	for k, r := range x {
		if q.X(r) != q.X(x[0]) || q.Flags(r) != q.Flags(x[0]) {
			return false
		}
		for i, v := range [...]ir.Row{q.A(r), q.B(r), q.C(r)} {
			from[i][k] = v
		}
	}
	for _, v := range from {
		if v[0] == ir.NoRow {
			continue
		}
		if t := q.Type(v[0]); t != ir.Bool && t.Size() != 4 || !p.operand(id, v) {
			return false
		}
	}
	return true
}

func (p *packs) operand(id int, v [4]ir.Row) bool {
	o, ok := p.pack(v)
	if ok && o != anyPack {
		p.join(id, o)
	}
	return ok
}

// results4 is from for four results of a structured op.
func (p *packs) results4(id int, x [4]ir.Row) bool {
	op, ok := p.findWays().op[x[0]]
	if !ok || p.divergent[op] {
		return false
	}
	first, _ := p.results(op)
	return p.brought(id, x, first, p.findWays().results[op])
}

// brought joins four arguments or results with what rows bring.
func (p *packs) brought(id int, x [4]ir.Row, first ir.Row, by []ir.Row) bool {
	for _, r := range by {
		var v [4]ir.Row
		for k := range v {
			v[k] = ir.Row(p.p.List(r)[x[k]-first])
		}
		if !p.operand(id, v) {
			return false
		}
	}
	return true
}

// reads breaks the packs of what a row reads and may not.
func (p *packs) reads(r ir.Row) {
	q := p.p
	me, mine := p.at[r]
	check := func(v ir.Row, to place, ok bool) {
		at, is := p.at[v]
		if !is {
			at, is = place{p.access[v], to.k}, p.access[v] != 0
		}
		switch {
		case is && (!ok || at.k != to.k):
			p.broken[at.pack] = true
		case is:
			p.join(to.pack, at.pack)
		}
	}
	isElem := q.Op(r) == ir.OpElem
	for _, v := range []ir.Row{q.A(r), q.B(r), q.C(r)} {
		if v != ir.NoRow {
			switch id, stores := p.access[r]; {
			case stores && v == q.B(r):
				check(v, place{pack: id}, p.access[v] == id)
			case isElem:
				check(v, me, mine && me.pack == p.access[v])
			default:
				check(v, me, mine)
			}
		}
	}
	for i, v := range q.List(r) {
		to, ok := p.listed(r, i)
		check(ir.Row(v), to, ok)
	}
}

// listed returns the place of what the i-th row in a list is brought to.
func (p *packs) listed(r ir.Row, i int) (place, bool) {
	var to ir.Row
	switch op := p.p.Op(r); op {
	case ir.OpVec:
		id, ok := p.access[r]
		return place{id, i}, ok
	case ir.OpLoop:
		to, _ = p.args(r)
	case ir.OpContinue:
		to, _ = p.args(p.target(r))
	case ir.OpBreak:
		to, _ = p.results(p.target(r))
	case ir.OpYield:
		if p.parent(r) == ir.NoRow {
			return place{}, false
		}
		to, _ = p.results(p.parent(r))
	default:
		return place{}, false
	}
	at, ok := p.at[to+ir.Row(i)]
	return at, ok
}
