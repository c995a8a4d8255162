package build

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/literal"
)

// Value is a value inside a Builder. It has nothing to do with row numbers, which
// are given when the program is sealed.
type Value uint32

// noValue is what an operation returns after misuse; any use of it is ignored, so that
// one mistake is reported once.
const noValue Value = 0xFFFF_FFFF

// Builder writes a program op by op. Its methods return no errors: misuse is kept
// with the caller's line, the builder goes on, and Program returns every finding. A
// Builder is for one goroutine.
type Builder struct {
	name      string
	workgroup [3]uint32
	params    []ir.Param
	arrays    []ir.Array
	objs      []object
	scalars   []Value

	// Columns in the order in which values came to be; see order for program order.
	op      []ir.Op
	typ     []ir.Type
	flags   []ir.Flags
	a, b, c []Value
	x       []uint32
	args    []uint32 // start in extra
	pos     []uint32
	extra   []uint32
	consts  map[literal.Const]Value
	pool    []uint64

	order  []event
	scopes []scope
	blocks []block
	cur    uint32 // current block
	open   uint32 // innermost open scope
	dead   bool   // the current point cannot be reached

	vars   []variable
	defs   map[blockVar]Value
	merges []merging
	visits int // blocks walked by lookups, for the test of linear work

	names     map[Value]string
	messages  map[Value]string
	positions []ir.Pos
	posIndex  map[ir.Pos]uint32
	at        uint32 // current position, 1 + index
	diags     ir.Diags
}

// object is a buffer (index into params) or an array (index into arrays).
type object struct {
	index int
	array bool
	field int // of a buffer of records
}

// Option configures a Builder.
type Option func(*Builder)

// Workgroup states the workgroup's size; axes left out are 1.
func Workgroup(size ...uint32) Option {
	return func(b *Builder) {
		if len(size) == 0 || len(size) > 3 {
			b.fail("VY501", fmt.Sprint(size), fmt.Sprintf("it has %d axes, one to three are possible", len(size)))
			return
		}
		copy(b.workgroup[:], size)
	}
}

// New starts a program.
func New(name string, opts ...Option) *Builder {
	b := &Builder{name: name, workgroup: [3]uint32{1, 1, 1},
		consts: make(map[literal.Const]Value), defs: make(map[blockVar]Value), posIndex: make(map[ir.Pos]uint32)}
	b.scopes = []scope{{op: noValue}}
	b.blocks = []block{{kind: blockEntry}}
	for _, o := range opts {
		o(b)
	}
	return b
}

// fail keeps a finding at the current position, or at the caller's line without one, in
// the verifier's words.
func (b *Builder) fail(code string, args ...any) Value {
	const enough = 100 // findings after which more do not help
	if len(b.diags) < enough {
		ru := finding.Rules[code]
		b.diags = append(b.diags, ir.Diag{Code: code, Row: ir.NoRow, Kernel: b.name, Msg: fmt.Sprintf(ru.Format, args...), Fix: ru.Fix, Pos: b.here()})
	}
	return noValue
}

// given is the position that At set, if any.
func (b *Builder) given() ir.Pos {
	if b.at != 0 {
		return b.positions[b.at-1]
	}
	return ir.Pos{}
}

func (b *Builder) here() ir.Pos {
	if b.at != 0 {
		return b.given()
	}
	pc := make([]uintptr, 16)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for {
		f, more := frames.Next()
		if !isBuilderFrame(f.Function) {
			return ir.Pos{File: f.File, Line: f.Line}
		}
		if !more {
			return ir.Pos{}
		}
	}
}

func isBuilderFrame(fn string) bool {
	const prefix = "github.com/govyre/vyre/ir/build.(*Builder)"
	const variables = "github.com/govyre/vyre/ir/build.(*Var)"
	return len(fn) >= len(prefix) && fn[:len(prefix)] == prefix || len(fn) >= len(variables) && fn[:len(variables)] == variables
}

