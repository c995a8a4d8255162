package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Indices of vectors in step. Where the index of the first vector is consecutive, that of the n-th one is often the same and 8n
// more. Then it is there once: accesses have the 8n in their addresses, and what else reads it adds them.

// relation says what a register of the n-th vector in step has to do with that of the first.
type relation uint8

const (
	unseen    relation = iota
	same               // it is the same
	following          // 8n more in every lane
	differing          // it is another
)

// relations finds them for k vectors in step: a fixed point, from what none contradicts.
func (f *function) relations(k int) []relation {
	out := make([]relation, len(f.vregs))
	for v := range f.vregs {
		if f.vregs[v].home == inBank {
			out[v] = same
		}
	}
	for t, v := range f.tabled {
		if out[v] = differing; t.op == ir.OpLocal && t.x == 0 && int(f.p.Workgroup()[0])%(lanes*k) == 0 {
			out[v] = following
		}
	}
	s := settling{read: f.indexReads}
	lower := func(v vreg, to relation) {
		if had := out[v]; to != unseen && to != had && had != differing {
			if had != unseen {
				to = differing
			}
			out[v] = to
			s.change(int(v))
		}
	}
	s.look = func(i int) {
		in := &f.ins[i]
		if in.form == formMacro {
			for _, v := range in.uses {
				if out[v] == following && !in.takesFollowing(v) {
					lower(v, differing)
				}
			}
		}
		to := in.relation(out)
		for d := range in.writes() {
			lower(d, to)
		}
	}
	s.run(len(f.ins))
	return out
}

// takesFollowing reports whether a macro takes a register of the first vector for that of each: it is an index and nothing else.
func (in *ins) takesFollowing(v vreg) bool {
	if in.access == nil || !in.access.follows() || in.access.index[0] != v {
		return false
	}
	n := 0
	for _, u := range in.uses {
		if u == v {
			n++
		}
	}
	return n == 1
}

// relation is that of what an instruction writes.
func (in *ins) relation(of []relation) relation {
	switch {
	case in.form == formMacro && in.among == amongEach:
		return differing
	case in.form == formMacro && in.among != amongValue:
		return same
	case in.form == formMove:
		return of[in.a]
	}
	out, follow := same, 0
	for v := range in.reads() {
		switch of[v] {
		case unseen:
			if out == same {
				out = unseen
			}
		case following:
			follow++
		case differing:
			out = differing
		}
	}
	switch {
	case follow == 0 || out == differing:
		return out
	case follow > 1 || in.form != form3 && in.form != form3Swap || in.op != amd64.VPADDD:
		return differing
	case out == same:
		return following
	}
	return out
}

// follow turns the access of the first vector into that of another one in step, if it has no index of its own.
func (a *access) follow(e *emitter) {
	x := a.index[0]
	if e.vector == 0 || !a.follows() || e.f.copies[e.vector-1][x] != x {
		return
	}
	a.offset += lanes * uint32(e.vector)
	a.added = e.f.constant(a.offset)
}

// follows reports whether the index of the first vector may tell where those of the others in step are.
func (a *access) follows() bool { return a.inRow() && a.shape == consecutive && !a.fields }
