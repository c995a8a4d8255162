package conform

import "fmt"

// goTypes are the types of numbers in kernels of RandomGo.
var goTypes = []string{"uint32", "int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", "int", "uint", "float64"}

// integer draws a type that is not a float.
func (g *goSource) integer() string { return goTypes[g.pick(len(goTypes)-1)] }

// leaf is an operand of a type, never a constant: Go computes with those exactly.
func (g *goSource) leaf(typ string) string {
	if own := g.leaves[typ]; len(own) > 0 && !g.chance(4) {
		return g.one(own...)
	}
	if typ == "uint32" && g.chance(2) {
		return fmt.Sprintf("(%s&0 + %d)", g.leaves[typ][0], g.bits())
	}
	from := goTypes[g.pick(len(goTypes))]
	if len(g.leaves[from]) == 0 {
		from = "uint32"
	}
	x := g.one(g.leaves[from]...)
	if from == "float64" && typ != from {
		x = "whole(" + x + ")" // what does not fit is not defined
	}
	return typ + "(" + x + ")"
}

// number is an expression of a type.
func (g *goSource) number(typ string, fuel int) string {
	if fuel == 0 || g.pick(4) == 0 {
		return g.leaf(typ)
	}
	x := func() string { return g.number(typ, fuel-1) }
	if typ == "float64" {
		switch g.pick(4) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", x(), g.one("+", "-", "/"), x())
		case 1:
			return fmt.Sprintf("%s(%s, %s, 2.5)", g.one("min", "max"), x(), x())
		}
		return "float64(" + g.number(g.integer(), fuel-1) + ")"
	}
	switch g.pick(12) {
	case 0:
		return fmt.Sprintf("(%s %s (%s | 1))", x(), g.one("/", "%"), x())
	case 1:
		return fmt.Sprintf("(%s %s (%s %% 70))", x(), g.one("<<", ">>"), g.number(g.one("uint8", "uint32", "uint64"), fuel-1))
	case 2, 3:
		return fmt.Sprintf("%s(%s)", typ, g.number(g.integer(), fuel-1))
	case 4:
		return fmt.Sprintf("%s(%s)", g.one("-", "^", "+"), x())
	case 5:
		return fmt.Sprintf("%s(%s, %s)", g.one("min", "max"), x(), x())
	case 6:
		wide := g.one("uint32", "int64")
		return fmt.Sprintf("%s(larger(%s, %s))", typ, g.number(wide, fuel-1), g.number(wide, fuel-1))
	case 7:
		return fmt.Sprintf("%s(whole(%s))", typ, g.number("float64", fuel-1))
	}
	return fmt.Sprintf("(%s %s %s)", x(), g.one("+", "-", "*", "&", "|", "^", "&^"), x())
}

func (g *goSource) word(fuel int) string { return g.number("uint32", fuel) }

func (g *goSource) condition() string {
	typ := goTypes[g.pick(len(goTypes))]
	c := fmt.Sprintf("%s %s %s", g.number(typ, 1), g.one("<", "<=", "==", "!=", ">", ">="), g.number(typ, 1))
	if g.chance(4) {
		c = fmt.Sprintf("(%s) %s !(%s > %s)", c, g.one("&&", "||"), g.number("int64", 1), g.number("int64", 1))
	}
	return c
}

// variable is a word of the kernel.
func (g *goSource) variable() string { return g.one("v0", "v1", "v2", "v3") }

// block writes a head and statements of a block that stays open.
func (g *goSource) block(fuel int, head string, args ...any) {
	g.line(head+" {", args...)
	g.depth++
	for range 1 + g.pick(3) {
		g.part()
		g.statement(fuel-1, false)
	}
	g.depth--
}

