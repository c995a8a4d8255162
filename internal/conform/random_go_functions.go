package conform

import (
	"fmt"
	"strings"
)

// orderFunctions is how many function variables a kernel has: fn0 and fn1 are literals, and choice is one of them, or
// another that a statement gives it.
const orderFunctions = 2

// orderFunctions writes the literals of a kernel. A later one may call an earlier one.
func (g *goSource) orderFunctions(scope orderScope) (texts []string) {
	for f := range orderFunctions {
		g.orderScope = scope
		g.calls, g.functions = 2, f
		texts = append(texts, g.literal(1))
	}
	return texts
}

// declared declares those of the functions that a text mentions.
func (g *goSource) declared(functions []string, text string) string {
	list := ""
	if mentions(text, "choice") {
		list = "\tchoice := fn0\n\tx1 ^= choice(x2)\n"
	}
	for f := orderFunctions - 1; f >= 0; f-- {
		if mentions(list+text, fmt.Sprintf("fn%d", f)) {
			list = fmt.Sprintf("\tfn%d := %s\n", f, functions[f]) + list
		}
	}
	return list
}

// with is the places of a scope and some more words.
func with(places map[string][]string, words ...string) map[string][]string {
	more := make(map[string][]string)
	for typ, list := range places {
		more[typ] = list
	}
	for _, w := range words {
		more["uint32"] = append([]string{w, w}, more["uint32"]...)
	}
	return more
}

// within writes the statements of a literal in a scope of their own.
func (g *goSource) within(words []string, give func() string, fuel int) string {
	around, loops := g.orderScope, g.loops
	g.inside++
	g.places, g.give = with(g.places, words...), give
	g.depth++
	text := g.aside(func() {
		g.part()
		g.ordered(min(fuel, 1))
		if give != nil && give() != "" && g.chance(3) {
			g.line("if %s {", g.operand("bool", 1))
			g.line("\treturn %s", g.give())
			g.line("}")
		}
		if give != nil {
			g.line("return %s", g.give())
		}
	})
	g.depth--
	calls := g.calls
	g.orderScope = around
	g.calls = calls
	g.loops = max(loops, g.loops)
	return text + strings.Repeat("\t", g.depth)
}

// literal is a function of a word, which changes what is around it.
func (g *goSource) literal(fuel int) string {
	z := fmt.Sprintf("z%d", g.inside)
	return fmt.Sprintf("func(%s uint32) uint32 {\n%s}", z, g.within([]string{z}, func() string { return g.operand("uint32", 1) }, fuel))
}

// function is a function value of a word.
func (g *goSource) function(fuel int) string {
	kind := g.pick(6)
	switch {
	case kind < 2 && g.functions > 0:
		return fmt.Sprintf("fn%d", g.pick(g.functions))
	case kind == 2 && g.functions == orderFunctions:
		return "choice"
	case kind == 3 || g.inside > 1:
		return fmt.Sprintf("maker(%s, %s)", g.operand("uint32", fuel-1), g.slice("[]uint32", fuel-1))
	}
	return g.literal(fuel - 1)
}

// called is a call of a function value that gives a word.
func (g *goSource) called(fuel int) string {
	x := func() string { return g.operand("uint32", fuel-1) }
	s := func() string { return g.slice("[]uint32", fuel-1) }
	switch g.pick(6) {
	case 0:
		return fmt.Sprintf("apply(%s, %s, %s)", g.function(fuel), s(), x())
	case 1:
		return fmt.Sprintf("use(%s.mixed, %s, %s)", g.receiver(fuel-1), s(), x())
	case 2:
		return fmt.Sprintf("%s(%s, %s, %s)", "cell.mixed", g.operand("cell", fuel-1), s(), x())
	case 3:
		return fmt.Sprintf("(*cell).step(&%s, %s).A", g.place("cell", fuel-1), x())
	}
	return fmt.Sprintf("%s(%s)", g.function(fuel), x())
}

// functional writes a statement with a literal, or with the body of a loop that is one.
func (g *goSource) functional(fuel int) {
	g.loops++
	i := g.loops
	over := func() string {
		if g.chance(3) {
			return g.place("cell", 1) + ".all"
		}
		return fmt.Sprintf("words(%s, %s)", g.slice("[]uint32", 1), g.operand("[4]uint32", 1))
	}
	switch kind := g.pick(6); {
	case kind == 0 && g.functions == orderFunctions && g.inside == 0:
		if g.chance(2) {
			g.line("choice = fn%d", g.pick(orderFunctions))
			return
		}
		g.functions = 0 // one that calls choice may call itself
		text := g.literal(1)
		g.functions = orderFunctions
		g.line("choice = %s", text)
	case kind < 3:
		give, words := func() string { return "" }, []string{fmt.Sprintf("e%d", i)}
		g.line("visited(%s, %s, func(i%d int, e%d uint32) {\n%s})", g.operand("[4]uint32", 2), g.slice("[]uint32", 1), i, i, g.within(words, give, fuel))
	case kind == 3:
		g.line("for %s, %s = range (%s) {", g.place("int", 1), g.place("uint32", 1), over())
		g.iterated(fuel)
	default:
		g.line("for i%d, e%d := range (%s) {", i, i, over())
		g.line("\t%s, %s = e%d, i%d", g.place("uint32", 1), g.place("int", 1), i, i)
		g.iterated(fuel)
	}
}

// iterated writes the rest of a range over a function, with what leaves it.
func (g *goSource) iterated(fuel int) {
	g.body(fuel)
	if g.chance(2) {
		leave := g.one("break", "continue")
		if g.give != nil && g.chance(2) {
			leave = "return " + g.give()
		}
		g.line("\tif %s { %s }", g.operand("bool", 1), leave)
		g.line("\t%s++", g.place("uint32", 0))
	}
	g.line("}")
}
