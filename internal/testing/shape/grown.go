package shape

import (
	"math"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Grown lists kinds of program that nobody writes by hand and generators of random programs do not come to: one construct,
// as often as there are rows. A query that walks along operands, along relations between values, along rows of memory or out
// of regions and neither stops nor remembers shows in one of them.
var Grown = func() []Shape {
	var out []Shape
	for _, list := range [][]grown{orders, chains, regions, memories, arithmetics} {
		for _, g := range list {
			out = append(out, Shape{g.name, func(n int) *build.Builder {
				b := build.New("grown", build.Workgroup(64))
				make := &maker{Builder: b, x: b.Buffer("x", ir.U32, ir.RW), y: b.Buffer("y", ir.U32, ir.RO)}
				make.i = b.Global(0)
				make.length = b.Len(make.x)
				g.make(make, n)
				return b
			}})
		}
	}
	return out
}()

// grown is a shape of programs over two buffers.
type grown struct {
	name string
	make func(m *maker, n int) // adds about n rows
}

type maker struct {
	*build.Builder
	x, y      ir.Object
	i, length build.Value
}

// root is a number of values whose pairs make n rows, of so many rows each.
func root(n, rows int) int { return max(2, int(math.Sqrt(2*float64(n)/float64(rows)))) }

// loads returns n values of which nothing is known.
func (m *maker) loads(n int) []build.Value {
	vs := make([]build.Value, n)
	for k := range vs {
		vs[k] = m.load(k)
	}
	return vs
}

func (m *maker) load(k int) build.Value { return m.Load(m.y, m.Add(m.i, m.U32(uint32(k)))) }

// keep stores a value, at an index that may be out of bounds.
func (m *maker) keep(v build.Value) { m.Store(m.x, v, m.i) }

// unless returns from the kernel where c holds.
func (m *maker) unless(c build.Value) { m.If(c, func() { m.Return() }) }

// pairs calls f for all pairs of n/rows values.
func (m *maker) pairs(n, rows int, f func(a, b build.Value)) []build.Value {
	vs := m.loads(root(n, rows))
	for a := range vs {
		for b := range a {
			f(vs[b], vs[a])
		}
	}
	return vs
}

func (m *maker) keepAll(vs []build.Value) {
	for _, v := range vs {
		m.keep(v)
	}
}

// orders are what is known of the order of values.
var orders = []grown{
	{"equal in pairs", func(m *maker, n int) {
		m.keepAll(m.pairs(n, 4, func(a, b build.Value) { m.unless(m.Ne(a, b)) }))
	}},
	{"equal in a chain", func(m *maker, n int) {
		vs := m.loads(n / 8)
		for k := range vs[1:] {
			m.unless(m.Ne(vs[k], vs[k+1]))
		}
		m.keepAll(vs)
	}},
	{"equal to one", func(m *maker, n int) {
		vs := m.loads(n / 8)
		for k := range vs[1:] {
			m.unless(m.Ne(vs[0], vs[k+1]))
		}
		m.unless(m.Le(m.length, vs[0]))
		m.keepAll(vs)
	}},
	{"less in pairs", func(m *maker, n int) {
		m.keepAll(m.pairs(n, 4, func(a, b build.Value) { m.unless(m.Le(b, a)) }))
	}},
	{"at most in pairs", func(m *maker, n int) {
		m.keepAll(m.pairs(n, 4, func(a, b build.Value) { m.unless(m.Lt(b, a)) }))
	}},
	{"less in a chain", func(m *maker, n int) {
		vs := m.loads(n / 8)
		for k := range vs[1:] {
			m.unless(m.Le(vs[k+1], vs[k]))
		}
		m.unless(m.Le(m.length, vs[len(vs)-1]))
		m.keepAll(vs)
	}},
	{"one less than many", func(m *maker, n int) {
		vs := m.loads(n / 8)
		for _, v := range vs[1:] {
			m.unless(m.Le(v, vs[0]))
			m.keep(vs[0])
		}
	}},
	{"layers of orders", func(m *maker, n int) {
		// Each of four values is less than each of the next four.
		last := m.loads(4)
		for range n / 90 {
			next := m.loads(4)
			for _, a := range last {
				for _, b := range next {
					m.unless(m.Le(b, a))
				}
			}
			m.keepAll(last)
			last = next
		}
	}},
	{"differences", func(m *maker, n int) {
		m.pairs(n, 9, func(a, b build.Value) {
			m.If(m.Le(a, b), func() { m.If(m.Lt(m.U32(0), m.Sub(b, a)), func() { m.keep(m.Sub(b, a)) }) })
		})
	}},
	{"equal signed and wide", func(m *maker, n int) {
		vs := m.loads(root(n, 7))
		for a := range vs {
			for b := range a {
				m.unless(m.Ne(m.Cvt(ir.I64, vs[a]), m.Cvt(ir.I64, vs[b])))
				m.unless(m.Lt(m.Cvt(ir.I32, vs[a]), m.I32(0)))
			}
		}
		m.keepAll(vs)
	}},
	{"loaded values that prove", func(m *maker, n int) {
		for range n / 9 {
			v := m.Load(m.y, m.load(1))
			m.unless(m.Eq(m.And(m.Add(v, v), m.Mul(v, v)), m.U32(0)))
			m.keep(v)
		}
	}},
}

// chains are values computed from one another, many of them along exponentially many paths.
var chains = func() []grown {
	var out []grown
	chain := func(name string, rows int, next func(m *maker, v, u build.Value, k int) build.Value) {
		step := func(m *maker, n int, each bool) {
			v, u := m.load(0), m.load(1)
			for k := range n / rows {
				v, u = next(m, v, u, k), v
				if each {
					m.keep(v)
				}
			}
			m.keep(v)
		}
		out = append(out, grown{name, func(m *maker, n int) { step(m, n, false) }},
			grown{name + ", each used", func(m *maker, n int) { step(m, n, true) }})
	}
	c := func(m *maker, k int) build.Value { return m.U32(uint32(k)*2654435761>>7 + 1) }
	chain("minima and maxima", 2, func(m *maker, v, u build.Value, k int) build.Value { return m.Min(m.Max(v, u), m.Min(u, m.length)) })
	chain("minima", 2, func(m *maker, v, u build.Value, k int) build.Value { return m.Min(v, m.Add(u, c(m, k))) })
	chain("maxima", 1, func(m *maker, v, u build.Value, k int) build.Value { return m.Max(v, m.Xor(u, v)) })
	chain("selects", 2, func(m *maker, v, u build.Value, k int) build.Value { return m.Select(m.Lt(v, c(m, k)), u, v) })
	chain("selects of sums", 4, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Select(m.Lt(m.i, v), m.Add(u, v), m.Xor(u, c(m, k)))
	})
	chain("sums", 1, func(m *maker, v, u build.Value, k int) build.Value { return m.Add(v, u) })
	chain("differences in a chain", 1, func(m *maker, v, u build.Value, k int) build.Value { return m.Sub(v, u) })
	chain("products", 1, func(m *maker, v, u build.Value, k int) build.Value { return m.Mul(v, u) })
	chain("bits", 3, func(m *maker, v, u build.Value, k int) build.Value {
		return m.And(m.Or(v, m.Shr(u, m.U32(uint32(k%31)))), m.Xor(u, c(m, k)))
	})
	chain("or of ands", 3, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Or(m.And(v, c(m, k)), m.And(u, c(m, k+1)))
	})
	chain("shifts", 2, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Xor(m.Shl(v, m.U32(uint32(k%31))), m.Shr(u, m.U32(uint32(k%29))))
	})
	chain("rotations", 3, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Or(m.Shl(v, m.U32(7)), m.Shr(v, m.U32(25)))
	})
	chain("quotients", 2, func(m *maker, v, u build.Value, k int) build.Value { return m.Div(v, m.Rem(u, c(m, k))) })
	chain("conversions", 4, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Cvt(ir.U32, m.Add(m.Cvt(ir.I64, m.Cvt(ir.I32, v)), m.Cvt(ir.I64, u)))
	})
	chain("wide sums", 4, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Cvt(ir.U32, m.Mul(m.Add(m.Cvt(ir.U64, v), m.Cvt(ir.U64, u)), m.U64(uint64(k+3))))
	})
	chain("conversions alone", 2, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Cvt(ir.U32, m.Cvt([]ir.Type{ir.I64, ir.I32, ir.U64}[k%3], v))
	})
	chain("conversions compared", 5, func(m *maker, v, u build.Value, k int) build.Value {
		w := m.Cvt(ir.U32, m.Cvt(ir.I32, v))
		m.Store(m.x, m.Select(m.Lt(w, m.i), m.length, m.U32(uint32(k))), m.i)
		return w
	})
	chain("bitcasts compared", 5, func(m *maker, v, u build.Value, k int) build.Value {
		w := m.Bitcast(ir.U32, m.Bitcast(ir.F32, v))
		m.Store(m.x, m.Select(m.Lt(w, m.i), m.length, m.U32(uint32(k))), m.i)
		return w
	})
	chain("conversions shifted", 4, func(m *maker, v, u build.Value, k int) build.Value {
		w := m.Cvt(ir.U32, m.Cvt(ir.I32, v))
		m.Store(m.x, m.Shr(w, m.U32(uint32(k%31)+1)), m.i)
		return w
	})
	chain("bytes", 5, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Or(m.And(m.Shr(v, m.U32(8)), m.U32(0xFF00)), m.Shl(m.And(u, m.U32(0xFF)), m.U32(16)))
	})
	chain("floats", 3, func(m *maker, v, u build.Value, k int) build.Value {
		f := m.Bitcast(ir.F32, v)
		return m.Bitcast(ir.U32, m.Fma(f, m.Neg(f), m.Abs(m.Bitcast(ir.F32, u))))
	})
	chain("float minima", 3, func(m *maker, v, u build.Value, k int) build.Value {
		f, g := m.Bitcast(ir.F32, v), m.Bitcast(ir.F32, u)
		return m.Bitcast(ir.U32, m.Min(m.Max(f, g), m.Select(m.Lt(f, g), g, f)))
	})
	chain("bits counted", 3, func(m *maker, v, u build.Value, k int) build.Value {
		return m.Add(v, m.And(m.Shr(m.i, m.U32(uint32(k%32))), m.U32(1)))
	})
	chain("carries", 3, func(m *maker, v, u build.Value, k int) build.Value {
		s := m.Add(v, u)
		return m.Add(s, m.Select(m.Lt(s, u), m.U32(1), m.U32(0)))
	})
	return out
}()
