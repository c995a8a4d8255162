package conform

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// RandomGoOrder makes a kernel in Go like those of RandomGo, whose statements have effects in every operand: calls write what
// other operands read, indices move, what is assigned to is what is read, and slices refer to arrays that are copied. So it
// shows in which order a statement is evaluated, and what is copied when. Each invocation works in memory of its own.
func RandomGoOrder(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x6F726472)), stream: []uint16{ofGoOrder}})
}

// Of the launch of such a kernel: Kernel(t, 2, in, sums, out), where sums is memory of the invocations.
const (
	orderGroup = 32
	orderOwn   = 16 // elements that an invocation has
)

// orderDeclarations are what all such kernels have in common. Lengths are powers of two, so that each index can be masked.
const orderDeclarations = `package generated

import (
	"cmp"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"github.com/govyre/vyre/gpu"
)

type cell struct {
	A uint32
	B [4]uint32
	C int64
	D int16
}

func (c cell) mixed(s []uint32, x uint32) uint32 {
	c.B[x&3] ^= s[x&3]
	s[c.A&3] += c.B[s[0]&3] ^ x
	return c.B[x&3]*5 ^ c.A
}

func (c cell) turned(s []uint32, x uint32) cell {
	c.A, c.B[0], c.B[x&3] = c.B[1], c.A+x, s[x&3]
	s[1] = s[1]*3 + c.A
	c.C, c.D = int64(c.D)-c.C<<1, int16(c.C)+int16(x)
	return c
}

func (c *cell) step(x uint32) *cell {
	c.B[x&3] += c.A ^ x
	c.A++
	return c
}

func raise(n *uint32, x uint32) uint32 {
	old := *n
	*n = old*3 + x
	return old ^ *n>>7
}

func shifted(a *[4]uint32, s []uint32, x uint32) uint32 {
	for i, v := range a {
		a[(uint32(i)+x)&3] ^= v + s[x&3]
	}
	return a[x&3]
}

func swapped[T any](a, b *T) T {
	*a, *b = *b, *a
	return *a
}

type holder struct {
	S []uint32
	N uint32
}

func (h holder) push(x uint32) uint32 {
	h.S[h.N&3] = h.S[h.N&3]*3 + x
	h.N++
	return h.S[h.N&3] + h.N
}

type stack struct {
	L []cell
	N uint32
}

func (p stack) pop(x uint32) uint32 {
	p.L[p.N&1].A ^= x
	p.L, p.N = p.L[1:], p.N+1
	return p.L[0].A + uint32(len(p.L))
}

type four [4]uint32

func (f four) first(s []uint32) four {
	s[f[1]&3] += f[0]
	f[0], f[1] = s[1], f[0]
	return f
}

var table = [4]uint32{5, 7, 11, 13}

func poke[T uint32 | int16](s []T, i uint32, x T) T {
	s[i&3] = s[i&3]*3 + x
	return s[(i+1)&3] ^ s[i&3]
}

func two(s []uint32, x uint32) (uint32, uint32) {
	old := s[x&3]
	s[x&3], s[0] = s[0]+x, s[x&3]*3
	return old, s[1] ^ x
}

func two32(s []uint32, x uint32) uint32 {
	lo, c := bits.Add32(s[x&3], s[0], x&1)
	s[0], c = bits.Sub32(lo, s[1], c)
	return s[0] - c
}

func spread(s []uint32, x uint32) (a uint32, b [4]uint32, c int64) {
	a, b[x&3], c = s[x&3], x, int64(s[0])
	s[2] ^= a + x*3
	if x&4 == 0 {
		return b[1] + s[2], [4]uint32{a, b[x&3], s[2], b[0]}, c - int64(a)
	}
	b[s[2]&3]++
	return
}

func rotated(c [4]uint32, s []uint32) [4]uint32 {
	s[1] += c[0]
	return [4]uint32{c[3], c[0] + s[1], c[1], c[2] ^ s[0]}
}

func same(c [4]uint32, s []uint32) [4]uint32 {
	s[3]++
	return c
}

func cellOf(s []uint32, c [4]uint32, x uint32) cell {
	s[0] = s[0]*5 + x
	return cell{A: s[0], B: c, C: int64(s[1]), D: int16(x)}
}

func odd(s []uint32, x uint32) bool {
	s[2] += x | 1
	return s[2]>>3&1 == 1
}

func choose(c bool, x, y uint32) uint32 {
	if c {
		return x
	}
	return y
}

func apply(f func(uint32) uint32, s []uint32, x uint32) uint32 {
	s[1] += x
	x = f(s[x&3])
	return f(x) ^ s[1]
}

func use(f func([]uint32, uint32) uint32, s []uint32, x uint32) uint32 { return f(s, x) ^ s[x&3] }

func maker(n uint32, s []uint32) func(uint32) uint32 {
	return func(x uint32) uint32 {
		n = n*3 + x
		s[n&3] ^= x
		return n
	}
}

func visited(a [4]uint32, s []uint32, visit func(int, uint32)) {
	for i, x := range a {
		visit(i, x+s[i])
	}
}

func words(s []uint32, a [4]uint32) func(func(int, uint32) bool) {
	return func(yield func(int, uint32) bool) {
		first := a[0]
		for i := range a {
			if !yield(i, a[i]+s[i]) {
				s[0]++
				break
			}
			a[(i+1)&3] ^= first
		}
		s[1] += a[3]
	}
}

func (c *cell) all(yield func(int, uint32) bool) {
	for i := 0; i < 3 && yield(i, c.B[c.A&3]); i++ {
		c.A--
	}
}

func order(a, b cell) int { return cmp.Compare(uint64(a.A)<<32|uint64(hash(a)), uint64(b.A)<<32|uint64(hash(b))) }

func sorted(l []cell, x uint32) uint32 {
	slices.SortFunc(l, order)
	i, _ := slices.BinarySearchFunc(l, x, func(c cell, x uint32) int { return cmp.Compare(c.A, x) })
	return uint32(i)
}

func indexed(l []cell, s []uint32, x uint32) uint32 {
	slices.Reverse(l)
	return uint32(slices.IndexFunc(l, func(c cell) bool {
		s[0]++
		return c.A&1 == x&1
	}))
}

func moved(l []cell, x uint32) cell {
	old := l[x&1]
	l[0], l[1] = l[1], cell{A: l[0].A + x, B: old.B}
	n := copy(l[x&1:], l)
	l[0].B[n&3] ^= x
	return old
}

func rowed(r [][4]uint32, x uint32) uint32 {
	for i := range r {
		row := r[i][x&1:]
		row[2] += row[0] ^ uint32(len(r))
		r[0], r[i][x&3] = r[i], x
	}
	return r[0][x&3]
}

func summed(s []uint32, xs ...uint32) (n uint32) {
	for i := range xs {
		xs[i] += s[i&3]
		n = n*3 + xs[i]
		s[xs[i]&3]++
	}
	return n ^ uint32(len(xs))
}

func kindOf[T any](v T, s []uint32) uint32 {
	type both struct{ a, b T }
	d := both{b: v}
	d.a, d.b = d.b, d.a
	switch v := any(d.a).(type) {
	case uint32:
		s[v&3] += v
	case [4]uint32:
		v[s[1]&3] ^= s[0]
		return v[1] ^ v[2]
	case cell:
		return v.mixed(s, uint32(v.D))
	case int, int64:
		if s[2]++; s[2]&1 == 1 {
			break
		}
		s[3] ^= 5
	}
	if b, ok := any(v).(bool); ok && b {
		return s[3]
	}
	return s[1] ^ 1
}

func ringed(f func(uint32) uint32, s []uint32, x uint32) (n uint32) {
	fs := [4]func(uint32) uint32{1: f, 2: func(v uint32) uint32 {
		s[v&3]++
		return v ^ n
	}}
	fs[x&3] = func(v uint32) uint32 { return v*3 + s[x&3] }
	fs[s[0]&3] = fs[x>>2&3]
	for i, g := range fs {
		if g == nil {
			n += uint32(i)
			continue
		}
		n = n*5 + g(s[i])
	}
	return
}

func letters(text string, s []uint32, x uint32) (n uint32) {
	for i, c := range text {
		if s[i&3]&1 == x&1 {
			s[c&3] += uint32(i)
			continue
		}
		n = n*7 + uint32(c)
	}
	copy([]byte(text), text[1:])
	return n ^ uint32(text[s[x&3]%uint32(len(text))])
}

func hopped(s []uint32, x uint32) (n uint32) {
	defer func() { n ^= s[x&3] }()
	k := uint32(0)
	if x&8 == 0 {
		return s[0]
	}
	defer raise(&n, s[0])
again:
	k++
	if s[k&3] += x; s[k&3]&3 == 2 && k < 6 {
		goto again
	}
	for i := range s[:4] {
		if s[i]&7 == k {
			goto out
		}
		n = n*3 + s[i]
	}
	return n + k
out:
	s[x&3]++
	return n * k
}

func rowOf(m *[2][4]uint32, i uint32) []uint32 { return m[i&1][:] }

func (c *cell) tail(i uint32) []uint32 {
	if i&1 == 0 {
		return c.B[:4:4][:]
	}
	return c.B[:]
}

func headed(s []uint32, x uint32) []uint32 {
	if s[0]&1 == x&1 {
		return s[:4]
	}
	return s
}

func refilled(l *[]uint32, x uint32) uint32 {
	*l = append((*l)[:2], x, x^(*l)[1])
	(*l)[x&3]++
	return (*l)[2] ^ uint32(len(*l))
}

func tallied(t []uint32, s []uint32, x uint32) (n uint32) {
	for i := range t {
		s[i&3] += t[i] ^ x
		n = n*3 + t[i]
	}
	return n + s[t[0]&3]
}

func (f *four) at(i uint32) *uint32 { return &f[i&3] }

var fours = [3]four{{1, 2, 3, 4}, {9, 8}, 2: {3: 7}}

type phase func(s []uint32, x uint32) (phase, uint32)

func waxing(s []uint32, x uint32) (phase, uint32) {
	if s[x&3]++; s[x&3]&1 == 0 {
		return waning, x + 1
	}
	return waxing, x * 3
}

func waning(s []uint32, x uint32) (phase, uint32) {
	s[0] ^= x
	if x&2 == 0 {
		return nil, x
	}
	return waxing, x >> 1
}

func phased(s []uint32, x uint32) uint32 {
	n := 0
	for p := phase(waxing); p != nil && n < 5; n++ {
		p, x = p(s, x)
	}
	return x ^ uint32(n)
}

func leaving(s []uint32, p *uint32, x uint32) (n uint32) {
	n = s[x&3]
	if x >= n {
		s[0]++
	} else if s[0] <= s[1] {
		if x&1 == 1 || s[2] <= x {
			return 0
		}
	} else if s[3]&3 == x&3 {
		return n
	}
	*p = *p*3 + n
	return n % (x | 1)
}

func divided(s []uint32, x uint32) uint32 {
	q, r := bits.Div64(uint64(s[x&3])%3, uint64(x)<<32|uint64(s[0]), uint64(s[1])|3)
	s[x&3] += uint32(r)
	return uint32(q) ^ bits.Rem32(s[2], x, s[3]|1) ^ wave(complex(math.Mod(float64(int32(x)), 2.5), math.Max(float64(s[0]), float64(x))))
}

type wrap struct {
	N uint32
	cell
}

func wave(z complex128) uint32 {
	if z != z {
		return 9
	}
	return uint32(math.Float64bits(real(z))>>29) ^ uint32(math.Float64bits(imag(z))>>31)*3
}

func spun(s []uint32, z complex128, x uint32) complex128 {
	s[x&3] += wave(cmplx.Conj(z))
	return complex(imag(z), float64(int32(s[x&3]>>20)))
}

func hash(c cell) uint32 {
	return c.A ^ c.B[0]*3 ^ c.B[1]*5 ^ c.B[2]*7 ^ c.B[3]*11 ^ uint32(c.C)*13 ^ uint32(c.C>>32)*17 ^ uint32(c.D)*19
}

`

