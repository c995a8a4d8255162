package exact

import (
	"github.com/govyre/vyre/ir"
)

// A Recipe writes one accurate function in terms of basic ops. It is written once,
// against Emitter, and runs in two ways: over raw bits, where each step is the op's
// evaluation function, and over a Sink, which turns each step into a row. The result
// has the same bits either way.
//
// t is F32 or F64, the type of the operands and of the result; b is unused by
// functions of one operand.
type Recipe func(e *Emitter, t ir.Type, a, b Ref) Ref

// Ref is a value inside a recipe: raw bits while evaluating, whatever the Sink
// returned while emitting.
type Ref uint64

// Sink receives the steps of a recipe as rows. For an if with one result the calls come as
// If, the rows of the first arm, Else with its value, the rows of the second arm, End with its value.
type Sink interface {
	Const(t ir.Type, bits uint64) Ref
	Op(op ir.Op, out ir.Type, imm uint32, args int, a, b, c Ref) Ref
	If(c Ref, t ir.Type)
	Else(v Ref)
	End(v Ref) Ref
}

// Emitter is what a recipe writes to. The zero Emitter evaluates.
type Emitter struct{ sink Sink }

// NewEmitter returns an Emitter whose steps go to sink.
func NewEmitter(sink Sink) *Emitter { return &Emitter{sink} }

// evaluator is the Emitter of all evaluations. It has no state; one on the stack would
// move to the heap, since a recipe is called through a variable.
var evaluator Emitter

// evalRecipe is the evaluation function of an op with recipe r.
func evalRecipe(r Recipe) Func {
	return func(t Types, _ uint32, a, b, _ uint64) uint64 {
		return uint64(r(&evaluator, t.In, Ref(a), Ref(b)))
	}
}

// Bits is a constant of type t with the given raw bits.
func (e *Emitter) Bits(t ir.Type, bits uint64) Ref {
	if e.sink != nil {
		return e.sink.Const(t, bits)
	}
	return Ref(bits)
}

// op runs or emits one basic op; in is the operand type.
func (e *Emitter) op(op ir.Op, f Func, in, out ir.Type, imm uint32, n int, a, b, c Ref) Ref {
	if e.sink != nil {
		return e.sink.Op(op, out, imm, n, a, b, c)
	}
	return Ref(f(Types{in, out, uint8(in.Bits())}, imm, uint64(a), uint64(b), uint64(c)))
}

// If chooses between two pieces of a recipe; both give a value of type t. Only the
// piece chosen runs. Use it for what is long and rare, Select for the rest.
func (e *Emitter) If(t ir.Type, c Ref, then, els func() Ref) Ref {
	if e.sink == nil {
		if c != 0 {
			return then()
		}
		return els()
	}
	e.sink.If(c, t)
	e.sink.Else(then())
	return e.sink.End(els())
}
