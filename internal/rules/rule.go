package rules

import (
	"strings"
	"sync/atomic"

	"github.com/govyre/vyre/ir"
)

// Rule is a line of a table. One that At returned is at a type: its terms and variables have types.
type Rule struct {
	Name        string
	Class       string     // as it is written
	Types       ir.TypeSet // types of the class that all ops take
	Left, Right *Term
	Both        bool       // <=>: an e-graph reads it in both directions, and the optimiser leaves it out
	Idiom       bool       // of the pass idiom
	Vars        []Variable // in the order in which the left side names them
	Typed       int        // index of the variable whose type the class says; -1: the type of the left side
	Cond        string     // name of the condition, empty for none
	Of          []int      // constants that the condition is about; the first may be a value
	Type        ir.Type    // of the class; None if the rule is not at a type

	form form // how wide the numbers are
	cond *condition
	at   *[numTypes]atomic.Pointer[Rule]
}

// numTypes bounds the types of values.
const numTypes = ir.BF16 + 1

// Variable is a variable of a rule.
type Variable struct {
	Name  string  // with its ? or #
	Const bool    // matches constants only
	Type  ir.Type // of a rule at a type, else None
}

// Kind says what a term is.
type Kind uint8

// The kinds of term.
const (
	Value    Kind = iota // ?x
	Constant             // #c
	Literal              // a number, true, false, ones, top or width
	Apply                // an op of terms
)

// Term is a side of a rule, or a part of one.
type Term struct {
	Kind Kind
	Op   ir.Op
	Args []*Term
	Var  int     // index in Vars of a Value or Constant
	Type ir.Type // in a rule at a type, else None
	Bits uint64  // raw bits of a literal, in a rule at a type

	word string // what is written: a variable, an op's name, a literal
	lit  literal
	n    float64 // of a literal that is a number

	column int // of its first byte in its line, from 0
}

// literal says what a literal is.
type literal uint8

const (
	litNumber literal = iota
	litTrue
	litFalse
	litOnes
	litTop
	litWidth
)

var literalNames = map[string]literal{"true": litTrue, "false": litFalse, "ones": litOnes, "top": litTop, "width": litWidth}

// String returns the rule as a line of a table.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Name + " " + r.Class + " " + r.Left.String())
	if r.Both {
		b.WriteString(" <=> ")
	} else {
		b.WriteString(" => ")
	}
	b.WriteString(r.Right.String())
	if r.Cond != "" {
		b.WriteString(" when " + r.Cond)
		for _, v := range r.Of {
			b.WriteString(" " + r.Vars[v].Name)
		}
	}
	return b.String()
}

// String returns the term as it is written in a table.
func (t *Term) String() string {
	if t.Kind != Apply {
		return t.word
	}
	var b strings.Builder
	b.WriteString("(" + t.word)
	for _, a := range t.Args {
		b.WriteString(" " + a.String())
	}
	b.WriteByte(')')
	return b.String()
}

// Is reports whether a constant of type t with these raw bits is the literal.
func (t *Term) Is(typ ir.Type, bits uint64) bool {
	// Zero and false have equal bits.
	if (typ == ir.Bool) != (t.lit == litTrue || t.lit == litFalse) {
		return false
	}
	return bits == t.value(typ, typ.Mask(), uint64(typ.Bits()))
}

// value returns the raw bits of a literal in type t; width is that of the rule's class.
func (t *Term) value(typ ir.Type, mask, width uint64) uint64 {
	switch t.lit {
	case litTrue:
		return 1
	case litFalse:
		return 0
	case litOnes:
		return mask
	case litTop:
		return mask ^ mask>>1
	case litWidth:
		return width
	}
	if isReal(typ) {
		return bitsOf(typ, t.n)
	}
	return uint64(int64(t.n)) & mask
}

// Holds reports whether the condition holds for constants with these raw bits, in the order of Of. The rule is at a type. For
// a value, in the place of a constant, it is asked with all bits that the value may have; then it holds for the value too.
func (r *Rule) Holds(c ...uint64) bool {
	if r.cond == nil {
		return true
	}
	t := r.Vars[r.Of[0]].Type
	return r.cond.holds(question{form: r.form, t: t, width: r.form.width(r.Type)}, c)
}

// At returns the rule at a type of its class: terms have types and literals bits. nil if t is not one of Types, or if the
// places of a variable ask for different types.
func (r *Rule) At(t ir.Type) *Rule {
	if !r.Types.Has(t) {
		return nil
	}
	if at := r.at[t].Load(); at != nil {
		return at
	}
	at := r.instance(t, form{})
	r.at[t].Store(at)
	return at
}