// orderTypes are the types that are assigned; words come most often.
var orderTypes = []string{"uint32", "uint32", "uint32", "[4]uint32", "cell", "int64", "int16", "int", "bool", "complex128"}

// orderPlaces are the variables of a kernel and their parts, by type; #3 becomes an index below 4.
var orderPlaces = map[string][]string{
	"uint32": {"x0", "x1", "x2", "x3", "s[#15]", "s[#3]", "v[#3]", "a[#3]", "b[#3]", "p.A", "p.B[#3]", "q.A", "q.B[#3]", "w[#3]", "big[#3].A",
		"big[#1].B[#3]", "grid[#1][#3]", "own[#1].A", "own[#1].B[#3]", "view[#3]", "vecs[#1][#3]", "hold.N", "hold.S[#3]",
		"pp.A", "pp.B[#3]", "pa[#3]", "pe.A", "pe.B[#3]", "(*pw)",
		"line[#1]", "em.A", "em.B[#3]", "em.N", "grow[#3]", "cells[#1].A", "cells[#1].B[#3]", "rows[#1][#3]", "pile.L[#1].A"},
	"[4]uint32":  {"a", "b", "p.B", "q.B", "grid[#1]", "big[#3].B", "own[#1].B", "vecs[#1]", "(*pa)", "pe.B", "cells[#1].B", "rows[#1]", "em.B"},
	"cell":       {"p", "q", "big[#3]", "own[#1]", "(*pp)", "(*pe)", "cells[#1]", "big[1:][#1]", "pile.L[#1]", "em.cell"},
	"int64":      {"y", "p.C", "q.C", "big[#3].C", "own[#1].C", "em.C"},
	"int16":      {"h", "q.D", "few[#3]", "fv[#3]", "own[#1].D"},
	"int":        {"k", "ints[#3]", "ints[k&3]"},
	"bool":       {"ok", "oks[#1]"},
	"complex128": {"z", "zs[#3]"},
	"[]uint32":   {"s"}, // which is only read
}

