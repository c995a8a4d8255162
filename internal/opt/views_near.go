package opt

import "github.com/govyre/vyre/ir"

// Accesses of a view that one access of 8 or 16 bytes can do come under one condition, where pass vector finds them side by
// side:
//
//	%k0 = select.u32 %c, %j, ~0         =>   %v, %u = if %c -> (u32, u32) {
//	%v  = load @x[%k0]                         %e0 = load @x[%j] !inb
//	%j1 = add.u32 %j, 1_u32                    %e1 = load @x[%j + 1] !inb
//	%k1 = select.u32 %c, %j1, ~0               yield %e0, %e1
//	%u  = load @x[%k1]                       } else { yield 0, 0 }
//
// Loads move up to the first of them, and stores down to the last, in one region. Sound, since they have one condition, each
// is in bounds where it holds, and between them is no structured op, no barrier and no access that could tell: a store for
// loads, any access of the object for stores, which are to different elements.

// viewedNear is accesses of an object in one region, under one condition, at constant distances from one base.
type viewedNear struct {
	groupKey
	cond   ir.Row
	region uint32
	list   []viewed // in program order
}

// pass ends what no access behind row r may join.
func (v *viewing) pass(r ir.Row) {
	w := v.w
	in := w.info(r)
	if in.Owns > 0 || in.Attr&(ir.Terminator|ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && w.Flags[r].Order() != ir.Relaxed {
		v.open = v.open[:0]
		return
	}
	if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
		return
	}
	kept := v.open[:0]
	for _, n := range v.open {
		w.visits++
		if n.object != w.X[r] || w.must(checkViewBetween, !n.store && in.Attr&ir.Writes == 0 || v.joins(n, r)) {
			kept = append(kept, n)
		}
	}
	v.open = kept
}

// joins reports whether row r is an access that may join n: add decides whether it does.
func (v *viewing) joins(n *viewedNear, r ir.Row) bool {
	cond, i, ok := v.w.viewIndex(r)
	base, c := v.w.offset(i)
	return ok && n.store == v.w.plainStore(r) && cond == n.cond && n.region == v.w.Region[r] && base == n.base &&
		n.find(c) < 0
}

// find returns the place in the list of the access at a distance from the base, -1 if there is none that is left.
func (n *viewedNear) find(offset uint64) int {
	for i := range n.list {
		if n.list[i].offset == offset && !n.list[i].done {
			return i
		}
	}
	return -1
}

// add puts an access, whose index is i where its condition holds, to those that it may come together with.
func (v *viewing) add(g *ranges, a viewed, i ir.Row) {
	w := v.w
	r := a.access
	key := groupKey{object: w.X[r], store: w.Op[r] != ir.OpLoad, flags: w.Flags[r], typ: w.Type[i]}
	key.base, a.member = w.baseOf(g, r, i)
	for _, n := range v.open {
		w.visits++
		if n.groupKey == key && n.cond == a.cond && n.region == w.Region[r] && key.base != ir.NoRow && n.find(a.offset) < 0 {
			n.list = append(n.list, a)
			return
		}
	}
	n := &viewedNear{groupKey: key, cond: a.cond, region: w.Region[r], list: []viewed{a}}
	v.all = append(v.all, n)
	if v.open = append(v.open, n); len(v.open) > maxOpen {
		v.open = v.open[1:]
	}
}

// guard puts accesses under their condition: those that make a vector together, and others alone.
func (v *viewing) guard(n *viewedNear) {
	w := v.w
	for _, lanes := range [2]uint64{4, 2} {
		if len(n.list) < int(lanes) || !v.near.fits(n.object, lanes) {
			continue
		}
		for i := range n.list {
			first := &n.list[i]
			if first.done || first.align < lanes {
				continue
			}
			var at [4]int
			k := uint64(0)
			for ; k < lanes; k++ {
				w.visits += len(n.list)
				if at[k] = n.find((first.offset + k) & n.typ.Mask()); at[k] < 0 {
					break
				}
			}
			if k == lanes {
				v.together(n, at[:lanes])
			}
		}
	}
	for _, a := range n.list {
		if !a.done {
			w.guard(a.access, a)
		}
	}
}

// together puts accesses at these places of the list, in the order of their elements, under one condition.
func (v *viewing) together(n *viewedNear, at []int) {
	w := v.w
	where := at[0] // the first of the loads, the last of the stores
	for _, i := range at {
		if (i > where) == n.store {
			where = i
		}
	}
	row := n.list[where].access
	all := make([]viewed, len(at))
	for k, i := range at {
		n.list[i].done = true
		all[k] = n.list[i]
		if all[k].index = n.base; all[k].offset != 0 {
			all[k].index = w.before(row, ir.OpAdd, n.typ, 0, n.base, w.constant(n.typ, all[k].offset))
		}
	}
	w.guard(row, all...)
	w.hit("view-vector")
}
