package shape

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// deepest is how deep shapes nest.
const deepest = 64

// regions are ifs, loops, blocks and what control does in them.
var regions = []grown{
	{"conditions joined", func(m *maker, n int) {
		c, d := m.Lt(m.i, m.load(0)), m.Lt(m.load(1), m.i)
		for k := range n / 9 {
			c, d = m.And(m.Or(c, d), m.Not(m.Lt(m.load(k), m.i))), c
			m.If(c, func() { m.keep(m.i) })
		}
	}},
	{"conditions joined in arms", func(m *maker, n int) {
		c := m.Lt(m.i, m.load(0))
		for k := range n / 8 {
			c = m.Choose(c, func() []build.Value { return []build.Value{m.Lt(m.load(k), m.i)} }, func() []build.Value { return []build.Value{m.Bool(false)} })[0]
			m.If(c, func() { m.keep(m.i) })
		}
	}},
	{"one condition many times", func(m *maker, n int) {
		c := m.Lt(m.i, m.load(0))
		for k := range n / 4 {
			m.If(c, func() { m.keep(m.Add(m.i, m.U32(uint32(k)))) })
		}
	}},
	{"nested ifs", func(m *maker, n int) {
		var nest func(depth int)
		nest = func(depth int) {
			if depth > 0 {
				m.IfElse(m.Lt(m.load(depth), m.i), func() { nest(depth - 1) }, func() { m.keep(m.load(depth)) })
			}
		}
		for range max(1, n/(7*deepest)) {
			nest(min(deepest, n/7))
		}
	}},
	{"results of nested ifs", func(m *maker, n int) {
		width := root(n, 8)
		var nest func(depth int, vs []build.Value) []build.Value
		nest = func(depth int, vs []build.Value) []build.Value {
			if depth == 0 {
				return vs
			}
			return m.Choose(m.Lt(vs[depth%len(vs)], m.i), func() []build.Value {
				next := append([]build.Value(nil), vs...)
				next[depth%len(vs)] = m.Add(vs[0], m.U32(uint32(depth)))
				return nest(depth-1, next)
			}, func() []build.Value { return vs })
		}
		m.keepAll(nest(min(width, deepest), m.loads(max(width, n/(4*deepest)))))
	}},
	{"results that are conditions", func(m *maker, n int) {
		vs := m.loads(min(n/8, 2000))
		cs := m.Choose(m.Lt(m.i, vs[0]), func() []build.Value {
			cs := make([]build.Value, len(vs))
			for k, v := range vs {
				cs[k] = m.Lt(v, m.length)
			}
			return cs
		}, func() []build.Value {
			cs := make([]build.Value, len(vs))
			for k := range vs {
				cs[k] = m.Bool(false)
			}
			return cs
		})
		for k, c := range cs {
			m.If(c, func() { m.keep(vs[k]) })
		}
	}},
	{"nested loops", func(m *maker, n int) {
		var nest func(depth int, most build.Value)
		nest = func(depth int, most build.Value) {
			if depth > 0 {
				m.For(m.U32(0), most, m.U32(1), func(k build.Value, _ build.Label) {
					m.keep(k)
					nest(depth-1, k)
				})
			}
		}
		for range max(1, n/(8*deepest)) {
			nest(min(deepest, n/8), m.length)
		}
	}},
	{"nested loops with sums", func(m *maker, n int) {
		v := m.Var(m.i)
		var nest func(depth int, most build.Value)
		nest = func(depth int, most build.Value) {
			if depth > 0 {
				m.For(m.U32(0), most, m.U32(1), func(k build.Value, l build.Label) {
					v.Set(m.Add(v.Get(), k))
					nest(depth-1, v.Get())
					m.If(m.Lt(v.Get(), k), func() { m.Break(l) })
				})
			}
		}
		for range max(1, n/(12*deepest)) {
			nest(min(deepest, n/12), m.length)
		}
		m.keep(v.Get())
	}},
	{"loops in sequence", func(m *maker, n int) {
		v := m.Var(m.i)
		for k := range n / 12 {
			m.For(v.Get(), m.length, m.U32(uint32(k+1)), func(k build.Value, _ build.Label) { m.keep(k); v.Set(m.Xor(v.Get(), k)) })
		}
		m.keep(v.Get())
	}},
	{"loops of many rounds", func(m *maker, n int) {
		for k := range n / 8 {
			m.For(m.U32(uint32(k)), m.U32(uint32(3000+k)), m.U32(1), func(i build.Value, _ build.Label) { m.keep(m.Add(i, m.U32(uint32(k)))) })
		}
	}},
	{"loops that double", func(m *maker, n int) {
		for k := range n / 10 {
			m.Loop([]build.Value{m.U32(uint32(k + 1))}, func(l build.Label, a []build.Value) {
				m.If(m.Eq(a[0], m.U32(7)), func() { m.Break(l) })
				m.keep(m.Add(a[0], m.U32(uint32(k))))
				m.Continue(l, m.Mul(a[0], m.U32(3)))
			})
		}
	}},
	{"loops written out", func(m *maker, n int) {
		v := m.Var(m.i)
		for range n / 60 {
			m.For(m.U32(0), m.U32(8), m.U32(1), func(k build.Value, _ build.Label) {
				v.Set(m.Xor(v.Get(), m.Load(m.y, m.Add(v.Get(), k))))
			})
		}
		m.keep(v.Get())
	}},
	{"loops written out in one another", func(m *maker, n int) {
		v := m.Var(m.i)
		for range n / 120 {
			m.For(m.U32(0), m.U32(4), m.U32(1), func(j build.Value, _ build.Label) {
				m.For(m.U32(0), m.U32(4), m.U32(1), func(k build.Value, _ build.Label) {
					v.Set(m.Add(v.Get(), m.Load(m.y, m.Add(m.Mul(v.Get(), j), k))))
				})
			})
		}
		m.keep(v.Get())
	}},
	{"arguments of loops", func(m *maker, n int) {
		vs := make([]*build.Var, root(n, 3))
		for k := range vs {
			vs[k] = m.Var(m.load(k))
		}
		for k := range vs {
			m.For(m.U32(0), vs[k].Get(), m.U32(1), func(i build.Value, l build.Label) {
				for _, v := range vs[:(k+1)/2] {
					v.Set(m.Add(v.Get(), i))
				}
			})
		}
		for _, v := range vs {
			m.keep(v.Get())
		}
	}},
	{"breaks out of nested blocks", func(m *maker, n int) {
		var labels []build.Label
		var nest func(depth int)
		nest = func(depth int) {
			if depth == 0 {
				for k := range n / 8 {
					m.If(m.Eq(m.load(k), m.i), func() { m.Break(labels[k%len(labels)]) })
				}
				return
			}
			m.Block(func(l build.Label) {
				labels = append(labels, l)
				nest(depth - 1)
				labels = labels[:len(labels)-1]
				m.keep(m.U32(uint32(depth)))
			})
		}
		nest(min(deepest, max(1, n/16)))
	}},
	{"cases of cases", func(m *maker, n int) {
		v := m.Var(m.i)
		for k := range n / 40 {
			m.Block(func(l build.Label) {
				for j := range 4 {
					m.If(m.Eq(m.And(v.Get(), m.U32(7)), m.U32(uint32(j))), func() {
						m.If(m.Lt(m.load(k), m.i), func() { v.Set(m.Add(v.Get(), m.U32(uint32(k+1)))); m.Break(l) })
					})
				}
				v.Set(m.Xor(v.Get(), m.U32(9)))
			})
		}
		m.keep(v.Get())
	}},
	{"continues", func(m *maker, n int) {
		v := m.Var(m.i)
		m.Loop(nil, func(l build.Label, _ []build.Value) {
			m.If(m.Lt(v.Get(), m.length), func() { m.Break(l) })
			for k := range n / 8 {
				m.If(m.Eq(m.load(k), v.Get()), func() {
					v.Set(m.Add(v.Get(), m.U32(uint32(k+1))))
					m.Continue(l)
				})
			}
			v.Set(m.Add(v.Get(), m.i))
		})
		m.keep(v.Get())
	}},
	{"returns", func(m *maker, n int) {
		for k := range n / 6 {
			m.unless(m.Eq(m.load(k), m.i))
		}
		m.keep(m.i)
	}},
	{"barriers under conditions of the group", func(m *maker, n int) {
		s := m.SharedArray("s", ir.U32, 64)
		g, l := m.Scalar("g", ir.U32), m.Local(0)
		for k := range n / 10 {
			m.If(m.Lt(g, m.U32(uint32(k))), func() {
				m.Store(s, l, m.Add(m.Load(s, m.Xor(l, m.U32(1))), m.i))
				m.Barrier()
			})
		}
		m.keep(m.Load(s, l))
	}},
	{"messages", func(m *maker, n int) {
		for k := range n / 4 {
			m.Trap(m.Lt(m.load(k), m.i), m.Cvt(ir.U64, m.i), uint32(k), fmt.Sprint("row ", k))
		}
	}},
}