// orderSlices are what a call can write through beside the places.
var orderSlices = map[string][]string{
	"[]uint32": {"s", "v", "w", "s[#7:]", "s[#3:12]", "view", "hold.S", "grid[#1][:]", "big[#3].B[:]", "own[#1].B[:]", "vecs[#1][:]", "p.B[:]", "rows[#1][:]", "cells[#1].B[:]",
		"grow", "append(grow[:4], uint32(#7), x1)", "[]uint32{uint32(#7), x0, 3: uint32(#15)}", "append(make([]uint32, 3, 4), uint32(#7))", "em.B[:]",
		"rowOf(&grid, uint32(#3))", "big[#3].tail(uint32(#1))", "pp.tail(x1)", "headed(s[#7:], x1)", "headed(v, x0)",
		"append(grow[:2:4], uint32(#7), x1)", "append(grid[#1][:3], uint32(#7))", "rows[#1][:2][:4]", "s[#3:12:14]", "cells[#1].B[:1:4][:4]"},
	"[]int16": {"fv", "few[:]"},
	"[]cell":  {"cells", "big[:]", "big[#1:#1+3]", "own", "pile.L", "own[:2]", "big[:1][1:3]", "cells[:0:2][:2]", "pile.L[:2:2]"}, "[][4]uint32": {"rows", "grid[:]", "vecs"},
}

