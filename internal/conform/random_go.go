package conform

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	gofront "github.com/govyre/vyre/internal/front"
)

// RandomGo makes a kernel written in Go: its program is what package front makes of the text that Source returns. It is
// free of races and of what Go and devices do differently: divisors are odd, indices are masked, floats are neither
// multiplied, which Go may contract, nor converted to an integer that they do not fit, and barriers and subgroup ops
// stand where control is uniform. So what Go itself computes of the text is what every device has to leave.
func RandomGo(seed uint64) *RandomProgram {
	return generate(&choices{rng: rand.New(rand.NewPCG(seed, 0x676F)), stream: []uint16{ofGo}})
}

// Source returns the text of a kernel that RandomGo or RandomGoOrder made, in package generated, "" for other programs.
func (r *RandomProgram) Source() string { return r.source }

// Of the launch of a kernel in Go: Kernel(t, 2, in, sums, out).
const (
	goGroup  = 64 // invocations of a group
	goGroups = 2
	goInputs = 64 // elements of in, the i-th i*2654435761
	goSums   = 4  // elements of sums, all zero
)

// goLaunch is a launch of so many groups, with so many elements of sums and out.
func goLaunch(groups uint32, sums, out int) Launch {
	var in []byte
	for i := range uint32(goInputs) {
		in = binary.LittleEndian.AppendUint32(in, i*2654435761)
	}
	return Launch{Grid: [3]uint32{groups, 1, 1}, Args: []Arg{{Bits: 2}, {Data: in}, {Data: make([]byte, 4*sums)}, {Data: make([]byte, 4*out)}}}
}

// goSource writes a kernel.
type goSource struct {
	*choices
	strings.Builder
	depth, loops int
	leaves       map[string][]string // by type, what expressions are made of where the text is now
	orderScope
}

// goKernel makes the program of decisions whose first is ofGo or ofGoOrder.
func goKernel(c *choices) *RandomProgram {
	g := &goSource{choices: c}
	family, launch := "gokernels", goLaunch(goGroups, goSums, goGroup*goGroups)
	if c.stream[0] == ofGoOrder {
		family, launch = "goorder", goLaunch(1, orderGroup*orderOwn, orderGroup)
		g.orderFile()
	} else {
		g.file()
	}
	source := g.String()
	pkg, err := gofront.Parse(context.Background(), []gofront.File{{Name: "kernel.go", Src: []byte(source)}}, gofront.Options{})
	if err != nil {
		panic(fmt.Sprintf("BUG: generator made a kernel that is refused: %v\n%s", err, source))
	}
	return &RandomProgram{Case: Case{Family: family, Name: "program", Program: pkg.Kernels()[0].Program, Launch: launch},
		choices: c.stream, parts: c.parts, source: source}
}

func (g *goSource) line(format string, args ...any) {
	fmt.Fprintf(g, strings.Repeat("\t", g.depth)+format+"\n", args...)
}

// one picks one of a list.
func (g *goSource) one(list ...string) string { return list[g.pick(len(list))] }

// goDeclarations are what all kernels have in common.
const goDeclarations = `package generated

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

type pair struct {
	A uint32
	B [2]uint32
	C int64
}

func (p pair) turned(x uint32) pair {
	p.B[0], p.B[1] = p.B[1], p.A
	p.A = x
	return p
}

type nest struct {
	P pair
	Q [2]pair
}

type rec struct {
	a int8
	b uint32
	c [2]int16
}

type box[T uint32 | int64] struct {
	last T
	n    int
}

func (b box[T]) put(x T) (box[T], T) {
	old := b.last
	if x > old {
		b.last, b.n = x, b.n+1
	}
	return b, old + T(b.n)
}

func three(x uint32, s int16, w int64) (uint32, int16, int64) {
	s = s<<1 ^ int16(x)
	if s < 0 {
		return uint32(s), -s, w >> 3
	}
	return x + uint32(uint8(s)), s, w ^ int64(s)
}

func larger[T uint32 | int64](x, y T) T {
	if x < y {
		return y
	}
	return x
}

func wide(a [3]uint64, y, c uint64) ([3]uint64, uint64) {
	c &= 1
	hi, lo := bits.Mul64(a[0], y)
	a[0], c = bits.Add64(lo, a[1], c)
	d := c
	a[1], d = bits.Sub64(hi, a[2], d)
	a[2], c = bits.Add64(a[2], y, c)
	if c != d {
		a[0], _ = bits.Sub64(a[0], a[1], c)
	}
	for i := range a {
		a[i], c = bits.Add64(a[i], y, c)
		y, d = bits.Sub64(y, a[i], d)
	}
	return a, y + c + d<<1
}

func whole(x float64) int64 {
	if x > -1e6 && x < 1e6 {
		return int64(x)
	}
	return 3
}

`

