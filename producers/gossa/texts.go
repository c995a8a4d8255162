package main

import (
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// texts writes names and positions of nodes, of which there are millions: into bytes that are used again, and what functions
// are called once.
type texts struct {
	p         *program
	functions map[*ssa.Function]string
	methods   map[*types.Func]string
	kinds     map[reflect.Type]string

	name, position []byte // of a node, while they are written
}

func (p *program) texts() *texts {
	return &texts{p: p, functions: make(map[*ssa.Function]string), methods: make(map[*types.Func]string), kinds: make(map[reflect.Type]string)}
}

// room is how many bytes the texts of some nodes take, by which room is made for those of all: they are hundreds of megabytes,
// and what grows is copied, and its memory cleared, again and again.
type room struct{ of, inNames, inPositions int }

func (r *room) name(text []byte)     { r.inNames += len(text) }
func (r *room) position(text []byte) { r.inPositions += len(text) }

// names and positions are how much room those of n nodes are given, a little more than what some of them say.
func (r *room) names(n int) int     { return scaled(r.inNames, r.of, n) }
func (r *room) positions(n int) int { return scaled(r.inPositions, r.of, n) }

func scaled(bytes, of, n int) int {
	return int(1.02 * float64(bytes) / float64(max(of, 1)) * float64(n))
}

// oneIn is of how many one is written to see how long all will be.
const oneIn = 64

// what appends in a few words what an instruction is.
func (t *texts) what(to []byte, i ssa.Instruction) []byte {
	if call, is := i.(ssa.CallInstruction); is {
		return t.callee(to, call.Common())
	}
	kind := reflect.TypeOf(i).Elem()
	name, ok := t.kinds[kind]
	if !ok {
		name = strings.ToLower(kind.Name())
		t.kinds[kind] = name
	}
	if v, is := i.(ssa.Value); is {
		to = append(append(to, v.Name()...), " = "...)
	}
	return append(to, name...)
}

// called appends what a reader calls a value.
func (t *texts) called(to []byte, v ssa.Value) []byte {
	to = append(to, v.Name()...)
	switch v := v.(type) {
	case *ssa.Alloc:
		return append(append(to, ' '), v.Comment...)
	case *ssa.Call:
		return t.callee(append(to, " = "...), &v.Call)
	case *ssa.Extract:
		to = append(append(append(to, " = "...), v.Tuple.Name()...), ' ')
		return strconv.AppendInt(to, int64(v.Index)+1, 10)
	case *ssa.Field:
		return append(append(to, " = ."...), fieldName(v.X.Type(), v.Field)...)
	case *ssa.FieldAddr:
		return append(append(to, " = ."...), fieldName(v.X.Type(), v.Field)...)
	case *ssa.MakeClosure:
		return append(append(to, " = "...), names.Short(v.Fn.(*ssa.Function))...)
	case *ssa.BinOp:
		return append(append(to, " = "...), v.Op.String()...)
	}
	return to
}

// fieldName is that of a field of a struct, or of what a pointer to one refers to.
func fieldName(t types.Type, i int) string {
	if p, is := t.Underlying().(*types.Pointer); is {
		t = p.Elem()
	}
	return t.Underlying().(*types.Struct).Field(i).Name()
}

// callee appends what a call says it calls.
func (t *texts) callee(to []byte, c *ssa.CallCommon) []byte {
	switch f := c.Value.(type) {
	case *ssa.Function:
		name, ok := t.functions[f]
		if !ok {
			name = ruleName(f)
			t.functions[f] = name
		}
		to = append(to, name...)
	case *ssa.Builtin:
		to = append(to, f.Name()...)
	default:
		if !c.IsInvoke() {
			to = append(to, c.Value.Name()...)
			break
		}
		name, ok := t.methods[c.Method]
		if !ok {
			name = methodName(c.Method)
			t.methods[c.Method] = name
		}
		to = append(to, name...)
	}
	return append(to, "()"...)
}

// where appends a position to a text.
type where func(to []byte, in string, at token.Position) []byte

// at appends where something stands, or nothing for what the compiler makes.
func (p *program) at(to []byte, in string, pos token.Pos, w where) []byte {
	at := p.ssa.Fset.Position(pos)
	if !at.IsValid() {
		return to
	}
	return w(to, in, at)
}

// places gives the instructions of a function, each with its block, its place there, and where it stands in the source: one
// without a position stands where the one before it does.
func places(f *ssa.Function, each func(block, k int, i ssa.Instruction, at token.Pos)) {
	here := f.Pos()
	for _, b := range f.Blocks {
		for k, i := range b.Instrs {
			if i.Pos().IsValid() {
				here = i.Pos()
			}
			each(b.Index, k, i, here)
		}
	}
}
