package conform

import (
	"fmt"
	"strconv"
	"strings"
)

// filled writes indices where a place has #.
func (g *goSource) filled(place string, fuel int) string {
	for {
		at := strings.IndexByte(place, '#')
		if at < 0 {
			return place
		}
		end := at + 1
		for end < len(place) && place[end] >= '0' && place[end] <= '9' {
			end++
		}
		most, _ := strconv.Atoi(place[at+1 : end])
		index := strconv.Itoa(g.pick(most + 1))
		if fuel >= 0 && !g.chance(4) {
			typ := g.one("uint32", "uint32", "int", "int64")
			index = fmt.Sprintf("%s&%d", g.operand(typ, fuel), most)
		}
		place = place[:at] + index + place[end:]
	}
}

// place is something to assign to.
func (g *goSource) place(typ string, fuel int) string {
	return g.filled(g.one(g.places[typ]...), fuel-1)
}

// slice is a slice to write through.
func (g *goSource) slice(typ string, fuel int) string {
	return g.filled(g.one(g.slices[typ]...), fuel-1)
}

// call is a call with a result of a type, or one of an operand that needs none.
func (g *goSource) call(typ string, fuel int) string {
	if g.calls--; g.calls < 0 {
		return g.place(typ, 0)
	}
	x := func() string { return g.operand("uint32", fuel-1) }
	s := func() string { return g.slice("[]uint32", fuel-1) }
	cells := func() string { return g.operand("cell", fuel-1) }
	arr := func() string { return g.operand("[4]uint32", fuel-1) }
	helper := func(h int) string {
		return fmt.Sprintf("helper%d(%s, %s, %s, %s, %s, %s)", h, s(), s(), x(), x(), arr(), cells())
	}
	switch typ {
	case "uint32":
		switch g.pick(12) {
		case 10, 11:
			return g.called(fuel)
		case 7:
			return fmt.Sprintf("raise(&%s, %s)", g.place("uint32", fuel-1), x())
		case 8:
			return fmt.Sprintf("shifted(&%s, %s, %s)", g.place("[4]uint32", fuel-1), s(), x())
		case 9:
			return fmt.Sprintf("%s.step(%s).step(%s).A", g.place("cell", fuel-1), x(), x())
		case 0:
			return fmt.Sprintf("%s.mixed(%s, %s)", g.receiver(fuel-1), s(), x())
		case 1:
			if g.helpers > 0 {
				return helper(0)
			}
		case 2:
			return fmt.Sprintf("choose(%s, %s, %s)", g.operand("bool", fuel-1), x(), x())
		case 3:
			if g.places["[]uint32"] != nil { // in the kernel
				return fmt.Sprintf("gpu.Atomic%s(&s[%s&15], %s)", g.one("Add", "Xor", "Max"), x(), x())
			}
		}
		switch l := g.slice("[]cell", fuel-1); g.pick(20) {
		case 0:
			return fmt.Sprintf("sorted(%s, %s)", l, x())
		case 1:
			return fmt.Sprintf("indexed(%s, %s, %s)", l, s(), x())
		case 2:
			return fmt.Sprintf("(stack{%s, %s}).pop(%s)", l, x(), x())
		case 5:
			return fmt.Sprintf("summed(%s, %s, %s)", s(), x(), x())
		case 6:
			return fmt.Sprintf("summed(%s, %s[:%s&3]...)", s(), s(), x())
		case 7:
			if g.slices["[]cell"] != nil && g.places["[]uint32"] != nil { // in the kernel
				return g.one("em.mixed("+s()+", "+x()+")", "em.step("+x()+").A", "em.turned("+s()+", "+x()+").A", "summed("+s()+")")
			}
		case 8:
			return fmt.Sprintf("kindOf(%s, %s)", g.operand(g.orderType(), fuel-1), s())
		case 9:
			return fmt.Sprintf("ringed(%s, %s, %s)", g.function(fuel), s(), x())
		case 10:
			return fmt.Sprintf("letters(%s, %s, %s)", g.one(`"hello"`, `"aé€b"`), s(), x())
		case 11:
			return fmt.Sprintf("hopped(%s, %s)", s(), x())
		case 13:
			return g.referring(s, x, fuel)
		case 12:
			to := "dv"
			if g.places["[]uint32"] != nil { // in the kernel
				to = g.one("grow", "w")
			}
			return fmt.Sprintf("append(%s[:2], %s, %s)[%s&3]", to, x(), x(), x())
		case 3, 4:
			if g.slices["[][4]uint32"] != nil {
				return fmt.Sprintf("rowed(%s, %s)", g.slice("[][4]uint32", fuel-1), x())
			}
		}
		if g.chance(6) {
			return fmt.Sprintf("(holder{%s, %s}).push(%s)", s(), x(), x())
		}
		return fmt.Sprintf("poke(%s, %s, %s)", s(), x(), x())
	case "[4]uint32":
		if g.chance(6) {
			return fmt.Sprintf("swapped(&%s, &%s)", g.place(typ, fuel-1), g.place(typ, fuel-1))
		}
		if g.chance(4) {
			return fmt.Sprintf("[4]uint32(four(%s).first(%s))", arr(), s())
		}
		if g.helpers > 3 && g.chance(3) {
			return helper(3)
		}
		return fmt.Sprintf("%s(%s, %s)", g.one("rotated", "same"), arr(), s())
	case "cell":
		switch g.pick(5) {
		case 4:
			return fmt.Sprintf("moved(%s, %s)", g.slice("[]cell", fuel-1), x())
		case 3:
			return fmt.Sprintf("(*%s.step(%s))", g.place("cell", fuel-1), x())
		case 0:
			if g.helpers > 2 {
				return helper(2)
			}
		case 1:
			return fmt.Sprintf("%s.turned(%s, %s)", g.receiver(fuel-1), s(), x())
		}
		return fmt.Sprintf("cellOf(%s, %s, %s)", s(), arr(), x())
	case "int16":
		if g.slices["[]int16"] != nil {
			return fmt.Sprintf("poke(%s, %s, %s)", g.slice("[]int16", fuel-1), x(), g.operand("int16", fuel-1))
		}
		return fmt.Sprintf("%s.turned(%s, %s).D", g.receiver(fuel-1), s(), x())
	case "bool":
		return fmt.Sprintf("odd(%s, %s)", s(), x())
	case "complex128":
		return fmt.Sprintf("spun(%s, %s, %s)", s(), g.operand(typ, fuel-1), x())
	}
	return fmt.Sprintf("%s(poke(%s, %s, %s))", typ, s(), x(), x())
}

