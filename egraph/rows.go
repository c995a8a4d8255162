package egraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
)

// rows are a graph's rows with what finds them: the sets of equal classes, the rows that use a class, and the table.
type rows struct {
	columns
	heads heads
	sets  sets
	types []ir.Type // by class id
	first []uint32  // by class id: the row with which Add began it, or noRow
	uses  uses
	table table
}

func mistake(format string, args ...any) error { return fmt.Errorf("egraph: "+format, args...) }

// reserve is Grow without the table.
func (r *rows) reserve(rows, children int) {
	c := &r.columns
	c.rowClass, c.rowHead = slices.Grow(c.rowClass, rows), slices.Grow(c.rowHead, rows)
	c.rowFirst, c.rowLen = slices.Grow(c.rowFirst, rows), slices.Grow(c.rowLen, rows)
	c.dead = slices.Grow(c.dead, rows/64+1)
	c.kids, c.given = slices.Grow(c.kids, children), slices.Grow(c.given, children)
	r.uses.list = slices.Grow(r.uses.list, children)
	r.uses.last = slices.Grow(r.uses.last, rows)
	r.types, r.first = slices.Grow(r.types, rows), slices.Grow(r.first, rows)
	r.sets.parent = slices.Grow(r.sets.parent, rows)
}

// newClass makes a class.
func (r *rows) newClass(t ir.Type, row uint32) Class {
	c := Class(len(r.types))
	r.types, r.first = append(r.types, t), append(r.first, row)
	r.sets.parent = append(r.sets.parent, c)
	r.uses.last = append(r.uses.last, noUse)
	return c
}

// valid says why a head may not have these children.
func (r *rows) valid(head Head, kids []Class) error {
	if int(head) >= len(r.heads.info) {
		return mistake("no head %d, only %d", head, len(r.heads.info))
	}
	if len(r.rowHead) >= noRow-1 || len(r.kids)+len(kids) >= noRow-1 {
		return mistake("2³² rows or children")
	}
	for i, k := range kids {
		if int(k) >= len(r.types) {
			return mistake("child %d of a row of %s is class %d of %d", i, r.heads.name(head), k, len(r.types))
		}
	}
	return r.typed(&r.heads.info[head], kids)
}

// typed says why the op table forbids the types of the children.
func (r *rows) typed(h *HeadInfo, kids []Class) error {
	in := h.Op.Info()
	if in == nil {
		return nil
	}
	if len(kids) != in.Args {
		return mistake("%s takes %d children, not %d", in.Name, in.Args, len(kids))
	}
	var types [3]ir.Type
	for i, k := range kids {
		rule := in.In[i]
		types[i] = r.types[k]
		if rule.Set != 0 && !rule.Set.Has(types[i]) || rule.Same > 0 && types[i] != types[rule.Same-1] {
			return mistake("child %d of %s is %s", i, in.Name, types[i])
		}
	}
	if t := in.ResultType(types[:len(kids)]...); t != ir.None && t != h.Type {
		return mistake("%s of these children is %s, its head says %s", in.Name, t, h.Type)
	}
	return nil
}

// canonical makes the children of a row roots, and orders those of a commutative head. It reports whether one was no root.
func (r *rows) canonical(row uint32) bool { return r.roots(r.rowHead[row], r.children(row)) }

// roots is canonical for children of a head.
func (r *rows) roots(head Head, kids []Class) (changed bool) {
	for i, k := range kids {
		if root := r.sets.find(k); root != k {
			kids[i], changed = root, true
		}
	}
	if len(kids) == 2 && kids[0] > kids[1] && r.heads.info[head].Commutative {
		kids[0], kids[1] = kids[1], kids[0]
		changed = true
	}
	return changed
}

// stale reports whether a row has a child that is not a root.
func (r *rows) stale(row uint32) bool {
	for _, k := range r.children(row) {
		if r.sets.parent[k] != k {
			return true
		}
	}
	return false
}

// lookup returns the row of a head with these roots, or noRow. It orders the children of a commutative head.
func (r *rows) lookup(h Head, kids []Class) uint32 {
	if len(kids) == 2 && kids[0] > kids[1] && r.heads.info[h].Commutative {
		kids[0], kids[1] = kids[1], kids[0]
	}
	_, was := r.table.seek(&r.columns, h, kids)
	return was
}

// constantOf is the head of a class that began as a constant.
func (r *rows) constantOf(c Class) *HeadInfo {
	return &r.heads.info[r.rowHead[r.begun(c)]]
}

// maxPrinted bounds the heads of a term in a message.
const maxPrinted = 40

// term prints the term with which a class began: each class id has one.
func (r *rows) term(c Class) string {
	var b strings.Builder
	left := maxPrinted
	r.print(&b, c, &left)
	return b.String()
}

func (r *rows) print(b *strings.Builder, c Class, left *int) {
	row := r.begun(c)
	if *left--; row == noRow || *left < 0 {
		fmt.Fprintf(b, "class %d", c)
		return
	}
	kids := r.original(row)
	name := r.heads.name(r.rowHead[row])
	if len(kids) == 0 {
		b.WriteString(name)
		return
	}
	b.WriteString("(" + name)
	for _, k := range kids {
		b.WriteByte(' ')
		r.print(b, k, left)
	}
	b.WriteByte(')')
}

// begun returns the row with which Add began a class id, or noRow: one of Class has no term but its id.
func (r *rows) begun(c Class) uint32 { return r.first[c] }
