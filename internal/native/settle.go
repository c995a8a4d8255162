package native

import (
	"math/bits"
	"slices"
)

// Fixed points. What is taken for granted at first is given up where something contradicts, until nothing does. Most of it is settled
// in two rounds over the program. Where it is not, as where the arguments of a loop hand on what one of them brings, a round
// looks only at what goes by something that has changed: else each of n arguments would take a round over n of them.

// settling goes over things in their order, again and again, until nothing changes.
type settling struct {
	look    func(i int)                    // looks at a thing, and says what changes
	read    func() (by *index, things int) // by what may change: which things go by it, of how many; asked for when rounds are many
	changed bool

	index *index
	again []uint64 // a bit for each thing to look at, once there is an index
}

// wholeRounds are over everything.
const wholeRounds = 3

// run looks at n things until nothing changes.
func (s *settling) run(n int) {
	s.changed = true
	for round := 0; s.changed; round++ {
		s.changed = false
		if round < wholeRounds {
			for i := range n {
				s.look(i)
			}
			continue
		}
		if s.index == nil {
			var things int
			s.index, things = s.read()
			s.again = make([]uint64, (things+63)/64)
			for i := range n {
				s.lookAgain(i)
			}
		}
		s.round()
	}
}

// round looks at what is noted, and what is noted farther on meanwhile.
func (s *settling) round() {
	for w := range s.again {
		for ahead := ^uint64(0); s.again[w]&ahead != 0; {
			bit := bits.TrailingZeros64(s.again[w] & ahead)
			s.again[w] &^= 1 << bit
			ahead = ^uint64(1) << bit
			s.look(64*w + bit)
		}
	}
}

// change says that something has changed.
func (s *settling) change(v int) {
	s.changed = true
	if s.index != nil {
		for _, i := range s.index.of(v) {
			s.lookAgain(int(i))
		}
	}
}

// lookAgain notes a thing.
func (s *settling) lookAgain(i int) {
	if s.index != nil {
		s.again[i/64] |= 1 << (i % 64)
	}
}

// index has lists of numbers, one after the other.
type index struct{ end, all []int32 }

// newIndex makes n lists of what each yields; it is called twice.
func newIndex(n int, each func(yield func(list, number int))) *index {
	x := &index{end: make([]int32, n)}
	each(func(list, _ int) { x.end[list]++ })
	at := int32(0)
	for i, size := range x.end { // from here on where a list begins, and then where it ends
		x.end[i] = at
		at += size
	}
	x.all = make([]int32, at)
	each(func(list, number int) {
		x.all[x.end[list]] = int32(number)
		x.end[list]++
	})
	return x
}

// of returns a list.
func (x *index) of(list int) []int32 {
	first := int32(0)
	if list > 0 {
		first = x.end[list-1]
	}
	return slices.Clip(x.all[first:x.end[list]])
}

// indexReads has, by register, the instructions that read it.
func (f *function) indexReads() (*index, int) {
	return newIndex(len(f.vregs), func(yield func(list, number int)) {
		for i := range f.ins {
			for v := range f.ins[i].reads() {
				yield(int(v), i)
			}
		}
	}), len(f.ins)
}