// At sets the source position of what follows.
func (b *Builder) At(p ir.Pos) {
	if p.File == "" && p.Line == 0 {
		b.at = 0
		return
	}
	i, ok := b.posIndex[p]
	if !ok {
		b.positions = append(b.positions, p)
		i = uint32(len(b.positions))
		b.posIndex[p] = i
	}
	b.at = i
}

// Name gives v a name for the text form.
func (b *Builder) Name(v Value, name string) {
	if v == noValue {
		return
	}
	if b.names == nil {
		b.names = make(map[Value]string)
	}
	b.names[v] = name
}

// Type returns the type of v, None after misuse.
func (b *Builder) Type(v Value) ir.Type {
	if int(v) >= len(b.typ) {
		return ir.None
	}
	return b.typ[v]
}

// Scalar declares a scalar parameter and returns its value.
func (b *Builder) Scalar(name string, t ir.Type) Value {
	b.params = append(b.params, ir.Param{Name: name, Type: t, Pos: b.given()})
	v := b.add(ir.OpArg, t.Value(), uint32(len(b.scalars)))
	b.scalars = append(b.scalars, v)
	b.Name(v, name)
	return v
}

// Buffer declares a buffer parameter of the given element type.
func (b *Builder) Buffer(name string, elem ir.Type, access ir.Access) ir.Object {
	b.params = append(b.params, ir.Param{Name: name, Type: elem, Access: access, Align: ir.AlignAuto, MaxLen: ir.DefaultMaxLen, Pos: b.given()})
	b.objs = append(b.objs, object{index: len(b.params) - 1})
	return ir.Object(len(b.objs) - 1)
}

// Records declares a buffer parameter whose elements are records, and returns the objects of its fields.
func (b *Builder) Records(name string, layout ir.Record, access ir.Access) []ir.Object {
	b.params = append(b.params, ir.Param{Name: name, Access: access, Align: ir.AlignAuto, MaxLen: ir.DefaultMaxLen, Record: &layout, Pos: b.given()})
	fields := make([]ir.Object, len(layout.Fields))
	for i := range fields {
		fields[i] = ir.Object(len(b.objs))
		b.objs = append(b.objs, object{index: len(b.params) - 1, field: i})
	}
	return fields
}

// SetAccess changes a buffer's access right.
func (b *Builder) SetAccess(o ir.Object, a ir.Access) {
	if p := b.buffer(o); p != nil {
		p.Access = a
	}
}

// SetMaxLen changes the bound of a buffer's length; call it before Len.
func (b *Builder) SetMaxLen(o ir.Object, n uint64) {
	if p := b.buffer(o); p != nil {
		p.MaxLen = n
	}
}

// SetAlign states the alignment of a buffer's start in bytes, a power of two.
func (b *Builder) SetAlign(o ir.Object, bytes int) {
	if p := b.buffer(o); p != nil {
		p.Align = log2(bytes)
	}
}

func (b *Builder) buffer(o ir.Object) *ir.Param {
	if int(o) >= len(b.objs) || b.objs[o].array {
		b.fail("VY201", fmt.Sprintf("%d is no buffer", o))
		return nil
	}
	return &b.params[b.objs[o].index]
}

// SharedArray declares a workgroup array of n elements.
func (b *Builder) SharedArray(name string, t ir.Type, n int) ir.Object {
	return b.array(ir.Array{Name: name, Type: t, Shared: true, Len: uint64(n)})
}

// SharedRest declares the shared array whose element count comes with the launch.
func (b *Builder) SharedRest(name string, t ir.Type) ir.Object {
	return b.array(ir.Array{Name: name, Type: t, Shared: true, Len: ir.RestLen})
}

// LocalArray declares an array that every invocation has for itself.
func (b *Builder) LocalArray(name string, t ir.Type, n int) ir.Object {
	return b.array(ir.Array{Name: name, Type: t, Len: uint64(n)})
}

