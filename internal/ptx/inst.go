package ptx

import "github.com/govyre/vyre/ir"

// class is a class of virtual registers.
type class uint8

const (
	noClass class = iota
	classP        // .pred
	classH        // .b16
	classR        // .b32
	classF        // .f32
	classRD       // .b64
	classFD       // .f64
	numClasses
)

// reg is a virtual register: its class and its number within the function. Any instruction may
// write any register any number of times; the assembler splits them.
type reg uint32

const noReg reg = 0

func makeReg(c class, n uint32) reg { return reg(c)<<28 | reg(n) }

func (r reg) class() class { return class(r >> 28) }
func (r reg) num() uint32  { return uint32(r) & (1<<28 - 1) }

// ptype is the type suffix of an instruction.
type ptype uint8

const (
	noType ptype = iota
	tPred
	tU8
	tS8
	tB16
	tU16
	tS16
	tF16
	tBF16
	tB32
	tU32
	tS32
	tF32
	tB64
	tU64
	tS64
	tF64
	numTypes
)

// typeInfo is what is known about a type suffix.
var typeInfo = [numTypes]struct {
	name  string
	class class
	bits  uint8
}{
	tPred: {".pred", classP, 1},
	tU8:   {".u8", classR, 8}, tS8: {".s8", classR, 8},
	tB16: {".b16", classH, 16}, tU16: {".u16", classH, 16}, tS16: {".s16", classH, 16},
	tF16: {".f16", classH, 16}, tBF16: {".bf16", classH, 16},
	tB32: {".b32", classR, 32}, tU32: {".u32", classR, 32}, tS32: {".s32", classR, 32}, tF32: {".f32", classF, 32},
	tB64: {".b64", classRD, 64}, tU64: {".u64", classRD, 64}, tS64: {".s64", classRD, 64}, tF64: {".f64", classFD, 64},
}

func (t ptype) class() class { return typeInfo[t].class }

// arith is the type suffix for arithmetic on values of type t, by its value's type.
func arith(t ir.Type) ptype {
	switch t.Value() {
	case ir.Bool:
		return tPred
	case ir.I32:
		return tS32
	case ir.U32:
		return tU32
	case ir.I64:
		return tS64
	case ir.U64:
		return tU64
	case ir.F32:
		return tF32
	case ir.F64:
		return tF64
	}
	return tB16
}

// bitsOf is the type suffix for moving values of type t without looking at them.
func bitsOf(t ir.Type) ptype {
	switch t.Value() {
	case ir.Bool:
		return tPred
	case ir.I32, ir.U32:
		return tB32
	case ir.I64, ir.U64:
		return tB64
	case ir.F32:
		return tF32
	case ir.F64:
		return tF64
	}
	return tB16
}

// inMemory is the type suffix for loads and stores of elements of type t. Registers may be wider
// than what is loaded or stored.
func inMemory(t ir.Type) ptype {
	switch t {
	case ir.Bool, ir.U8:
		return tU8
	case ir.I8:
		return tS8
	case ir.U16:
		return tU16
	case ir.I16:
		return tS16
	case ir.I32, ir.U32:
		return tU32
	case ir.I64, ir.U64:
		return tU64
	case ir.F32:
		return tF32
	case ir.F64:
		return tF64
	}
	return tB16
}

// operandKind says what an operand is.
type operandKind uint8

const (
	noOperand operandKind = iota
	isReg
	isNot      // a predicate register, negated
	isImm      // a constant of a type
	isSpecial  // a special register
	isSymbol   // the address of a variable or parameter
	isVec      // registers in braces
	isPair     // two registers: a value and a predicate, with a bar between
	isAddress  // a place in memory, from a register on
	isNamed    // one from a variable or parameter on
	isAccess   // a place in memory not yet worked out: becomes isAddress
	isLabel    // where a branch leads
	isCopyList // of a parallel copy: becomes moves
)

// operand is one operand of an instruction. It holds no pointer, so lists of instructions cost the garbage
// collector nothing; it is small, since every stage goes through all of them, and has no more fields than Go keeps in
// registers. What does not fit stands in a table of the function.
type operand struct {
	kind operandKind
	t    ptype // of a constant
	reg  reg   // of isReg, isNot, isPair, base of isAddress; the symbol of isSymbol, isNamed; of isVec, how many
	// bits are the raw bits of a constant, the number of a label, the byte offset of an address, the second
	// register of a pair, a special register; or where the registers of a vector, an access or a parallel copy stand in
	// their table.
	bits uint64
}

