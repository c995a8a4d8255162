package conform

import "fmt"

// orderType draws the type of what is assigned.
func (g *goSource) orderType() string { return g.one(orderTypes...) }

// ordered writes a statement whose operands have effects.
func (g *goSource) ordered(fuel int) {
	kind := g.pick(24)
	if fuel <= 0 {
		kind %= 10
	}
	switch kind {
	case 0, 1, 2:
		typ := g.orderType()
		g.line("%s = %s", g.place(typ, 2), g.operand(typ, 3))
	case 3, 4:
		g.line("%s", g.changed())
	case 5, 6:
		g.tuple()
	case 7:
		g.line("%s", g.several())
	case 8:
		g.shuffled()
	case 9:
		g.alone()
	case 10, 11, 12, 13:
		g.ranged(fuel)
	case 14, 15:
		g.switched(fuel)
	case 16, 17:
		g.conditional(fuel)
	case 18, 19:
		g.counted(fuel)
	default:
		g.functional(fuel)
	}
}

// body writes the statements of a block and closes it.
func (g *goSource) body(fuel int) {
	g.depth++
	for range 1 + g.pick(2) {
		g.part()
		g.ordered(fuel - 1)
	}
	g.depth--
}

// changed is a place that is changed by what it holds.
func (g *goSource) changed() string {
	typ := g.one("uint32", "uint32", "int64", "int16", "int", "complex128")
	switch kind := g.pick(4); {
	case kind == 0:
		return g.place(typ, 2) + g.one("++", "--")
	case typ == "complex128":
		return fmt.Sprintf("%s %s %s", g.place(typ, 2), g.one("+=", "-=", "*=", "/="), g.operand(typ, 2))
	case kind > 1:
		return fmt.Sprintf("%s %s %s", g.place(typ, 2), g.one("+=", "-=", "*=", "^=", "|=", "&^="), g.operand(typ, 2))
	}
	return fmt.Sprintf("%s %s %s&7", g.place(typ, 2), g.one("<<=", ">>="), g.operand("uint32", 2))
}

// tuple writes an assignment of two or three places.
func (g *goSource) tuple() {
	var left, right string
	for i := range 2 + g.pick(2) {
		if i > 0 {
			left, right = left+", ", right+", "
		}
		typ := g.orderType()
		if g.chance(12) {
			left += "_"
		} else {
			left += g.place(typ, 2)
		}
		right += g.operand(typ, 2)
	}
	g.line("%s = %s", left, right)
}

// several is an assignment of a call's results.
func (g *goSource) several() string {
	word := func() string { return g.place("uint32", 2) }
	s, x := g.slice("[]uint32", 1), g.operand("uint32", 1)
	switch {
	case g.chance(3):
		return fmt.Sprintf("%s, %s, %s = spread(%s, %s)", word(), g.place("[4]uint32", 1), g.place("int64", 1), s, x)
	case g.helpers > 1 && g.chance(2):
		return fmt.Sprintf("%s, %s = helper1(%s, %s, %s, %s, %s, %s)", word(), word(), s, g.slice("[]uint32", 1), x, g.operand("uint32", 1),
			g.operand("[4]uint32", 1), g.operand("cell", 1))
	}
	switch g.pick(6) {
	case 0:
		return fmt.Sprintf("%s, %s = bits.%s32(%s, two32(%s, %s), %s&1)", word(), word(), g.one("Add", "Sub"), x, s, x, g.operand("uint32", 1))
	case 1:
		return fmt.Sprintf("%s, %s = bits.Mul32(%s, two32(%s, %s))", word(), word(), x, s, x)
	}
	return fmt.Sprintf("%s, %s = two(%s, %s)", word(), word(), s, x)
}