// receiver is a cell that a method can be called of, a variable or a value.
func (g *goSource) receiver(fuel int) string {
	if fuel < 0 {
		fuel = 0
	}
	x := g.operand("cell", fuel)
	if strings.HasPrefix(x, "cell{") {
		return "(" + x + ")"
	}
	return x
}

// operand is an expression of a type.
func (g *goSource) operand(typ string, fuel int) string {
	if fuel <= 0 {
		return g.place(typ, 0)
	}
	x := func(typ string) string { return g.operand(typ, fuel-1) }
	kind := g.pick(8)
	switch {
	case kind < 2:
		return g.place(typ, fuel)
	case kind < 5:
		return g.call(typ, fuel)
	}
	switch typ {
	case "uint32":
		return g.orderedWord(fuel)
	case "[4]uint32":
		return fmt.Sprintf("[4]uint32{%s, %s, %s, %s}", x("uint32"), x("uint32"), x("uint32"), x("uint32"))
	case "cell":
		if g.chance(2) {
			return fmt.Sprintf("cell{%s, %s, %s, %s}", x("uint32"), x("[4]uint32"), x("int64"), x("int16"))
		}
		return fmt.Sprintf("cell{D: %s, A: %s, B: %s}", x("int16"), x("uint32"), x("[4]uint32"))
	case "bool":
		return g.orderedCondition(fuel)
	case "complex128":
		switch g.pick(4) {
		case 0:
			return fmt.Sprintf("complex(float64(%s), %s)", x("int16"), g.one("2", "float64("+x("uint32")+">>9)", "imag("+x(typ)+")"))
		case 1:
			return fmt.Sprintf(g.one("(-%s)", "complex128(complex64(%s))", "cmplx.Conj(%s)"), x(typ))
		}
		return fmt.Sprintf("(%s %s %s)", x(typ), g.one("+", "-", "*", "/"), x(typ))
	}
	switch g.pick(3) {
	case 0:
		return fmt.Sprintf("%s(%s)", typ, x(g.one("uint32", "int64", "int16", "int")))
	case 1:
		return fmt.Sprintf("(%s %s %s)", x(typ), g.one("<<", ">>"), "(1 + "+x("uint32")+"&7)")
	}
	return fmt.Sprintf("(%s %s %s)", x(typ), g.one("+", "-", "*", "^", "&^"), x(typ))
}

