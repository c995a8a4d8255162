package interp

import (
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// PrepareUnshared is Prepare with a slot of its own for every value.
func PrepareUnshared(p *ir.Program) (*Kernel, error) { return prepare(p, &standard, false) }

// Parallel returns the (destination, source) pairs that do the copies dst[i] ← src[i]
// at once, one after the other.
func Parallel(dst, src []int32, temp int32) [][2]int32 {
	moves, _ := parallel(dst, src, temp)
	var pairs [][2]int32
	for _, m := range moves {
		pairs = append(pairs, [2]int32{m.dst, m.src})
	}
	return pairs
}

// Mutation says which rules of the language a kernel breaks.
type Mutation struct {
	Eval            map[ir.Op]exact.Func // takes the place of the op's evaluation, in atomics, votes, reduce and scan too
	Drop            []ir.Op              // rows of these unstructured scalar ops do nothing and give zero: barriers, fences, stores, traps …
	WrapBounds      bool                 // an index out of bounds wraps instead of giving zero
	WholeVectors    bool                 // a vector access with any element out of bounds does nothing
	ZeroExtend      bool                 // loads of i8 and i16 do not extend the sign
	WrapShuffles    bool                 // shuffle lanes are taken modulo 32, absent lanes hold what their registers hold
	SequentialMoves bool                 // carried values are copied one after the other
	UniformIfs      bool                 // the condition of an if is that of lane 0, for all
	NoRejoin        bool                 // a loop ends for all lanes with the first that breaks out
	LastTrap        bool                 // the last trap is kept, not the first
	HalvedChunks    bool                 // products of matrices are those of sm_75
	SwappedWords    bool                 // words 1 and 2 of A change places
}

// Prepare is the package's Prepare with broken rules.
func (m Mutation) Prepare(p *ir.Program) (*Kernel, error) {
	k, err := prepare(p, m.rules(), true)
	if err != nil {
		return nil, err
	}
	for i := range k.code {
		m.edit(&k.code[i])
	}
	return k, nil
}

func (m Mutation) rules() *rules {
	r := standard
	r.eval = func(op ir.Op) exact.Func {
		if f, ok := m.Eval[op]; ok {
			return f
		}
		return standard.eval(op)
	}
	if m.SequentialMoves {
		r.copies = func(dst, src []int32, _ int32) (ms []move, _ bool) {
			for i := range dst {
				ms = append(ms, move{dst[i], src[i]})
			}
			return ms, false
		}
	}
	switch {
	case m.WrapBounds:
		r.element = func(first, e, _, n uint64) (uint64, bool) { return (first + e) % max(n, 1), n > 0 }
	case m.WholeVectors:
		r.element = func(first, e, vec, n uint64) (uint64, bool) { return first + e, first+vec <= n }
	}
	if m.ZeroExtend {
		r.value = func(_ ir.Type, raw uint64) uint64 { return raw }
	}
	if m.WrapShuffles {
		r.shuffled = func(v *lanes, from uint64, _ int) uint64 { return v[from%32] }
	}
	if m.NoRejoin {
		r.round = func(f *frame) {
			if f.out != 0 {
				f.out, f.again = f.out|f.again, 0
			}
		}
	}
	if m.HalvedChunks || m.SwappedWords {
		r.mulAdd = m.mulAdd
	}
	if m.LastTrap {
		r.records = func(*launch.Trap) bool { return true }
	}
	return &r
}

// edit changes a decoded row.
func (m Mutation) edit(in *instr) {
	if m.WrapBounds || m.WholeVectors || m.ZeroExtend { // the fast path of scalar accesses has these rules built in
		switch in.kind {
		case doLoad:
			in.kind = doLoadVec
		case doStore:
			in.kind = doStoreVec
		}
	}
	switch {
	case in.cost == 0:
	case in.op == ir.OpIf && m.UniformIfs:
		in.uniform = true
	case slices.Contains(m.Drop, in.op) && in.dst < 0:
		in.kind, in.moves = doMoves, nil
	case slices.Contains(m.Drop, in.op):
		in.kind, in.a, in.b, in.c = doPure3, in.dst, in.dst, in.dst
		in.fn = func(exact.Types, uint32, uint64, uint64, uint64) uint64 { return 0 }
	}
}

func (m Mutation) mulAdd(f matrix.Form, g matrix.Generation, a *[32][4]uint32, b *[32][2]uint32, c, d *[32][4]uint32) {
	if m.HalvedChunks {
		g = matrix.SM75
	}
	if m.SwappedWords {
		for l := range a {
			a[l][1], a[l][2] = a[l][2], a[l][1]
		}
	}
	matrix.MulAdd(f, g, a, b, c, d)
}