// symbol is something that has a name in the text: parameters, arrays and the extern segment,
// numbered by the function.
type symbol uint32

const noSymbol symbol = 0

func r(x reg) operand               { return operand{kind: isReg, reg: x} }
func imm(t ptype, v uint64) operand { return operand{kind: isImm, t: t, bits: v} }
func u32(v uint32) operand          { return imm(tU32, uint64(v)) }
func pair(x, p reg) operand         { return operand{kind: isPair, reg: x, bits: uint64(p)} }
func symbolic(x symbol) operand     { return operand{kind: isSymbol, reg: reg(x)} }
func spec(x special) operand        { return operand{kind: isSpecial, bits: uint64(x)} }

// isConst reports whether o is a constant with the given bits.
func (o operand) isConst(bits uint64) bool { return o.kind == isImm && o.bits == bits }

// as returns a constant under another type of its width; registers stay as they are.
func (o operand) as(t ptype) operand {
	if o.kind == isImm {
		o.t = t
	}
	return o
}

// special is a special register.
type special uint8

const (
	tidX special = iota
	tidY
	tidZ
	ctaidX
	ctaidY
	ctaidZ
	nctaidX
	nctaidY
	nctaidZ
	clock64
	globalTimer
	lanesBelow    // mask of the lanes below this one
	lanesUpTo     // and this one
	lanesAbove    // mask of this lane and those above
	dynamicShared // bytes of shared memory that came with the launch
)

var specialNames = [...]string{"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
	"%nctaid.x", "%nctaid.y", "%nctaid.z", "%clock64", "%globaltimer", "%lanemask_lt", "%lanemask_le", "%lanemask_ge", "%dynamic_smem_size"}

// access is an element of an object, as the program names it.
type access struct {
	obj   ir.Object
	index ir.Row
	scale uint32 // bytes that the index counts
	off   uint32 // bytes beyond

	run, gap uint32 // of an array in a record: its elements, after which come gap bytes more; else 0
	narrow   bool   // no index in bounds has more than 32 bits
}

// copying is a parallel copy: all sources are read before any destination is written.
type copying struct {
	dst []reg
	src []operand
}

// inst is one instruction. Labels, pragmas and parallel copies are instructions too.
type inst struct {
	op    opcode
	t, t2 ptype // type suffixes; noType prints nothing
	mod   mods
	sense bool   // the guard's register must be true (else false)
	guard reg    // noReg: unconditional
	row   ir.Row // that it comes from; NoRow at the entry
	dst   operand
	src   [4]operand
}

// mods are the modifiers that only some opcodes have. Zero prints nothing.
type mods struct {
	order order
	scope scope
	space space
	cache cache
	cmp   cmp
	rmw   rmw
	and   bool // setp: the third source is and-ed to the result
	nc    bool // ld: memory that nobody writes during the launch
	uni   bool // bra: all lanes go the same way
	rare  bool // bra: hardly anyone falls through
	align bool // barriers: all lanes of a warp come together
}

type order uint8

const (
	noOrder order = iota
	relaxed
	acquire
	release
	acqRel
	sc
)

var orderNames = [...]string{"", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"}

type scope uint8

const (
	noScope scope = iota
	scopeCTA
	scopeGPU
	scopeSys
)

var scopeNames = [...]string{"", ".cta", ".gpu", ".sys"}

type space uint8

const (
	noSpace space = iota
	global
	shared
	local
	param
	constant
)

var spaceNames = [...]string{"", ".global", ".shared", ".local", ".param", ".const"}

type cache uint8

const (
	noCache cache = iota
	streaming
	inL2
	keepL1
)

var cacheNames = [...]string{"", ".cs", ".cg", ".L1::evict_last"}

type cmp uint8

const (
	noCmp cmp = iota
	cmpEQ
	cmpNE
	cmpNEU // unequal or unordered
	cmpLT
	cmpLE
	cmpGT
	cmpLTU // less or unordered
	cmpGTU // greater or unordered
	cmpGEU
	cmpNaN // one of the two is a NaN
)

var cmpNames = [...]string{"", ".eq", ".ne", ".neu", ".lt", ".le", ".gt", ".ltu", ".gtu", ".geu", ".nan"}

type rmw uint8

const (
	noRMW rmw = iota
	rmwAdd
	rmwMin
	rmwMax
	rmwAnd
	rmwOr
	rmwXor
	rmwExch
	rmwCas
)

var rmwNames = [...]string{"", ".add", ".min", ".max", ".and", ".or", ".xor", ".exch", ".cas"}
