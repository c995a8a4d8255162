package dataflow

import (
	"cmp"
	"slices"

	"github.com/govyre/vyre/ir"
)

// key is a function from invocations to cells of an object, up to a constant. Accesses with equal keys and constants
// near each other come to cells of different invocations only where these are one.
type key struct {
	obj  ir.Object
	coef [axes]int64
	sym  ir.Row
	bits uint     // the index is meant modulo 2^bits; 64 if it is exact
	wide int64    // elements of an access, if the index is not exact; then it counts such vectors
	pins [2]int32 // 1 + numbers of conditions that are needed; 0 for none
}

// keys puts plain accesses into classes. A store without a key is one that others may come to.
func (d *Determinism) keys() bool {
	type span struct {
		lo, hi int64
		class  int
	}
	stores := make(map[key]*span)
	count := make(map[ir.Object]int)
	for i := range d.access {
		a := &d.access[i]
		if a.class == atomics {
			continue
		}
		d.Visits++
		if !a.keyed && a.write {
			return false
		}
		if !a.write {
			continue
		}
		s := stores[a.key]
		if s == nil {
			s = &span{a.lo, a.hi, keyed + count[a.obj]}
			stores[a.key] = s
			count[a.obj]++
		}
		s.lo, s.hi = min(s.lo, a.lo), max(s.hi, a.hi)
	}
	for k, s := range stores {
		if !d.injective(&k, s.hi-s.lo) {
			return false
		}
	}
	for i := range d.access {
		a := &d.access[i]
		if s := stores[a.key]; a.keyed && s != nil && (a.write || s.lo <= a.lo && a.hi <= s.hi) {
			a.class = s.class
		}
	}
	return true
}

// find gives a plain access its key, if it has one, when the walk comes to it: conditions that hold there are known then.
func (d *Determinism) find(a *access) bool {
	c := d.Code
	f, ok := d.formOf(c.A[a.row])
	wide := int64(max(1, c.Op[a.row].Info().Vec.Lanes()))
	k := key{obj: a.obj, sym: ir.NoRow, bits: 64}
	if ok {
		k = key{obj: a.obj, coef: f.coef, sym: f.sym, bits: f.bits, wide: wide}
		if a.lo, a.hi = f.c, f.c; f.exact {
			k.bits, k.wide = 64, 0
			for i := range k.coef {
				k.coef[i] *= wide
			}
			a.lo = f.c * wide
			a.hi = a.lo + wide - 1
		}
		if d.injective(&k, a.hi-a.lo) {
			a.key = k
			return true
		}
	}
	// Only some invocations come here.
	held := d.held[c.Region[a.row]]
	for i, p := range held {
		for _, q := range held[i:] {
			k.pins = [2]int32{p + 1, q + 1}
			if p == q {
				k.pins[1] = 0
			}
			switch {
			case d.free(&k) == 0: // one alone, wherever its index leads
				a.key, a.lo, a.hi = key{obj: a.obj, sym: ir.NoRow, pins: k.pins}, 0, 0
				return true
			case ok && d.injective(&k, a.hi-a.lo):
				a.key = k
				return true
			}
		}
	}
	return false
}

// free returns the set of numbers that invocations which may meet at the key's object can differ in, of those to which
// the key applies.
func (d *Determinism) free(k *key) (set uint) {
	for i, n := range d.size {
		if n > 1 && !(i == groupX && d.objs[k.obj].Shared()) {
			set |= 1 << i
		}
	}
	for _, number := range k.pins {
		if number == 0 {
			continue
		}
		p := &d.known[number-1]
		named := uint(0)
		for i, n := range p.coef {
			if n != 0 {
				named |= 1 << i
			}
		}
		// All of a group have one group id, so that it is a constant of the condition where it cannot differ.
		if named &= set; spread(&p.coef, &d.size, named, 0, p.bits) {
			set &^= named
		}
	}
	return set
}

// injective reports whether the key gives invocations that may meet cells further from each other than window.
func (d *Determinism) injective(k *key, window int64) bool {
	d.Visits++
	set := d.free(k)
	return set == 0 || window < 1<<31 && spread(&k.coef, &d.size, set, uint64(window), k.bits)
}

// spread reports whether sums of the numbers of a set, each with its coefficient, are further than window from each
// other, modulo 2^bits, if the numbers differ at all.
func spread(coef *[axes]int64, size *[axes]uint64, set uint, window uint64, bits uint) bool {
	type term struct{ by, size uint64 }
	var terms []term
	for i, n := range coef {
		if set&(1<<i) != 0 {
			terms = append(terms, term{uint64(max(n, -n)), size[i]})
		}
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.by, b.by) })
	reach := uint64(0) // the largest difference of the terms before
	for _, t := range terms {
		if t.by <= reach+window {
			return false
		}
		reach += t.by * (t.size - 1)
	}
	return bits >= 64 && reach < 1<<62 || reach+window < 1<<bits
}