// statement writes a statement of the kernel; uniform tells that all invocations come here.
func (g *goSource) statement(fuel int, uniform bool) {
	kind := g.pick(24)
	if fuel == 0 {
		kind %= 16
	}
	switch kind {
	default:
		g.assign(kind)
	case 16, 17:
		g.block(fuel, "if %s", g.condition())
		if g.chance(3) {
			g.block(fuel, "} else if %s", g.condition())
		}
		if g.chance(2) {
			g.block(fuel, "} else")
		}
		g.line("}")
	case 18:
		g.line("switch %s & 3 {", g.number(g.one("uint32", "uint8"), 1))
		for c := range 3 {
			g.block(fuel, "case %d: if true", c)
			g.line("}")
		}
		g.block(fuel, "default: if true")
		g.line("}")
		g.line("}")
	case 19:
		g.nested(fuel)
	case 20:
		g.loops++
		i := g.loops
		g.block(fuel, "for i%d := range %s & 3", i, g.number("int32", 1))
		g.line("if %s { %s }", g.condition(), g.one("break", "continue"))
		g.line("v1 ^= uint32(i%d)", i)
		g.line("}")
	case 21, 22, 23:
		if uniform {
			g.together(fuel)
			return
		}
		g.line("gpu.AtomicAdd(&sums[%s&3], %s)", g.variable(), g.word(1))
	}
}

// nested writes a loop in a loop that is left and gone on with by its label.
func (g *goSource) nested(fuel int) {
	g.loops++
	i := g.loops
	g.line("outer%d:", i)
	g.line("for i%d := range uint32(%d) {", i, 1+g.pick(4))
	g.depth++
	g.line("v2 += i%d", i)
	g.line("for j%d := uint32(0); j%d < %d; j%d++ {", i, i, 1+g.pick(3), i)
	g.depth++
	g.line("v3 ^= j%d", i)
	g.line("if %s { continue outer%d }", g.condition(), i)
	g.line("if %s { break outer%d }", g.condition(), i)
	g.depth--
	g.line("}")
	g.statement(fuel-1, false)
	g.depth--
	g.line("}")
}

// assign writes a statement without control, one of sixteen.
func (g *goSource) assign(kind int) {
	v, at := g.variable(), g.variable()+"&1"
	switch kind {
	case 0:
		g.line("%s = %s", v, g.word(3))
	case 1:
		g.line("%s ^= %s", v, g.word(3))
	case 2, 3:
		typ := goTypes[1+g.pick(len(goTypes)-1)]
		ops := []string{"=", "+=", "-=", "*=", "^=", "|=", "&^="}
		if typ == "float64" {
			ops = ops[:3]
		}
		g.line("x%s %s %s", typ, g.one(ops...), g.number(typ, 3))
	case 4:
		typ := goTypes[g.pick(len(goTypes))]
		g.line("{")
		g.line("\tvar w %s = %s", typ, g.number(typ, 2))
		g.line("\tif w > 5 { %s++ }", v)
		g.line("}")
	case 5:
		g.line("v0, v1, r = helper%d(%s, %s, small, %s)", g.pick(goHelpers), g.word(1), g.word(1), g.one("r", "r2"))
	case 6:
		g.line("p.A, p.C = %s, %s", g.word(2), g.number("int64", 2))
	case 7:
		g.line("p.B[%s] ^= %s", at, g.word(1))
	case 8:
		g.line("a[%s&3] = %s", g.number("int", 1), g.word(2))
	case 9:
		g.line("grid[%s][%d] += %s", at, g.pick(3), g.word(1))
	case 10:
		g.line("view = in[%d:]", g.pick(goInputs-8))
	case 11:
		g.line("q.Q[%s].%s = %s", at, g.one("A", "B[0]", "B[1]"), g.word(1))
	case 12:
		g.line("%s", g.one("q.P, p = p, q.Q["+at+"]", "q.Q["+at+"] = p.turned("+g.word(1)+")", "if q.P == q.Q["+at+"] { v1++ }"))
	case 13:
		if g.chance(2) {
			g.line("{")
			g.line("\tw, c := wide([3]uint64{%s, %s, ^uint64(0)}, %s, uint64(v0))", g.number("uint64", 1), g.number("uint64", 1), g.number("uint64", 1))
			g.line("\tp.C ^= int64(w[0] ^ w[1]<<1 ^ w[2]>>1 ^ c)")
			g.line("}")
			return
		}
		g.line("v0, xint16, p.C = three(%s, xint16, %s)", g.word(1), g.number("int64", 1))
	case 14:
		g.line("b, v0 = b.put(%s)", g.word(1))
		g.line("for i, w := range %s { %s ^= w + uint32(i) }", g.one("a", "p.B", "grid[0]"), v)
	default:
		g.line("%s", g.one("r.a++", "r.b -= "+g.word(2), "r, r2 = r2, r", "r2 = r", "r.c[1], r.c[0] = r.c[0], "+g.number("int16", 2),
			"small[2], small[0] = small[1]+1, "+g.number("uint8", 2), "r2.c["+at+"] ^= 77"))
	}
}