// shuffled writes an assignment of a value that is made of what is assigned.
func (g *goSource) shuffled() {
	switch at := g.place("cell", 1); g.pick(4) {
	case 0:
		p := g.one(g.places["cell"][0], at)
		if len(p) > 1 { // indices that move would read another
			p = g.places["cell"][0]
		}
		g.line("%[1]s = cell{%[1]s.B[%[2]s&3], [4]uint32{%[1]s.A, %[1]s.B[3], %[3]s, %[1]s.B[1]}, int64(%[1]s.D), int16(%[1]s.C)}", p, g.operand("uint32", 1), g.operand("uint32", 2))
	case 1:
		c := g.places["[4]uint32"][0]
		g.line("%[1]s = [4]uint32{%[1]s[3], %[2]s, %[1]s[%[3]s&3], %[1]s[0]}", c, g.operand("uint32", 1), g.operand("uint32", 1))
	case 2:
		g.line("%s = %s.turned(%s, %s)", at, g.receiver(1), g.slice("[]uint32", 1), g.operand("uint32", 1))
	default:
		if g.slices["[]int16"] == nil { // a helper
			g.line("d = [4]uint32{dv[1], d[0], dv[3], %s}", g.operand("uint32", 1))
			return
		}
		g.line("%s", g.one(
			"big = [4]cell{big[1], big["+g.operand("uint32", 2)+"&3], p, big[0]}",
			"a = [4]uint32{v[3], v[2], "+g.operand("uint32", 2)+", v[0]}",
			"few = [4]int16{fv[1], fv[0], "+g.operand("int16", 2)+", few[2]}",
			"grid[0], grid[1] = grid[1], grid["+g.operand("int", 1)+"&1]",
			"grid = [2][4]uint32{grid[1], "+g.operand("[4]uint32", 2)+"}",
			"p.B = [4]uint32{w[1], p.B[0], w[3], "+g.operand("uint32", 2)+"}",
			"vecs[0], vecs["+g.operand("uint32", 1)+"&1] = vecs[1], "+g.operand("[4]uint32", 1),
			"hold = holder{s["+g.operand("uint32", 1)+"&7:], "+g.operand("uint32", 1)+" ^ hold.N}",
			"line, "+g.place("uint32", 2)+" = grid["+g.operand("uint32", 2)+"&1]["+g.operand("uint32", 1)+"&1:], line["+g.operand("uint32", 2)+"&1]",
			"cells, "+g.place("cell", 2)+" = big["+g.operand("uint32", 2)+"&1:], cells["+g.operand("uint32", 2)+"&1]",
			"pile = stack{big["+g.operand("uint32", 1)+"&2:], "+g.operand("uint32", 1)+" ^ pile.N}",
			"grow = append(grow[:4+("+g.operand("uint32", 1)+")&1], "+g.operand("uint32", 2)+", "+g.operand("uint32", 2)+")",
			"grow = append(grow[:4], "+g.slice("[]uint32", 1)+"[:"+g.operand("uint32", 1)+"&3]...)",
			"cells[0], cells["+g.operand("int", 1)+"&1].B = cells[1], rows["+g.operand("int", 2)+"&1]",
			"view, "+g.place("uint32", 2)+" = s["+g.operand("uint32", 2)+"&7:], view["+g.operand("uint32", 2)+"&3]",
		))
	}
}

// alone writes a call or a declaration of variables that are used at once.
func (g *goSource) alone() {
	if g.chance(2) {
		g.line("%s.turned(%s, %s)", g.receiver(2), g.slice("[]uint32", 2), g.operand("uint32", 2))
		return
	}
	typ := g.one("[]uint32", "[]cell", "[][4]uint32")
	if g.slices[typ] == nil {
		typ = "[]uint32"
	}
	if s, from := g.slice(typ, 2), g.slice(typ, 2); g.chance(3) {
		if g.chance(3) {
			g.line("clear(%s[:%s&%d])", s, g.operand("uint32", 2), map[bool]int{true: 3, false: 1}[typ == "[]uint32"])
		} else {
			g.line("%s ^= uint32(copy(%s, %s[%s&1:]))", g.place("uint32", 1), s, from, g.operand("uint32", 2))
		}
		return
	}
	g.line("{")
	g.depth++
	t, u := g.orderType(), g.orderType()
	g.line("l0, l1 := %s, %s", g.operand(t, 2), g.operand(u, 2))
	g.line("%s, %s = l0, l1", g.place(t, 2), g.place(u, 2))
	g.line("l0, l2 := %s, %s", g.operand(t, 1), g.operand("uint32", 2))
	g.line("%s, %s = l2, l0", g.place("uint32", 2), g.place(t, 2))
	g.depth--
	g.line("}")
}

