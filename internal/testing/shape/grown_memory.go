package shape

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// view is a part of a buffer, as slicing makes it.
type view struct{ off, length build.Value }

// slice returns v[lo:hi].
func (m *maker) slice(v view, lo, hi build.Value) view {
	off := m.Min(lo, v.length)
	return view{m.Add(v.off, off), m.Sub(m.Max(m.Min(hi, v.length), off), off)}
}

// element returns the index of an element of a view in its buffer.
func (m *maker) element(v view, i build.Value) build.Value {
	return m.Select(m.Lt(i, v.length), m.Add(v.off, i), m.Const(m.Type(i), m.Type(i).Mask()))
}

// memories are loads, stores, views and arrays.
var memories = []grown{
	{"views of views", func(m *maker, n int) {
		v := view{m.U32(0), m.length}
		for k := range n / 16 {
			v = m.slice(v, m.load(k), m.load(k+1))
			m.Store(m.x, m.element(v, m.i), m.i)
		}
	}},
	{"views of one buffer", func(m *maker, n int) {
		for k := range n / 20 {
			v := m.slice(view{m.U32(0), m.length}, m.load(k), m.load(k+1))
			m.If(m.Lt(m.i, v.length), func() { m.Store(m.x, m.element(v, m.i), m.Load(m.x, m.element(v, m.Add(m.i, m.U32(1))))) })
		}
	}},
	{"halves of views", func(m *maker, n int) {
		// Every other view is the lower half.
		v := view{m.U32(0), m.length}
		for k := range n / 12 {
			mid := m.Div(v.length, m.U32(2))
			if k%2 == 0 {
				v = m.slice(v, m.U32(0), mid)
			} else {
				v = m.slice(v, mid, v.length)
			}
			m.Store(m.x, m.element(v, m.i), m.i)
		}
	}},
	{"stores and loads at distances", func(m *maker, n int) {
		for k := range n / 5 {
			m.Store(m.x, m.Add(m.i, m.U32(uint32(k))), m.Load(m.x, m.Add(m.i, m.U32(uint32(k/2)))))
		}
	}},
	{"stores, then loads", func(m *maker, n int) {
		for k := range n / 7 {
			m.Store(m.x, m.Add(m.i, m.U32(uint32(k))), m.i)
		}
		v := m.i
		for k := range n / 7 {
			v = m.Xor(v, m.Load(m.x, m.Add(m.i, m.U32(uint32(k)))))
		}
		m.keep(v)
	}},
	{"stores at loaded places", func(m *maker, n int) {
		for k := range n / 4 {
			m.Store(m.x, m.load(k), m.U32(uint32(k)))
		}
	}},
	{"loads along a chain, after a square root", func(m *maker, n int) {
		// Each load may pass the root, with all that its index is computed from.
		root := m.Sqrt(m.Bitcast(ir.F32, m.load(0)))
		v, sum := m.i, m.Bitcast(ir.U32, root)
		for range n / 4 {
			v = m.Mul(m.Xor(v, m.length), m.length)
			sum = m.Add(sum, m.Load(m.y, v))
		}
		m.keep(sum)
	}},
	{"atomics along a chain, in branches", func(m *maker, n int) {
		v := m.i
		for k := range n / 60 {
			m.If(m.Lt(m.load(k), m.length), func() {
				w := v
				for range 50 {
					w = m.Xor(m.Add(w, w), m.length)
				}
				m.AtomicAdd(m.x, m.U32(0), w, ir.Relaxed, ir.Device)
			})
		}
	}},
	{"loads of one place", func(m *maker, n int) {
		v := m.i
		for k := range n / 3 {
			v = m.Add(v, m.Load(m.x, m.i))
			if k%16 == 15 {
				m.Store(m.x, v, v)
			}
		}
		m.keep(v)
	}},
	{"many buffers", func(m *maker, n int) {
		var bs []ir.Object
		for k := range min(48, max(2, n/8)) {
			bs = append(bs, m.Buffer(fmt.Sprint("b", k), ir.U32, ir.RW))
		}
		for k := range n / 4 {
			m.Store(bs[k%len(bs)], m.i, m.Add(m.Load(bs[k*7%len(bs)], m.i), m.U32(uint32(k))))
		}
	}},
	{"many local arrays", func(m *maker, n int) {
		var vs []build.Value
		for k := range min(n/9, 100) {
			a := m.LocalArray(fmt.Sprint("a", k), ir.U32, 4)
			m.Store(a, m.And(m.i, m.U32(3)), m.load(k))
			vs = append(vs, m.Load(a, m.And(m.load(k+1), m.U32(3))))
		}
		m.keepAll(vs)
	}},
	{"many local arrays of known places", func(m *maker, n int) {
		for k := range min(n/9, 100) {
			a := m.LocalArray(fmt.Sprint("a", k), ir.U32, 4)
			m.Store(a, m.U32(1), m.load(k))
			m.keep(m.Load(a, m.U32(uint32(k%4))))
		}
	}},
	{"a local array at unknown places", func(m *maker, n int) {
		a := m.LocalArray("a", ir.U32, 64)
		for k := range n / 6 {
			m.Store(a, m.load(k), m.Load(a, m.load(k+1)))
		}
		m.keep(m.Load(a, m.i))
	}},
	{"a small local array at unknown places", func(m *maker, n int) {
		a := m.LocalArray("a", ir.U32, 6)
		for k := range n / 6 {
			m.Store(a, m.load(k), m.Load(a, m.load(k+1)))
		}
		m.keep(m.Load(a, m.i))
	}},
	{"large local arrays at known places", func(m *maker, n int) {
		for j := range min(40, max(1, n/800)) {
			a := m.LocalArray(fmt.Sprint("a", j), ir.U32, 90)
			for k := range 90 {
				m.Store(a, m.U32(uint32(k)), m.load(k))
			}
			for k := range 90 {
				m.keep(m.Load(a, m.U32(uint32(k*7%90))))
			}
		}
	}},
	{"local arrays copied", func(m *maker, n int) {
		var as []ir.Object
		for k := range 4 {
			as = append(as, m.LocalArray(fmt.Sprint("a", k), ir.U32, 16))
		}
		m.Store(as[0], m.And(m.i, m.U32(15)), m.i)
		for k := range n / 64 {
			for j := range 16 {
				m.Store(as[(k+1)%4], m.U32(uint32(j)), m.Load(as[k%4], m.U32(uint32(j))))
			}
			m.Store(as[(k+1)%4], m.And(m.load(k), m.U32(15)), m.i)
		}
		m.keep(m.Load(as[0], m.i))
	}},
	{"a local array over loops", func(m *maker, n int) {
		a := m.LocalArray("a", ir.U32, 8)
		for k := range n / 14 {
			m.For(m.U32(0), m.load(k), m.U32(1), func(i build.Value, _ build.Label) {
				m.Store(a, m.U32(uint32(k%8)), m.Add(m.Load(a, m.U32(uint32((k+3)%8))), i))
			})
		}
		m.keep(m.Load(a, m.U32(2)))
	}},
	{"shared arrays", func(m *maker, n int) {
		var ss []ir.Object
		for k := range min(64, max(2, n/9)) {
			ss = append(ss, m.SharedArray(fmt.Sprint("s", k), ir.U32, 64))
		}
		l := m.Local(0)
		for k := range n / 4 {
			m.Store(ss[k%len(ss)], l, m.Add(m.Load(ss[k*5%len(ss)], m.Xor(l, m.U32(uint32(k%64)))), m.i))
		}
		m.keep(m.Load(ss[0], l))
	}},
	{"shared memory and barriers", func(m *maker, n int) {
		s, l := m.SharedArray("s", ir.U32, 64), m.Local(0)
		for k := range n / 8 {
			m.Store(s, l, m.Add(m.Load(s, m.Xor(l, m.U32(uint32(1<<(k%6))))), m.i))
			m.Barrier()
		}
		m.keep(m.Load(s, l))
	}},
	{"atomics", func(m *maker, n int) {
		for k := range n / 3 {
			m.AtomicAdd(m.x, m.Add(m.i, m.U32(uint32(k%9))), m.U32(uint32(k+1)), ir.Relaxed, ir.Device)
		}
	}},
	{"tables", func(m *maker, n int) {
		t := m.Table("t", ir.U32, numbers(256))
		v := m.i
		for k := range n / 4 {
			v = m.Xor(m.Load(t, m.And(v, m.U32(255))), m.Shr(v, m.U32(uint32(k%8))))
		}
		m.keep(v)
	}},
	{"vectors", func(m *maker, n int) {
		for k := range n / 14 {
			i := m.Add(m.i, m.U32(uint32(k)))
			v := m.LoadVec(m.y, i, 4)
			m.StoreVec(m.x, i, m.Vec(m.Elem(v, 3), m.Add(m.Elem(v, 2), m.i), m.Elem(v, 1), m.Elem(v, 0)))
		}
	}},
}