const goHelpers = 4

// file writes a package with one kernel.
func (g *goSource) file() {
	g.WriteString(goDeclarations)
	for h := range goHelpers {
		g.helper(h)
	}
	g.line("//vyre:kernel workgroup=%d", goGroup)
	g.line("func Kernel(t gpu.Thread, n uint32, in []uint32, sums []uint32, out []uint32) {")
	g.depth++
	g.line("shared, floats := gpu.Shared[uint32](t, %d), gpu.Shared[float32](t, 4)", goGroup)
	g.line("v0, v1, v2, v3 := t.Global().X, in[t.Local().X], n, uint32(7)")
	g.line("p := pair{A: v0, C: -3}")
	g.line("var q nest")
	g.line("var r, r2 rec")
	g.line("var b box[uint32]")
	g.line("small := [3]uint8{uint8(v1), 1, 2}")
	g.line("var a [4]uint32")
	g.line("var grid [2][3]uint32")
	g.line("view := in[%d:]", g.pick(goInputs-8))
	g.leaves = map[string][]string{
		"uint32": {"v0", "v1", "v2", "v3", "n", "q.P.A", "q.Q[v0&1].B[1]", "b.last", "p.A", "p.B[v1&1]", "a[v2&3]", "grid[0][v3%3]", "grid[1][v0%3]", "view[v1&7]", "r.b"},
		"int64":  {"p.C"}, "int8": {"r.a"}, "int16": {"r.c[v0&1]", "r2.c[v2&1]"}, "uint8": {"small[v3%3]"}, "int": {"b.n"},
	}
	for _, typ := range goTypes {
		if typ == "uint32" {
			continue
		}
		from := "v1" // what is small enough to convert back, as a float
		if typ == "float64" {
			from = "int16(v1)"
		}
		g.line("x%[1]s := %[1]s(%[2]s)", typ, from)
		g.leaves[typ] = append(g.leaves[typ], "x"+typ)
	}
	g.line("shared[t.Local().X] = v1 ^ uint32(len(floats))")
	for range 6 + g.pick(8) {
		g.part()
		g.statement(3, true)
	}
	g.part()
	g.line("v0 ^= v1*3 ^ v2*5 ^ v3*7 ^ p.A ^ p.B[0] + p.B[1] ^ uint32(p.C) ^ a[v0&3] ^ a[1] ^ grid[v1&1][v2%%3] ^ view[0] ^ uint32(b.n) ^ q.Q[v0&1].A ^ uint32(q.P.C)")
	for _, typ := range goTypes {
		switch typ {
		case "uint32":
		case "float64":
			g.line("v0 = v0*31 + uint32(whole(xfloat64))")
		default:
			g.line("v0 = v0*31 + uint32(x%s)", typ)
		}
	}
	g.line("if r == r2 {")
	g.line("\tv0++")
	g.line("}")
	g.line("out[t.Global().X] = v0 ^ uint32(r.a) ^ r.b*3 ^ uint32(r.c[0])<<7 ^ uint32(r2.c[1])<<9 ^ uint32(small[0]) ^ uint32(small[1])<<8 ^ uint32(small[2])<<16")
	g.depth--
	g.line("}")
}

// helper writes a function with several returns. The later ones call earlier ones, two deep at most: calls are inlined.
func (g *goSource) helper(h int) {
	g.line("func helper%d(x, y uint32, s [3]uint8, r rec) (uint32, uint32, rec) {", h)
	g.depth++
	g.leaves = map[string][]string{"uint32": {"x", "y", "r.b"}, "uint8": {"s[x%3]"}, "int16": {"r.c[y&1]"}, "int8": {"r.a"}}
	g.line("if %s {", g.condition())
	g.line("\treturn y, x, r")
	g.line("}")
	g.line("for i := range uint32(%d) {", 1+g.pick(6))
	g.depth++
	g.line("if y&i == %d {", g.pick(3))
	g.line("\treturn i + x, y * %d, rec{a: int8(x), c: r.c}", g.bits())
	g.line("}")
	g.line("y = y>>1 ^ %s", g.number("uint32", 2))
	g.depth--
	g.line("}")
	if h%2 == 1 {
		g.line("x, y, r = helper%d(y, x, s, r)", h-1)
	}
	g.line("r.c[x&1], r.a = %s, %s", g.number("int16", 2), g.number("int8", 2))
	g.line("return x ^ %d, y + x, r", g.bits())
	g.depth--
	g.line("}\n")
}

// bits draws a number of up to 32 bits.
func (g *goSource) bits() uint32 { return uint32(g.pick(1<<16)<<16|g.pick(1<<16)) >> g.pick(32) }