// ranged writes a range statement, with = or :=, or without variables.
func (g *goSource) ranged(fuel int) {
	over, elem := g.rangeOver()
	key := "int"
	if elem == "uint32?" { // an integer of that type
		key, elem = "uint32", ""
	}
	g.loops++
	i := g.loops
	switch form := g.pick(8); {
	case form == 0:
		g.line("for range (%s) {", over)
	case form == 1:
		g.line("for %s = range (%s) {", g.place(key, 2), over)
	case form == 2 || elem == "":
		g.line("for i%d := range (%s) {", i, over)
		g.line("\t%s += uint32(i%d)", g.place("uint32", 2), i)
	case form == 3:
		g.line("for i%d, e%d := range (%s) {", i, i, over)
		g.line("\t%s, %s = e%d, uint32(i%d)", g.place(elem, 2), g.place("uint32", 1), i, i)
	case form == 4:
		g.line("for _, %s = range (%s) {", g.place(elem, 2), over)
	default:
		g.line("for %s, %s = range (%s) {", g.place(key, 2), g.place(elem, 2), over)
	}
	g.body(fuel)
	if g.chance(3) {
		leave := g.one("break", "continue")
		if g.give != nil && g.chance(2) {
			leave = "return " + g.give()
		}
		g.line("\tif %s { %s }", g.operand("bool", 1), leave)
		g.line("\t%s++", g.place("uint32", 0))
	}
	g.line("}")
}

// rangeOver is something to range over, and the type of its elements.
func (g *goSource) rangeOver() (over, elem string) {
	switch g.pick(6) {
	case 0:
		return g.operand("int", 2) + "&3", ""
	case 1:
		return g.operand("uint32", 2) + "&3", "uint32?"
	case 2:
		switch g.pick(4) {
		case 0:
			return g.slice("[]cell", 2), "cell"
		case 1:
			if g.slices["[][4]uint32"] != nil {
				return g.slice("[][4]uint32", 2), "[4]uint32"
			}
		}
		return g.slice("[]uint32", 2) + "[:4]", "uint32"
	case 3:
		if g.places["[]uint32"] != nil {
			over := g.one("big", "few", "ints", "own", "grid", "oks", "vecs", "table", "hold.S[:2]")
			elem := map[string]string{"big": "cell", "few": "int16", "ints": "int", "own": "cell", "grid": "[4]uint32", "oks": "bool", "vecs": "[4]uint32"}[over]
			if elem == "" {
				elem = "uint32"
			}
			return over, elem
		}
	case 4:
		return g.operand("cell", 2) + ".B", "uint32"
	}
	return g.operand("[4]uint32", 2), "uint32"
}

// switched writes a switch whose tag and cases have effects.
func (g *goSource) switched(fuel int) {
	switch g.pick(3) {
	case 0:
		g.line("switch {")
		for range 2 {
			g.line("case %s, %s:", g.operand("bool", 2), g.operand("bool", 2))
			g.body(fuel)
			g.fall()
		}
		g.line("case false:")
	case 1:
		typ := g.one("[4]uint32", "cell", "bool")
		g.line("switch (%s) {", g.operand(typ, 2))
		g.line("case %s, %s:", g.operand(typ, 2), g.operand(typ, 1))
		g.body(fuel)
	default:
		g.line("switch %s = %s; (%s & 3) {", g.place("uint32", 1), g.operand("uint32", 1), g.operand("uint32", 2))
		g.line("case %s & 3, 2, %s & 1:", g.operand("uint32", 2), g.operand("uint32", 2))
		g.body(fuel)
		g.fall()
		if g.chance(2) {
			g.line("default:")
			g.body(fuel)
			g.fall()
		}
		g.line("case %s & 3:", g.operand("uint32", 2))
		g.body(fuel)
	}
	g.line("}")
}

// fall writes a fallthrough at times.
func (g *goSource) fall() {
	if g.chance(4) {
		g.depth++
		g.line("fallthrough")
		g.depth--
	}
}

func (g *goSource) conditional(fuel int) {
	if g.chance(2) {
		typ := g.orderType()
		g.line("if %s = (%s); (%s) {", g.place(typ, 1), g.operand(typ, 1), g.operand("bool", 2))
	} else {
		g.line("if (%s) {", g.operand("bool", 3))
	}
	g.body(fuel)
	if g.chance(2) {
		g.line("} else if (%s) {", g.operand("bool", 2))
		g.body(fuel)
	}
	if g.chance(2) {
		g.line("} else {")
		g.body(fuel)
	}
	g.line("}")
}

// counted writes a for statement whose condition and step have effects.
func (g *goSource) counted(fuel int) {
	g.loops++
	i := g.loops
	typ := g.orderType()
	g.line("for i%[1]d := uint32(0); i%[1]d < 3 && (%[2]s); i%[1]d, %[3]s = i%[1]d+1, (%[4]s) {", i, g.operand("bool", 2), g.place(typ, 1), g.operand(typ, 1))
	g.body(fuel)
	g.line("}")
}
