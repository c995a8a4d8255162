package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Bodies run one after another, and none needs what another left in its arrays. So shared arrays of one
// element type are one array, as long as the longest, of which each body sees as much as it asked for.
// A local array may become registers, which a view of a longer one would not: those of one length are one.

// arrayKey is what arrays of different bodies have in common that are one.
type arrayKey struct {
	elem   ir.Type
	shared bool
	length uint64 // of local arrays
	number int    // within a body, among its arrays of the kind
}

// arrayKeys are the keys of a body's arrays, in their order.
type arrayKeys map[arrayKey]int

// next returns the key of the body's next array.
func (ks arrayKeys) next(a *ir.Array) arrayKey {
	k := arrayKey{elem: a.Type, shared: a.Shared}
	if !a.Shared {
		k.length = a.Len
	}
	n := ks[k]
	ks[k]++
	k.number = n
	return k
}

// elements is how many an array has; rest is for the one whose length comes with the launch.
func elements(a *ir.Array, rest uint64) uint64 {
	if a.Len == ir.RestLen {
		return rest
	}
	return a.Len
}

// room makes shared arrays long enough for a body, before any is written.
func (w *writer) room(p *ir.Program, rest uint64) {
	keys := arrayKeys{}
	for _, o := range p.Objects() {
		if a := o.Array; a != nil && !o.Table() {
			if k := keys.next(a); k.shared {
				w.longest[k] = max(w.longest[k], elements(a, rest))
			}
		}
	}
}

// roomFor is room for the bodies of waves.
func (w *writer) roomFor(groups ...[]*step) {
	for _, waves := range groups {
		for _, s := range waves {
			w.room(s.Program, s.rest)
		}
	}
}

// array returns what stands for a body's array, and a view of it if the body sees only a part.
func (w *writer) array(k arrayKey, a *ir.Array, rest uint64) (o ir.Object, part *build.View) {
	n := elements(a, rest)
	length := n
	if k.shared {
		if length = w.longest[k]; length < n {
			panic("BUG: no room was made for " + a.Name)
		}
	}
	o, ok := w.arrays[k]
	if !ok {
		declare, kind := w.LocalArray, "local"
		if k.shared {
			declare, kind = w.SharedArray, "shared"
		}
		o = declare(fmt.Sprintf("%s%d.%v.%d", kind, length, k.elem, k.number), k.elem, int(length))
		w.arrays[k] = o
	}
	if n < length {
		part = &build.View{Base: w.U32(0), Len: w.U32(uint32(n))}
	}
	return o, part
}

// shares reports whether the wave has shared memory.
func (s *step) shares() bool { return s.Program.SharedBytes() > 0 || s.Program.Traits().SharedRest }