// The same of a helper, whose parameters it does not share with its caller.
var helperPlaces = map[string][]string{
	"uint32":    {"x", "y", "s[#3]", "z[#3]", "c[#3]", "r.A", "r.B[#3]", "d[#3]", "dv[#3]", "fl[#1].A", "fl[#1].B[#3]"},
	"[4]uint32": {"c", "d", "r.B", "fl[#1].B"}, "cell": {"r", "fl[#1]"}, "int64": {"r.C"}, "int16": {"r.D"}, "int": {"n"}, "bool": {"ok"}, "complex128": {"hc"},
}

var helperSlices = map[string][]string{"[]uint32": {"s", "z", "dv", "fl[#1].B[:]", "[]uint32{x, uint32(#7), 3: y}"}, "[]cell": {"fl"}}

// orderScope is what statements and operands are made of where the text is now.
type orderScope struct {
	places, slices map[string][]string
	helpers        int           // that can be called
	calls          int           // calls that are still allowed: they are inlined
	functions      int           // fn0 and so on that can be called
	inside         int           // literals around
	give           func() string // what a helper returns; nil in the kernel
}

const orderHelpers = 4

// orderResults are the results of the helpers: helper0 gives a word, helper1 two, named, and so on.
var orderResults = []string{"uint32", "(u, w uint32)", "cell", "(e [4]uint32)"}