func (g *goSource) orderedWord(fuel int) string {
	x := func(typ string) string { return g.operand(typ, fuel-1) }
	switch g.pick(10) {
	case 8:
		return fmt.Sprintf("wave(%s)", x("complex128"))
	case 7:
		return fmt.Sprintf("table[%s&3]", x("uint32"))
	case 0:
		return fmt.Sprintf("%s(%s, %s)", g.one("min", "max"), x("uint32"), x("uint32"))
	case 1:
		return fmt.Sprintf("uint32(%s)", x(g.one("int64", "int16", "int")))
	case 2:
		if g.places["[]uint32"] != nil && g.chance(2) { // in the kernel
			return g.filled("uint32(cap("+g.one("grow[#1:]", "cells", "line", "rows[#1][:]", "w", "fv[#3:]", "grid[#1][1:#1+2]", "cells[:1:#1+1]", "grow[2:4:#3+4]")+"))", fuel-1)
		}
		return fmt.Sprintf("uint32(len(%s))", g.slice(g.one("[]uint32", "[]cell"), fuel))
	case 3:
		return fmt.Sprintf("%s[%s&3]", x("[4]uint32"), x("uint32"))
	case 4:
		return g.receiver(fuel-1) + g.one(".A", ".B[1]", fmt.Sprintf(".B[%s&3]", x("uint32")))
	case 5:
		return fmt.Sprintf("(%s %s (%s&31))", x("uint32"), g.one("<<", ">>"), x("uint32"))
	case 6:
		return fmt.Sprintf("%s(%s)", g.one("-", "^", "+"), x("uint32"))
	}
	return fmt.Sprintf("(%s %s %s)", x("uint32"), g.one("+", "-", "*", "^", "&", "|"), x("uint32"))
}

func (g *goSource) orderedCondition(fuel int) string {
	x := func(typ string) string { return g.operand(typ, fuel-1) }
	switch g.pick(7) {
	case 6:
		return fmt.Sprintf("(%s %s %s)", x("complex128"), g.one("==", "!="), x("complex128"))
	case 0:
		return fmt.Sprintf("(%s %s %s)", x("bool"), g.one("&&", "||", "==", "!="), x("bool"))
	case 1:
		return "!" + x("bool")
	case 2:
		return fmt.Sprintf("((%s) %s (%s))", x("cell"), g.one("==", "!="), x("cell"))
	case 3:
		return fmt.Sprintf("(%s %s %s)", x("[4]uint32"), g.one("==", "!="), x("[4]uint32"))
	}
	typ := g.one("uint32", "int64", "int16", "int")
	return fmt.Sprintf("(%s %s %s)", x(typ), g.one("<", "<=", "==", "!=", ">", ">="), x(typ))
}

// referring is a word from a table that is referred to, from a slice that a helper changes through a pointer, from functions that
// return the next, or from helpers that leave in nested arms and divide two words by one.
func (g *goSource) referring(s, x func() string, fuel int) string {
	switch g.pick(6) {
	case 0:
		return fmt.Sprintf("tallied(%s, %s, %s)", g.one("table[:]", "table["+x()+"&1:]", "fours["+x()+"&1][:]", "fours[1:]["+x()+"&1][:3]"), s(), x())
	case 1:
		return fmt.Sprintf("*fours[%s&1].at(%s)", x(), x())
	case 2:
		return fmt.Sprintf("phased(%s, %s)", s(), x())
	case 3:
		return fmt.Sprintf("divided(%s, %s)", s(), x())
	case 4:
		if g.places["[]uint32"] != nil { // in the kernel
			return fmt.Sprintf("refilled(&grow, %s)", x())
		}
	}
	return fmt.Sprintf("leaving(%s, &%s, %s)", s(), g.place("uint32", fuel-1), x())
}
