package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// update is an atomic's place and what it makes of the value there.
type update struct {
	access
	next    fn3 // of the old value and the operands
	operand [2]int32
	flushes bool // subnormals, in global memory: of sums in f32 the manual says that the hardware does
}

func (dec *decoder) atomic(in *inst, src *asm.Inst) {
	x := &update{operand: [2]int32{-1, -1}}
	args := src.Args
	if src.Op == "atom" {
		in.d = dec.dest(&args[0])
		args = args[1:]
	}
	dec.place(&x.access, src, &args[0])
	for i := range args[1:] {
		x.operand[i] = dec.value(&args[1+i])
	}
	x.next = atomicOp(src)
	x.flushes = src.Type == asm.F32 && src.Has("add")
	in.x, in.run = x, runAtomic
}

// atomicOp is what an atomic leaves in memory.
func atomicOp(src *asm.Inst) fn3 {
	t := src.Type
	two := func(op string) fn3 {
		f := integer2(&asm.Inst{Op: op, Type: t})
		return func(old, a, _ uint64) uint64 { return f(old, a) }
	}
	switch op := src.One("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"); op {
	case "add":
		if t.Float() {
			f := sum(formats[t], nearest)
			return func(old, a, _ uint64) uint64 { return f(old, a) }
		}
		return two(op)
	case "exch":
		return func(_, a, _ uint64) uint64 { return a }
	case "cas":
		return func(old, a, b uint64) uint64 {
			if old == a {
				return b
			}
			return old
		}
	case "inc":
		return func(old, a, _ uint64) uint64 {
			if old >= a {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, a, _ uint64) uint64 {
			if old == 0 || old > a {
				return a
			}
			return old - 1
		}
	default:
		return two(op)
	}
}

func runAtomic(w *warp, in *inst, m uint32) {
	x := in.x.(*update)
	if x.base >= 0 {
		w.needs(in, x.base, m, "address")
	}
	for _, s := range x.operand {
		if s >= 0 {
			w.needs(in, s, m, "operand")
		}
	}
	descending := w.g.m.coin()
	for rest := m; rest != 0; {
		l := bits.TrailingZeros32(rest)
		if descending {
			l = 31 - bits.LeadingZeros32(rest)
		}
		rest &^= 1 << l
		c := w.memory(in, &x.access, l, x.bytes)
		if c.known != nil && element(c.known) != everyByte(x.bytes) {
			w.found(UndefinedMemory, in, 1<<l, "nothing wrote the %d bytes at %#x", x.bytes, w.address(&x.access, l))
		}
		old := element(c.data)
		a, b := w.at(x.operand[0])[l], uint64(0)
		if x.operand[1] >= 0 {
			b = w.at(x.operand[1])[l]
		}
		v := uint64(0)
		if x.flushes && c.of != nil {
			v = single.flush(x.next(single.flush(old), single.flush(a), b))
		} else {
			v = x.next(old, a, b)
		}
		if r := w.g.m.races; r != nil && !c.local {
			r.access(w, in, &x.access, l, x.bytes, c, true, true)
		}
		setElement(c.data, v)
		if v != old {
			w.k.mem.changes++
		}
		c.mark()
		if in.d >= 0 {
			w.at(in.d)[l] = old
		}
	}
	if in.d >= 0 {
		w.defined(in.d, m, all)
	}
}