// orderVars are the variables of a kernel beside words, in the order in which they are declared: those that are mentioned, and
// those that another is made of. hash tells what is left of a variable, each of its elements i.
var orderVars = []struct{ name, made, hash, each string }{
	{name: "a", made: "[4]uint32{x1, 2, id}", each: "a[i]*3"},
	{name: "v", made: "a[:]", each: "v[i]*5"},
	{name: "b", made: "[4]uint32{3, id, 1}", each: "b[i]*7"},
	{name: "p", made: "cell{A: id, B: [4]uint32{id, 1, x1}, C: -3}", hash: "hash(p)*9"},
	{name: "w", made: "p.B[:]", each: "w[i]*11"},
	{name: "pp", made: "&p"},
	{name: "pa", made: "&a"},
	{name: "pw", made: "&s[x1&15]"},
	{name: "q", made: "cell{B: [4]uint32{1, x1}, D: int16(x1)}", hash: "hash(q)*13"},
	{name: "own", made: "gpu.Shared[cell](t, %d)[id*2 : id*2+2]", hash: "hash(own[0])*15 ^ hash(own[1])*17"},
	{name: "big", made: "[4]cell{{A: 1}, {D: int16(id)}, {B: [4]uint32{1, x1}}}", each: "hash(big[i])*19"},
	{name: "pe", made: "&big[x1&3]"},
	{name: "grid", made: "[2][4]uint32{{x1, id}, {4, 3, 2, 1}}", each: "grid[0][i]*21 ^ grid[1][i]*23"},
	{name: "few", made: "[4]int16{int16(x1), -2, 3}", each: "uint32(few[i])*25"},
	{name: "fv", made: "few[:]", each: "uint32(fv[i])*27"},
	{name: "ints", made: "[4]int{1, int(id), 3}", each: "uint32(ints[i])*29"},
	{name: "oks", made: "[2]bool{true, x1&1 == 0}", hash: "choose(oks[0] != oks[1], 3, 7)"},
	{name: "y", made: "int64(x1) << 7", hash: "uint32(y)*31 ^ uint32(y>>32)*33"},
	{name: "h", made: "int16(x1 >> 3)", hash: "uint32(h)*35"},
	{name: "k", made: "int(id & 7)", hash: "uint32(k)*37"},
	{name: "z", made: "complex(float64(id&7), -2)", hash: "wave(z)*55"},
	{name: "zs", made: "[4]complex128{1, complex(0, float64(id&7)), 3i, z}", each: "wave(zs[i])*57"},
	{name: "ok", made: "id > 3", hash: "choose(ok, 5, 11)"},
	{name: "vecs", made: "gpu.Shared[[4]uint32](t, %d)[id*2 : id*2+2]", each: "vecs[0][i]*41 ^ vecs[1][i]*43"},
	{name: "cells", made: "big[x1&1:3]", each: "hash(cells[i&1])*45"},
	{name: "rows", made: "grid[:]", each: "rows[i&1][i]*47"},
	{name: "line", made: "grid[x1&1][1:]", each: "line[i&1]*49"},
	{name: "pile", made: "stack{big[1:], id}", hash: "hash(pile.L[0]) ^ pile.N"},
	{name: "em", made: "wrap{id, cell{A: x1, B: [4]uint32{2: id}}}", hash: "hash(em.cell) ^ em.N*51"},
	{name: "grow", made: "append(make([]uint32, 0, 9), x1, id, 3, x1>>5)", each: "grow[i]*53 ^ uint32(len(grow))"},
	{name: "hold", made: "holder{s[5:], id}", hash: "hold.N ^ hold.S[0]"},
	{name: "view", made: "s[3:]", each: "view[i]*39"},
}

// aside returns what write writes.
func (g *goSource) aside(write func()) string {
	before := g.Builder
	g.Builder = strings.Builder{}
	write()
	text := g.String()
	g.Builder = before
	return text
}

// mentions reports whether a text has a name.
func mentions(text, name string) bool {
	ok, _ := regexp.MatchString(`\b`+name+`\b`, text)
	return ok
}

// fewer leaves out the places in some of the variables that can be spared: a kernel of all of them is a large one.
func (g *goSource) fewer(places map[string][]string) map[string][]string {
	spared := ""
	for _, name := range []string{"b", "q", "own", "big", "grid", "few", "fv", "view", "vecs", "hold", "cells", "rows", "line", "pile", "em", "grow", "pp", "pa", "pe", "pw"} {
		if g.chance(2) {
			spared += " " + name
		}
	}
	kept := make(map[string][]string)
	for typ, list := range places {
		for _, place := range list {
			name := place[:strings.IndexAny(place+".", ".[")]
			if spared == "" || !mentions(spared, name) {
				kept[typ] = append(kept[typ], place)
			}
		}
	}
	return kept
}

