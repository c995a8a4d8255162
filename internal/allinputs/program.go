package allinputs

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

const (
	workgroup = 256
	// maxThreads is about what the largest GPUs keep resident, and a power of two, so that it divides the inputs.
	maxThreads = 1 << 18
)

// writer makes the program of a pair.
type writer struct {
	*build.Builder
	leaves []build.Value
	made   map[*Term]build.Value
}

// Program evaluates both terms in a loop over inputs. A thread of number t below "threads" tries the inputs
// first + t, first + t + threads, …, of which there are "rounds", and adds what it found to two words: how many inputs have a
// difference, and the least of them.
func (p *Pair) Program() (*ir.Program, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	b := build.New(p.Name, build.Workgroup(workgroup))
	w := &writer{Builder: b, made: make(map[*Term]build.Value)}
	first, threads, rounds := b.Scalar("first", ir.U32), b.Scalar("threads", ir.U32), b.Scalar("rounds", ir.U32)
	for _, l := range p.Leaves {
		v := build.Value(0)
		if l.Fixed {
			v = b.Scalar("", l.Type)
		}
		w.leaves = append(w.leaves, v)
	}
	found := b.Buffer("found", ir.U64, ir.RW)
	me := b.Global(0)
	b.If(b.Ge(me, threads), b.Return)
	input, count, least := b.Var(b.Add(first, me)), b.Var(b.U32(0)), b.Var(b.U32(1<<32-1))
	b.For(b.U32(0), rounds, b.U32(1), func(build.Value, build.Label) {
		x := input.Get()
		w.spread(p, x)
		differ := w.differ(w.term(p.Left), w.term(p.Right))
		for _, h := range p.Holds {
			differ = b.And(differ, w.term(h))
		}
		count.Set(b.Add(count.Get(), b.Select(differ, b.U32(1), b.U32(0))))
		least.Set(b.Min(least.Get(), b.Select(differ, x, b.U32(1<<32-1))))
		input.Set(b.Add(x, threads))
	})
	b.If(b.Ne(count.Get(), b.U32(0)), func() {
		b.AtomicAdd(found, b.U32(0), b.Cvt(ir.U64, count.Get()), ir.Relaxed, ir.Device)
		b.Atomic(ir.OpAtomicMin, found, ir.Relaxed, ir.Device, b.U32(1), b.Cvt(ir.U64, least.Get()))
	})
	return b.Program()
}

// spread makes the leaves of an input.
func (w *writer) spread(p *Pair, x build.Value) {
	at := 0
	for i, l := range p.Leaves {
		if l.Fixed {
			continue
		}
		word := ir.U32
		if l.Type.Bits() > 32 {
			word = ir.U64
		}
		v, some := w.Const(word, l.Ones), l.Ones != 0
		for free := l.Free; free != 0; { // one run of bits after another
			to := bits.TrailingZeros64(free)
			n := bits.TrailingZeros64(^(free >> to))
			part := x
			if at > 0 {
				part = w.Shr(part, w.U32(uint32(at)))
			}
			if n < 32 {
				part = w.And(part, w.U32(1<<n-1))
			}
			if part = w.Cvt(word, part); to > 0 {
				part = w.Shl(part, w.U32(uint32(to)))
			}
			if some {
				part = w.Or(v, part)
			}
			v, some = part, true
			at += n
			free &^= (1<<n - 1) << to
		}
		if l.Type == ir.Bool {
			v = w.Ne(v, w.U32(0))
		}
		w.leaves[i] = w.Bitcast(l.Type, v)
	}
}

// term makes the rows of a term.
func (w *writer) term(t *Term) build.Value {
	switch t.Op {
	case 0:
		return w.leaves[t.Leaf]
	case ir.OpConst:
		return w.Const(t.Type, t.Bits)
	}
	if v, ok := w.made[t]; ok {
		return v
	}
	args := make([]build.Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = w.term(a)
	}
	v := build.Value(0)
	switch t.Op {
	case ir.OpCvt:
		v = w.Cvt(t.Type, args[0])
	case ir.OpBitcast:
		v = w.Bitcast(t.Type, args[0])
	default:
		v = w.OpImm(t.Op, t.X, args...)
	}
	w.made[t] = v
	return v
}

// differ compares bits; of floats, a NaN is equal to any.
func (w *writer) differ(x, y build.Value) build.Value {
	t := w.Type(x)
	if infinity(t) == 0 {
		return w.Ne(x, y)
	}
	word := ir.U32
	if t == ir.F64 {
		word = ir.U64
	}
	x, y = w.Bitcast(word, x), w.Bitcast(word, y)
	nan := func(v build.Value) build.Value {
		return w.Lt(w.Const(word, infinity(t)), w.And(v, w.Const(word, t.Mask()>>1)))
	}
	return w.And(w.Ne(x, y), w.Not(w.And(nan(x), nan(y))))
}