// Table declares an array of constants, whose elements have the given raw bits. Equal tables are one object.
func (b *Builder) Table(name string, t ir.Type, elems []uint64) ir.Object {
	bytes := make([]byte, 0, len(elems)*t.Size())
	for i, bits := range elems {
		if bits&^t.Mask() != 0 {
			b.fail("VY210", name, fmt.Sprintf("has element %d with the bits %#x, which do not fit a %s", i, bits, t))
		}
		bytes = t.AppendElem(bytes, bits)
	}
	if len(bytes) == 0 {
		b.fail("VY210", name, "has no elements")
	}
	return b.table(ir.Array{Name: name, Type: t, Len: uint64(len(elems)), Table: string(bytes), Pos: b.given()})
}

// table returns the object of a table with the elements of a: one that is there, or a new one.
func (b *Builder) table(a ir.Array) ir.Object {
	for o, ob := range b.objs {
		if ob.array && b.arrays[ob.index].Type == a.Type && b.arrays[ob.index].Table == a.Table {
			return ir.Object(o)
		}
	}
	pos := a.Pos
	o := b.array(a)
	b.arrays[b.objs[o].index].Pos = pos
	return o
}

func (b *Builder) array(a ir.Array) ir.Object {
	a.Pos = b.given()
	b.arrays = append(b.arrays, a)
	b.objs = append(b.objs, object{index: len(b.arrays) - 1, array: true})
	return ir.Object(len(b.objs) - 1)
}

// elem returns the element type of an object.
func (b *Builder) elem(o ir.Object) (ir.Type, bool) {
	if int(o) >= len(b.objs) {
		b.fail("VY201", fmt.Sprintf("%d was not declared", o))
		return ir.None, false
	}
	if ob := b.objs[o]; ob.array {
		return b.arrays[ob.index].Type, true
	} else if p := &b.params[ob.index]; p.Record != nil {
		return p.Record.Fields[ob.field].Type, true
	} else {
		return p.Type, true
	}
}

// add makes a value without putting it into program order.
func (b *Builder) add(op ir.Op, t ir.Type, x uint32) Value {
	v := Value(len(b.op))
	b.op = append(b.op, op)
	b.typ = append(b.typ, t)
	b.flags = append(b.flags, 0)
	b.a, b.b, b.c = append(b.a, noValue), append(b.b, noValue), append(b.c, noValue)
	b.x = append(b.x, x)
	b.args = append(b.args, ir.NoArgs)
	b.pos = append(b.pos, b.at)
	return v
}

// emit adds a row at the current point. In dead code the value exists, for its type,
// but no row will.
func (b *Builder) emit(op ir.Op, t ir.Type, x uint32, in ...Value) Value {
	v := b.add(op, t, x)
	for i, o := range in {
		switch i {
		case 0:
			b.a[v] = o
		case 1:
			b.b[v] = o
		case 2:
			b.c[v] = o
		}
	}
	if !b.dead {
		b.order = append(b.order, event{kind: eventRow, value: v})
	}
	return v
}

// emitList adds a row whose operands stand in a list.
func (b *Builder) emitList(op ir.Op, t ir.Type, x uint32, list []Value) Value {
	v := b.emit(op, t, x)
	b.args[v] = b.list(list)
	return v
}

func (b *Builder) list(list []Value) uint32 {
	if len(list) == 0 {
		return ir.NoArgs
	}
	at := uint32(len(b.extra))
	b.extra = append(b.extra, uint32(len(list)))
	for _, v := range list {
		b.extra = append(b.extra, uint32(v))
	}
	return at
}

// ok reports whether every operand is a value.
func (b *Builder) ok(in ...Value) bool { return !slices.Contains(in, noValue) }

// Const returns the constant of type t with the given raw bits.
func (b *Builder) Const(t ir.Type, bits uint64) Value {
	key := literal.Const{Type: t, Bits: bits}
	if v, ok := b.consts[key]; ok {
		return v
	}
	v := b.add(ir.OpConst, t, uint32(len(b.pool)))
	b.pos[v] = 0
	b.pool = append(b.pool, bits)
	b.consts[key] = v
	return v
}

// log2 is the logarithm of a power of two, 0 of what is none.
func log2(n int) uint8 { return uint8(bits.Len(uint(max(n, 1))) - 1) }