// numbers are n elements of a table.
func numbers(n int) []uint64 {
	out := make([]uint64, n)
	for k := range out {
		out[k] = uint64(uint32(k) * 2654435761)
	}
	return out
}

// arithmetics are long expressions, and many values that live at once.
var arithmetics = []grown{
	{"a tree of sums", func(m *maker, n int) {
		vs := m.loads(n / 3)
		for len(vs) > 1 {
			var next []build.Value
			for k := 0; k+1 < len(vs); k += 2 {
				next = append(next, m.Add(vs[k], vs[k+1]))
			}
			vs = append(next, vs[len(vs)&^1:]...)
		}
		m.keep(vs[0])
	}},
	{"values that live long", func(m *maker, n int) {
		vs := m.loads(n / 4)
		v := m.i
		for k := range vs {
			v = m.Xor(v, m.Mul(vs[len(vs)-1-k], m.Add(v, vs[k])))
		}
		m.keep(v)
	}},
	{"constants", func(m *maker, n int) {
		v := m.i
		for k := range n / 2 {
			v = m.Xor(m.Add(v, m.U32(uint32(k*k+1000))), m.U32(uint32(k)*2654435761))
		}
		m.keep(v)
	}},
	{"the same many times", func(m *maker, n int) {
		for k := range n / 5 {
			m.keep(m.Mul(m.Add(m.i, m.length), m.Xor(m.i, m.U32(uint32(k%3)))))
		}
	}},
	{"functions", func(m *maker, n int) {
		f := m.Bitcast(ir.F32, m.load(0))
		for range n / 60 {
			f = m.Add(m.Exp(f), m.Sqrt(m.Div(f, m.F32(3))))
		}
		m.keep(m.Bitcast(ir.U32, f))
	}},
	{"warps", func(m *maker, n int) {
		v := m.load(0)
		for k := range n / 3 {
			v = m.Add(v, m.Op(ir.OpShuffleDown, v, m.U32(uint32(k%31+1))))
		}
		m.keep(v)
	}},
	{"halves and bytes", func(m *maker, n int) {
		c := m.Buffer("c", ir.U8, ir.RW)
		for k := range n / 9 {
			v := m.Load(c, m.Add(m.i, m.U32(uint32(k))))
			m.Store(c, m.Add(m.i, m.U32(uint32(k+1))), m.Add(v, v))
		}
	}},
	{"bytes joined to words", func(m *maker, n int) {
		c := m.Buffer("c", ir.U8, ir.RO)
		for k := range n / 18 {
			at := m.Mul(m.Add(m.i, m.U32(uint32(k))), m.U32(4))
			v := m.Load(c, at)
			for j := range uint32(3) {
				v = m.Or(v, m.Shl(m.Load(c, m.Add(at, m.U32(j+1))), m.U32(8*j+8)))
			}
			m.keep(v)
		}
	}},
}
