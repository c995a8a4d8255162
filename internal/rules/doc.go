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
// has the type of its place, and counts modulo 2^width for an integer. The literal ones has all bits, top has the top bit,
// and width is the number of bits of the class. An op of constants is computed, so (ctz #c) is a constant. A condition
// after when asks something of constants, or, as within ?x #a, of the bits that a value may have. A line that begins
// with // is a comment.
//
// The class is a set of types, and the rule is true for each: int, uint, sint, real, bool, bits (integers and bools) or
// any. It says the type of ?x. In a rule without ?x it says that of the first variable whose place allows several.
//
// Commutativity is not a rule: a matcher tries the operands of a commutative op in both orders.
//
// Refute evaluates both sides with the functions of the op table, which the interpreter runs too. It tries all values at
// 8 bits, then edges and random values at full width. A rule that passes is checked. It is proved for all widths if it is
// purely bitwise, or linear with coefficients below 256. vyre rules check --exhaustive tries all 2³² values on a device.
//
// Rules are immutable and may be shared between goroutines. The table is in simplify.rules,
// idioms.rules and equalities.rules. Start reading in rule.go, then parse.go and refute.go.
package rules
