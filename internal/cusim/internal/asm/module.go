package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// Module is the content of one PTX text.
type Module struct {
	Version Version
	SM      int    // of the target: 90 for sm_90 and sm_90a
	Target  string // as written
	Files   map[int]string
	Vars    []*Var
	Kernels []*Kernel
}

// Kernel returns the entry of that name, nil if there is none.
func (m *Module) Kernel(name string) *Kernel {
	for _, k := range m.Kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Version is a version of PTX.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

func (v Version) less(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// Kernel is one entry.
type Kernel struct {
	Name       string
	Line       int
	Params     []*Var // Offset is set
	ParamBytes int
	// Required is the block size that .reqntid demands, Most the most threads that .maxntid allows;
	// zero without.
	Required [3]uint32
	Most     uint64
	// MaxRegisters is the bound that .maxnreg sets to the registers of a thread; zero without.
	MaxRegisters int
	Regs         []RegInfo
	Vars         []*Var
	Code         []Inst

	function         bool // not an entry
	defined          bool // a function that has a body
	returns, formals []formal
}

// formal is a parameter of a function: a variable, or a register if v is nil.
type formal struct {
	v   *Var
	reg Reg
	typ Type
}

// RegInfo is a declared register. Of those declared together as name<n>, each has its number.
type RegInfo struct {
	stem   string
	number int32 // −1 for one declared alone
	Type   Type
}

// Name is the register's name.
func (r RegInfo) Name() string {
	if r.number < 0 {
		return r.stem
	}
	return r.stem + strconv.Itoa(int(r.number))
}

// Var is a variable or parameter.
type Var struct {
	Name   string
	Line   int
	Space  Space
	Type   Type
	Align  int
	Bytes  int    // of all elements; 0 for an extern array without a length
	Init   []byte // may be shorter than Bytes: the rest is zero; nil if nothing is said
	Extern bool
	Offset int // of a parameter
	// Passed marks what is passed to or from a function. It lies in local memory.
	Passed bool
}

// Space is a state space.
type Space uint8

// The state spaces. Generic addresses may point to any but parameters.
const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	Param
)

var spaceNames = map[string]Space{"global": Global, "shared": Shared, "shared::cta": Shared, "local": Local, "const": Const, "param": Param}

func (s Space) String() string {
	return [...]string{"generic", "global", "shared", "local", "const", "param"}[s]
}

// Reg indexes a kernel's registers.
type Reg int32

// NoReg stands where there is no register.
const NoReg Reg = -1

// Inst is one instruction.
type Inst struct {
	Line  int
	Guard Reg  // a predicate, or NoReg
	Not   bool // the instruction runs where the guard is false
	Op    string
	Mods  []string // all modifiers but types, in order
	Type  Type     // the first type; None for instructions without
	From  Type     // the second
	Args  []Operand
	Call  *Call // of call
}

// Call is what a call names. Those of functions in the module have been replaced by their code; what is
// left are those that the driver has, with one register for each argument.
type Call struct {
	Name          string
	returns, args []Operand
}

// Has reports whether the instruction has a modifier.
func (in *Inst) Has(mod string) bool {
	for _, m := range in.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// One returns the modifier among those given that the instruction has, "" without.
func (in *Inst) One(mods ...string) string {
	for _, m := range mods {
		if in.Has(m) {
			return m
		}
	}
	return ""
}

// Space is the state space that the instruction names.
func (in *Inst) Space() Space {
	for _, m := range in.Mods {
		if s, ok := spaceNames[m]; ok {
			return s
		}
	}
	return Generic
}

// Vec is how many elements an access moves.
func (in *Inst) Vec() int {
	switch in.One("v2", "v4", "v8") {
	case "v2":
		return 2
	case "v4":
		return 4
	case "v8":
		return 8
	}
	return 1
}

// String is the instruction without operands, as written.
func (in *Inst) String() string {
	var b strings.Builder
	b.WriteString(in.Op)
	for _, m := range in.Mods {
		b.WriteByte('.')
		b.WriteString(m)
	}
	for _, t := range [...]Type{in.Type, in.From} {
		if t != None {
			b.WriteByte('.')
			b.WriteString(t.String())
		}
	}
	return b.String()
}

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	IsNothing OperandKind = iota // an optional operand left out
	IsReg
	IsImm
	IsSpecial
	IsSymbol  // the address of a variable
	IsVec     // operands in braces
	IsAddress // [base+offset]
	IsLabel
	IsSink  // _
	IsTable // labels
)

// Operand is one operand.
type Operand struct {
	Kind    OperandKind
	Reg     Reg    // of IsReg; the base of IsAddress, NoReg with a symbol or an absolute address
	Second  Reg    // the predicate after a bar, or NoReg
	Not     bool   // a predicate is negated
	Bits    uint64 // an immediate's bits, by the operand's type; an address's or symbol's offset; a label's instruction
	Var     *Var   // of IsSymbol; of an IsAddress without a register
	Special Special
	Vec     []Operand // also of a table
}

// writes tells which instructions write their first operand.
var writes = func() map[string]bool {
	m := map[string]bool{}
	for _, f := range forms {
		for op := range strings.FieldsSeq(f.ops) {
			m[op] = strings.HasPrefix(f.args, "=")
		}
	}
	return m
}()

// Registers calls yield for every register of the instruction, the guard included, and whether it is written.
func (in *Inst) Registers(yield func(r Reg, written bool)) {
	if in.Guard != NoReg {
		yield(in.Guard, false)
	}
	var visit func(o *Operand, written bool)
	visit = func(o *Operand, written bool) {
		switch o.Kind {
		case IsReg:
			yield(o.Reg, written)
			if o.Second != NoReg {
				yield(o.Second, written)
			}
		case IsAddress:
			if o.Reg != NoReg {
				yield(o.Reg, false)
			}
		case IsVec:
			for i := range o.Vec {
				visit(&o.Vec[i], written)
			}
		}
	}
	for i := range in.Args {
		visit(&in.Args[i], i == 0 && writes[in.Op])
	}
	if in.Call != nil {
		for i := range in.Call.returns {
			visit(&in.Call.returns[i], true)
		}
		for i := range in.Call.args {
			visit(&in.Call.args[i], false)
		}
	}
}