// together writes what all invocations of a group do at once.
func (g *goSource) together(fuel int) {
	v := g.variable()
	switch g.pick(9) {
	case 0:
		g.line("shared[t.Local().X] = %s", g.word(2))
		g.line("t.Barrier()")
		g.line("%s ^= shared[(t.Local().X+%d)%%%d]", v, g.pick(goGroup), goGroup)
		g.line("t.Barrier()")
	case 1:
		g.line("%s", g.one(v+" ^= t.Ballot("+g.condition()+")", "if t.Any("+g.condition()+") { "+v+"++ }",
			"if t.All("+g.condition()+") { "+v+"++ }", "if t.Elect() { "+v+" += 5 }"))
	case 2:
		g.line("%s", g.one("if t.BarrierAny("+g.condition()+") { "+v+"++ }", "if t.BarrierAll("+g.condition()+") { "+v+"++ }",
			v+" ^= t.BarrierAdd("+g.word(1)+")", v+" += t.BarrierAdd("+g.word(1)+"&1)", "p.C ^= int64(t.BarrierAdd64("+g.number("uint64", 1)+" << 20))", v+" += gpu.BarrierBroadcast(t, "+g.word(1)+")"))
	case 3, 4:
		op := g.one("Reduce", "Scan", "ExclusiveScan") + g.one("Add", "Mul", "Min", "Max", "And", "Or", "Xor")
		if g.chance(2) {
			g.line("p.C += gpu.%s(t, %s<<30 ^ p.C)", op, g.number("int64", 1))
		} else {
			g.line("%s ^= gpu.%s(t, %s)", v, op, g.word(1))
		}
	case 5:
		x := g.word(1)
		g.line("%s ^= %s", v, g.one(fmt.Sprintf("gpu.Shuffle(t, %s, %s&31)", x, g.word(1)), fmt.Sprintf("gpu.ShuffleXor(t, %s, %d)", x, g.pick(32)),
			fmt.Sprintf("gpu.Match(t, %s&3)", x), fmt.Sprintf("gpu.ShuffleUp(t, %s, n&0+%d)", x, g.pick(32)), fmt.Sprintf("gpu.ShuffleDown(t, %s, %d)", x, g.pick(32))))
	case 6:
		g.line("t.Barrier()")
		g.line("gpu.Atomic%s(&shared[%s&%d], %s)", g.one("Add", "Xor", "Or", "And", "Min", "Max"), v, goGroup-1, g.word(1))
		g.line("t.Barrier()")
		g.line("%s ^= shared[%s&%d]", v, g.variable(), goGroup-1)
		g.line("t.Barrier()")
	case 7:
		g.line("if t.Local().X < 4 { floats[t.Local().X] = %s }", g.one("1", "-3", "float32(v2)"))
		g.line("t.Barrier()")
		g.line("gpu.Atomic%s(&floats[%s&3], float32(%s))", g.one("Min", "Max"), v, g.number("float64", 1))
		g.line("t.Barrier()")
		g.line("%s ^= uint32(whole(float64(floats[%s&3])))", v, g.variable())
		g.line("t.Barrier()")
	default:
		g.loops++
		g.line("for k%d := uint32(0); k%d < n; k%d++ {", g.loops, g.loops, g.loops)
		g.depth++
		g.together(0)
		if fuel > 0 {
			g.statement(fuel-1, true)
		}
		g.depth--
		g.line("}")
	}
}
