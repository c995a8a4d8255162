package ir

// Info is one row of the op table: everything that verifier, interpreter, folder,
// printer, parser, decoder and emitter need to know about an op. None of them has a
// switch over opcodes that could disagree with it.
type Info struct {
	Name   string     // name in text form, without types, orders and scopes
	Args   int        // operands in columns A, B, C
	In     [3]Operand // their rules
	List   bool       // further operands stand in Extra, at Args
	Counts uint8      // lengths the list may have, one bit each; 0 for any
	Owns   int        // number of regions
	Result Result     // type of the value defined
	Typed  int        // 1 + the operand whose type the mnemonic carries; 0 for none
	Imm    Imm        // what column X holds
	Attr   Attr
	Level  Level   // of a convergent op: the control level it needs
	MinSM  int     // minimum architecture; 0 is the floor, sm_70
	Orders uint8   // legal memory orders, one bit each; 0 if the op has none
	Elems  TypeSet // element types that an atomic takes
	On     Kinds   // kinds of object that it may access; 0 for all
	Spread Spread  // how uniform its result is
	Vec    Type    // V2 or V4 for a vector access
}

// Operand is the rule for one operand.
type Operand struct {
	Set  TypeSet // allowed scalar types; 0 with a rule of its own (vec, stored vectors)
	Type Type    // exactly this type, of a matrix product; 0 for none
	Same int8    // 1 + the operand whose type this one must have; 0 for none
	Elem bool    // must be the value type of the object's element (a vector of it for vector ops)
	Role Role
}

// Role says what an operand is for, where that decides how a mistake is reported or
// how far a constant is looked at.
type Role uint8

// The roles.
const (
	RoleValue   Role = iota
	RoleCond         // condition or predicate, a bool
	RoleIndex        // index of an access, any integer
	RoleCount        // rotate count, lane or distance, a u32
	RoleShift        // shift count, a u32; saturates at the width
	RoleDivisor      // defined when 0, but hardly meant
	RoleArm          // second arm of a select
)

// Kinds is a set of kinds of object.
type Kinds uint8

// The kinds of object.
const (
	OnBuffer Kinds = 1 << iota
	OnShared
	OnLocal
	OnTable
)

// Spread says how uniform an op's result is.
type Spread uint8

// The ways in which a result's level is found.
const (
	SpreadOperands Spread = iota // that of the most varying operand
	SpreadGrid                   // grid, whatever the operands
	SpreadFirst                  // first groups, if the op is about as many as the level
	SpreadGroup
	SpreadWarp
	SpreadLane
	SpreadLocal  // a local id: depends on axis and workgroup size
	SpreadGlobal // a global id: likewise, at least group
	SpreadSource // warp if operand B, the source lane, is at most that, else lane
	SpreadLoad   // a plain load: depends on the object and on what is written to it
	SpreadMerge  // a value carried, yielded or broken out with: depends on all that feed it
)

// Result is the rule for the type of the value defined.
type Result struct {
	Kind ResultKind
	Type Type // of ResultFixed
	From int  // operand of ResultSame and ResultUnsigned
}

// ResultKind is the way a result's type is found.
type ResultKind uint8

// The result rules.
const (
	ResultNone     ResultKind = iota // no value
	ResultFixed                      // always Result.Type
	ResultSame                       // the type of operand Result.From
	ResultUnsigned                   // its unsigned counterpart
	ResultWide                       // i32 → i64, u32 → u64
	ResultElem                       // the value type of the object's element, or a vector of it
	ResultStated                     // stands in the Type column: const, cvt, bitcast, arg, res
	ResultLen                        // u32, or u64 for a buffer of MaxLen ≥ 2³²
	ResultVec                        // vector of the listed operands
	ResultLane                       // one lane of the vector operand
)

// Imm says what column X holds.
type Imm uint8

// The kinds of immediate.
const (
	ImmNone   Imm = iota
	ImmPool       // index into Pool
	ImmAxis       // 0, 1 or 2
	ImmObject     // object number
	ImmRegion     // the op's first region
	ImmIndex      // argument or result number
	ImmLabel      // row of the labelled op
	ImmCode       // free number: trap code, trace tag, number of groups
	ImmField      // bit field: pos | len<<8
	ImmLane       // lane of a vector
	ImmCopy       // two object numbers: see CopyObjects
)

// Attr is a set of properties of an op.
type Attr uint32

// The properties; the letters are those of the op tables in the documentation.
const (
	Pure        Attr = 1 << iota // P: may run speculatively, result depends on operands only
	Commutative                  // C
	Convergent                   // V: all invocations of Level reach it together
	Reads                        // R: reads memory
	Writes                       // W: writes memory
	Terminator                   // T: ends a region
	Structured                   // S: owns regions
	Expanded                     // E: has a recipe
	Approximate                  // A: result within a tolerance
	Unordered                    // U: result depends on scheduling
	Atomic                       // has order and scope, reads or writes one element
	Fence                        // no access passes it; it has order and scope, but for copies
	Hinted                       // takes a cache hint and the in-bounds flag
	Barrier                      // waits for its Level
	Traps                        // may end the launch with an error
	Repeats                      // its region repeats: it takes an unroll hint, and continue may name it
)

// Level is a level of uniformity, and of control: grid < first < group < warp < lane.
type Level uint8

// The levels; a value of a level is equal in all invocations of one instance of it. The first groups are those that the
// program's barriers of first groups wait for, the most of them if these have different numbers: a value of that level
// is equal in all of these, and in each other group.
const (
	LevelGrid Level = iota
	LevelFirst
	LevelGroup
	LevelWarp
	LevelLane
)

func (l Level) String() string {
	return [...]string{"grid", "first", "workgroup", "warp", "lane"}[min(l, LevelLane)]
}

// ResultType returns the type of a pure op's result for operand types in, or None
// if the rule needs more than those.
func (in *Info) ResultType(ops ...Type) Type {
	r := in.Result
	switch r.Kind {
	case ResultFixed:
		return r.Type
	case ResultSame, ResultUnsigned, ResultWide, ResultLane:
		if r.From >= len(ops) {
			return None
		}
		t := ops[r.From]
		switch r.Kind {
		case ResultUnsigned:
			return t.Unsigned()
		case ResultWide:
			return wideOf(t)
		case ResultLane:
			return t.Elem()
		}
		return t
	case ResultVec:
		if len(ops) == 2 {
			return ops[0] | V2
		}
		if len(ops) == 4 {
			return ops[0] | V4
		}
	}
	return None
}

func wideOf(t Type) Type {
	switch t {
	case I32:
		return I64
	case U32:
		return U64
	}
	return None
}
