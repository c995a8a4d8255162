// Package rules has the rules by which terms are rewritten: the optimiser's table, a parser, and a search for counterexamples.
//
//	mul-pow2     int    (mul ?x #a)              => (shl ?x (ctz #a))      when pow2 #a
//	select-same  any    (select ?c ?x ?x)        => ?x
//	add-assoc    int    (add (add ?x ?y) ?z)    <=> (add ?x (add ?y ?z))
//
// A line is a name, a class, a pattern, an arrow and a result. Its right side is cheaper or more canonical after =>; the
// optimiser rewrites by these lines alone. The sides of <=> are only equal, and an e-graph reads such a line both ways.
//
// ?x is any value and #c a constant. A variable that comes twice is the same value twice. ?c and ?d are bools. A number
// is that number in the type of its place, modulo 2^width for an integer; ones, top and width are the numbers with all
// bits, with the top bit, and the bits of a value of the class. An op of constants is computed, so (ctz #c) is a
// constant. A condition after when asks something of constants, or, as (within ?x #a), of the bits that a value may have. A
// line that begins with // is a comment.
//
// The class is a set of types, for each of which the rule is true: int, uint, sint, real, bool, bits (integers and bools)
// or any. It says the type of ?x, or of the first variable that could have several where there is no ?x.
//
// Commutativity is not a rule: whoever matches a pattern tries the operands of a commutative op in both orders.
//
// Refute evaluates both sides with the functions of the op table, which the interpreter runs too. A rule that it does not
// refute is checked: at 8 bits for all values, at full widths for edges, random values and, where there is one variable
// and the effort asks for it, all values. Purely bitwise rules, and linear ones with small coefficients, are decided at 8 bits.
//
// Rules are immutable and may be shared between goroutines. Start reading in rule.go, then parse.go and refute.go.
package rules
