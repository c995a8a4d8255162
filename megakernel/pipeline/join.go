package pipeline

import (
	"fmt"

	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
)

// Reason says why stages do not share a program or a launch, and stands in the chain of the package's errors.
type Reason = plan.Reason

// chain is stages that are one program: an invocation runs one after the other.
type chain struct {
	stages []*stage
	uses   []use // of all of them, by binding
}

// Bounds of a program. An assembler's time grows faster than the rows; a program has 128 parameters at most, and what
// holds a chain may add some.
const (
	maxRows     = 4096
	maxBindings = 122
)

// check is a condition without which joining stages would not be sound.
type check uint8

const (
	noCheck check = iota
	checkItems
	checkOverlap
	checkIndex
	checkStep
	checkWindow
	checkCertain
	checkBounds
	checkNarrow
	numChecks
)

// off is a check that a test has turned off, to see that something goes wrong without it.
var off check

// must reports whether a condition holds, or its check is off.
func must(c check, holds bool) bool { return holds || c == off }

// why is a reason with the words for it.
type why struct {
	code, text string
}

func (w *why) String() string { return fmt.Sprintf("%s [%s]", w.text, w.code) }

func newChain(s *stage) *chain {
	return &chain{stages: []*stage{s}, uses: append([]use(nil), s.uses...)}
}

// add makes s the next stage of the chain.
func (c *chain) add(s *stage) {
	c.stages = append(c.stages, s)
	for k, u := range s.uses {
		c.uses[k] = use{c.uses[k].reads || u.reads, c.uses[k].writes || u.writes}
	}
}

// apart says why s cannot be the next stage of the chain; nil if it can. It can if no invocation touches what another
// one writes in an other stage. What stages do to memory that only one of them uses, or that none of them writes, is as
// it was; memory that they share belongs to items: each element is touched for one item alone.
func (l *looker) apart(c *chain, s *stage) *why {
	first := c.stages[0]
	switch {
	case !first.items:
		return &why{"form", fmt.Sprintf("%v runs in groups of its own", first)}
	case !s.items:
		return &why{"form", "it runs in groups of its own"}
	case !must(checkItems, first.Items == s.Items):
		return &why{"items", fmt.Sprintf("it runs for %d items, and %v for %d", s.Items, first, first.Items)}
	}
	traces, rows, bindings := s.Program.Traits().Traces, s.Program.Rows(), 0
	for _, a := range c.stages {
		if a.Program.Traits().Traces && traces {
			return &why{"traces", fmt.Sprintf("what it and %v print would stand side by side", a)}
		}
		rows += a.Program.Rows()
	}
	if rows > maxRows {
		return &why{"rows", fmt.Sprintf("the program would have %d rows, and at most %d are allowed", rows, maxRows)}
	}
	for k, u := range c.uses {
		v := s.uses[k]
		if u.any() || v.any() {
			bindings++
		}
		if w := l.meet(c, s, k); w != nil {
			return w
		}
	}
	if bindings > maxBindings {
		return &why{"parameters", fmt.Sprintf("the program would have %d parameters, and at most %d are allowed", bindings, maxBindings)}
	}
	return nil
}

// meet says why the chain and s, which may share binding k, have to stay apart.
func (l *looker) meet(c *chain, s *stage, k int) *why {
	b, u, v := &l.bindings[k], c.uses[k], s.uses[k]
	for _, other := range b.near {
		if o := c.uses[other]; !must(checkOverlap, !(v.any() && o.any() && (v.writes || o.writes))) {
			return &why{"overlap", fmt.Sprintf("%v shares bytes with %v, and one of them is written", b, &l.bindings[other])}
		}
	}
	switch {
	case !u.any() || !v.any():
		return nil
	case b.mixed:
		return &why{"elements", fmt.Sprintf("%v is read by different element types", b)}
	case !u.writes && !v.writes:
		return nil
	}
	return l.own(append(c.stages[:len(c.stages):len(c.stages)], s), k)
}

// own says why binding k does not belong to items, in stages of one chain; nil if it does: the index of every access to
// a field of it is step·i + base, with one step, and no two items have one in common.
func (l *looker) own(stages []*stage, k int) *why {
	b := &l.bindings[k]
	type window struct{ step, low, high int64 }
	fields := map[int]window{}
	for _, s := range stages {
		for _, a := range s.accesses {
			if a.binding != k {
				continue
			}
			at := fmt.Sprintf("%v of %v in %v", s.Program.Op(a.row), b, s)
			if pos := s.Program.Pos(a.row).String(); pos != "" {
				at += " at " + pos
			}
			switch {
			case !a.plain && !must(checkIndex, false):
				return &why{"access", "the " + at + " is more than a load or a store of one element"}
			case !must(checkIndex, a.index.known):
				return &why{"index", "the index of the " + at + " is not known to be step·i + base for item i"}
			}
			if !a.index.known {
				continue
			}
			x := a.index
			w, ok := fields[a.field]
			switch {
			case !ok:
				w = window{x.step, x.base, x.base}
			case !must(checkStep, w.step == x.step):
				return &why{"index", fmt.Sprintf("the index of the %s grows by %d from item to item, elsewhere by %d", at, x.step, w.step)}
			}
			w.low, w.high = min(w.low, x.base), max(w.high, x.base)
			fields[a.field] = w
			if !must(checkWindow, w.high-w.low < abs(w.step) || s.Items <= 1) {
				return &why{"index", fmt.Sprintf("the %s goes to an element of another item", at)}
			}
		}
	}
	return nil
}

// slot is an element that belongs to an item: what a chain keeps in a register.
type slot struct {
	field      int
	step, base int64
}

func (a *access) slot() slot { return slot{a.field, a.index.step, a.index.base} }

// register is memory of a chain that is kept in registers.
type register struct {
	slots map[slot]ir.Type // of the values
	kept  bool             // it is stored all the same, since others may read it
}

// registers finds out which bindings a chain keeps in registers: those that belong to items, and of which every element
// is stored, surely and in bounds, before it is loaded. Then a load gives what the invocation stored last. A temp that
// nobody else uses has no memory then.
func (l *looker) registers(c *chain) map[int]*register {
	all := map[int]*register{}
	for k := range l.bindings {
		if r := l.register(c, k); r != nil {
			all[k] = r
		}
	}
	return all
}

func (l *looker) register(c *chain, k int) *register {
	b := &l.bindings[k]
	last := c.stages[len(c.stages)-1]
	r := &register{slots: map[slot]ir.Type{}, kept: b.temp == nil || b.first < c.stages[0].id || b.last > last.id}
	if !c.uses[k].writes || !c.uses[k].reads && r.kept || b.mixed || len(b.near) > 0 || !c.stages[0].items || l.own(c.stages, k) != nil {
		return nil
	}
	for _, s := range c.stages {
		for _, a := range s.accesses {
			if a.binding != k {
				continue
			}
			o := s.Program.Objects()[s.Program.X(a.row)]
			n := b.length(o.Param) * int64(o.Count())
			at := a.slot()
			_, known := r.slots[at]
			ends := [...]int64{a.index.at(0), a.index.at(int64(max(s.Items, 1)) - 1)}
			switch {
			case !must(checkNarrow, o.Type() == o.Type().Value()): // a store narrows
				return nil
			case !must(checkBounds, min(ends[0], ends[1]) >= 0 && max(ends[0], ends[1]) < n):
				return nil
			case !known && !(a.writes && must(checkCertain, a.certain)):
				return nil
			}
			r.slots[at] = o.Type()
		}
	}
	return r
}
