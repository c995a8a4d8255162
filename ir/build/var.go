package build

import (
	"sort"

	"github.com/govyre/vyre/ir"
)

// Var is a variable. Get and Set may stand anywhere; arguments of loops and results of
// structured ops are made where a value that is read has several sources (Braun et
// al., Simple and Efficient Construction of Static Single Assignment Form, 2013; here
// on structured control, where a structured op without a write is skipped whole).
type Var struct {
	b  *Builder
	id uint32
}

type variable struct {
	typ    ir.Type
	writes []uint32 // clock of each Set, ascending
}

type blockVar struct {
	block, v uint32
}

// merging is an argument (head) or result (end) made for a variable.
type merging struct {
	v     uint32
	scope uint32
	head  bool
	value Value
	feeds []Value // one for each edge, in order; for a head the value before the loop first
}

// writeClock numbers the writes of all variables: the number of values made so far.
func (b *Builder) writeClock() uint32 { return uint32(len(b.op)) }

// Var makes a variable that starts as init.
func (b *Builder) Var(init Value) *Var {
	v := &Var{b, uint32(len(b.vars))}
	b.vars = append(b.vars, variable{typ: b.Type(init)})
	v.Set(init)
	return v
}

// Type returns the variable's type.
func (v *Var) Type() ir.Type { return v.b.vars[v.id].typ }

// Set assigns x, of the variable's type.
func (v *Var) Set(x Value) {
	b := v.b
	va := &b.vars[v.id]
	if x == noValue {
		return
	}
	if t := b.Type(x); t != va.typ {
		b.fail("VY102", "Var.Set", va.typ, t)
		return
	}
	if b.dead {
		return
	}
	clock := b.writeClock()
	if n := len(va.writes); n == 0 || va.writes[n-1] != clock {
		va.writes = append(va.writes, clock)
	}
	b.defs[blockVar{b.cur, v.id}] = x
}

// Get returns the current value.
func (v *Var) Get() Value {
	b := v.b
	if b.dead {
		return b.add(ir.OpArg, b.vars[v.id].typ, 0) // stands in code that goes away
	}
	return b.lookup(v.id, b.cur)
}

// lookup finds the value of variable v at the end of a block, as far as it is built.
// Where several values meet it makes a merge, whose sources are found when the program is
// finished, so no lookup recurses.
func (b *Builder) lookup(v, at uint32) Value {
	start := at
	for {
		b.visits++
		if val, ok := b.defs[blockVar{at, v}]; ok {
			if at != start {
				b.defs[blockVar{start, v}] = val
			}
			return val
		}
		bl := &b.blocks[at]
		switch bl.kind {
		case blockPlain:
			at = bl.pred
			continue
		case blockEntry:
			panic("BUG: variable read before its declaration")
		}
		sc := &b.scopes[bl.scope]
		if sc.closed && !b.written(v, sc.writes) {
			at = sc.before
			continue
		}
		head := bl.kind == blockHead
		m := merging{v: v, scope: bl.scope, head: head}
		if head {
			m.value = b.add(ir.OpArg, b.vars[v].typ, 0)
			sc.headMerges = append(sc.headMerges, uint32(len(b.merges)))
		} else {
			m.value = b.add(ir.OpRes, b.vars[v].typ, 0)
			sc.endMerges = append(sc.endMerges, uint32(len(b.merges)))
		}
		b.merges = append(b.merges, m)
		b.defs[blockVar{at, v}] = m.value
		b.defs[blockVar{start, v}] = m.value
		return m.value
	}
}

// written reports whether v was set in a clock interval.
func (b *Builder) written(v uint32, iv [2]uint32) bool {
	w := b.vars[v].writes
	i := sort.Search(len(w), func(i int) bool { return w[i] >= iv[0] })
	return i < len(w) && w[i] < iv[1]
}

// feed finds the sources of every merge. New merges may come up on the way and are
// fed in turn.
func (b *Builder) feed() {
	for i := 0; i < len(b.merges); i++ {
		m := b.merges[i]
		sc := &b.scopes[m.scope]
		edges := sc.exits
		var feeds []Value
		if m.head {
			edges = sc.conts
			feeds = append(feeds, b.lookup(m.v, sc.before))
		}
		for _, e := range edges {
			feeds = append(feeds, b.lookup(m.v, e.block))
		}
		b.merges[i].feeds = feeds
	}
}