// orderFile writes a package with one kernel, which declares what its statements mention.
func (g *goSource) orderFile() {
	g.depth++
	scope := orderScope{places: g.fewer(orderPlaces), slices: orderSlices, helpers: orderHelpers}
	functions := g.orderFunctions(scope)
	g.depth--
	kernel := g.aside(func() {
		g.depth++
		g.orderScope = scope
		g.calls, g.functions = 12, orderFunctions
		for range 1 + g.pick(4) {
			g.part()
			g.ordered(1 + g.pick(2))
		}
		g.depth--
	})
	kernel = g.declared(functions, kernel) + kernel
	helpers := ""
	for h := orderHelpers - 1; h >= 0; h-- {
		if mentions(kernel+helpers, fmt.Sprintf("helper%d", h)) {
			helpers += g.aside(func() { g.orderHelper(h) })
		}
	}
	g.WriteString(orderDeclarations + helpers)
	g.line("//vyre:kernel workgroup=%d", orderGroup)
	g.line("func Kernel(t gpu.Thread, n uint32, in, sums, out []uint32) {")
	g.depth++
	g.line("id := t.Local().X")
	g.line("s := sums[id*%d : id*%[1]d+%[1]d]", orderOwn)
	g.line("for i := range s {")
	g.line("\ts[i] = in[(uint32(i)*5+id)&63] >> (uint32(i) & 15)")
	g.line("}")
	g.line("x0, x1, x2, x3 := id, in[id], n, uint32(7)")
	all, each := "x0 ^ x1*3 ^ x2*5 ^ x3*7", ""
	declared := kernel
	for _, v := range slices.Backward(orderVars) {
		if !mentions(declared, v.name) {
			continue
		}
		declared += " " + v.made
		if v.hash != "" {
			all += " ^ " + v.hash
		}
		if v.each != "" {
			each += " ^ " + v.each
		}
	}
	for _, v := range orderVars {
		if !mentions(declared, v.name) {
			continue
		}
		g.line("%s := %s", v.name, strings.Replace(v.made, "%d", strconv.Itoa(2*orderGroup), 1))
		switch v.name { // nothing else is in shared memory yet
		case "own":
			g.line("own[0], own[1] = cell{A: id, D: -2}, cell{C: int64(x1)}")
		case "vecs":
			g.line("vecs[0], vecs[1] = [4]uint32{1, id, x1}, [4]uint32{2: id}")
		}
	}
	g.WriteString(kernel)
	g.line("x0 = %s", all)
	if each != "" {
		g.line("for i := range 4 {")
		g.line("\tx0 = x0*31%s", each)
		g.line("}")
	}
	g.line("out[id] = x0")
	g.depth--
	g.line("}")
}

// orderHelper writes a function that changes its parameters, which are copies, and what its slices refer to.
func (g *goSource) orderHelper(h int) {
	g.line("func helper%d(s, z []uint32, x, y uint32, c [4]uint32, r cell) %s {", h, orderResults[h])
	g.depth++
	g.line("n, ok, d, hc := int(y&3), x > y, [4]uint32{y, x, s[0]}, complex(float64(x&7), 1)")
	g.line("dv := d[:]")
	g.orderScope = orderScope{places: helperPlaces, slices: helperSlices, helpers: min(h, 1), calls: 6, give: func() string {
		switch h {
		case 1:
			if g.chance(3) {
				return ""
			}
			return g.operand("uint32", 1) + ", " + g.operand("uint32", 1)
		case 2:
			return g.operand("cell", 1)
		case 3:
			if g.chance(3) {
				return ""
			}
			return g.operand("[4]uint32", 1)
		}
		return g.operand("uint32", 1)
	}}
	body := g.aside(func() {
		g.part()
		g.ordered(1)
		if g.chance(2) {
			g.line("if %s {", g.operand("bool", 1))
			g.line("\treturn %s", g.give())
			g.line("}")
		}
		g.part()
		g.ordered(1)
		g.helperEnd(h)
	})
	if mentions(body, "fl") {
		g.line("fs := [3]cell{r, {A: x}, {B: c}}")
		g.line("fl := fs[y&1:]")
	}
	g.WriteString(body)
	g.depth--
	g.line("}\n")
}

// helperEnd writes the last statements of a helper.
func (g *goSource) helperEnd(h int) {
	g.line("x ^= uint32(n) + dv[x&3] + choose(ok, x, y) + wave(hc)")
	switch {
	case h == 1 && g.chance(2):
		g.line("u, w = w+x, u ^ y + %s", g.operand("uint32", 1))
		g.line("return")
	case h == 3 && g.chance(2):
		g.line("e, c[x&3] = c, y")
		g.line("e[1] ^= c[x&3]")
		g.line("return")
	default:
		g.line("return %s", g.give())
	}
}
