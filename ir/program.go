package ir

import "github.com/govyre/vyre/ir/internal/inner"

// Program is a sealed kernel: canonical, verified, immutable, identified by its
// digest, and safe to share between goroutines. Slices that its methods return belong
// to it and must not be written.
type Program struct {
	code   Code
	digest [32]byte
	objs   []ObjectInfo
	uni    *Uniformity
	traits Traits
}

// NewProgram makes a program of canonical, verified code with the given digest and uniformity; deterministic says that it
// was proven so. c belongs to it afterwards. Package verify calls it; a program of anybody else's would promise what nobody checked.
func NewProgram(_ inner.Key, c *Code, digest [32]byte, uni *Uniformity, deterministic bool) *Program {
	p := &Program{code: *c, digest: digest, uni: uni}
	p.objs = p.code.Objects()
	p.traits = traits(&p.code, p.objs)
	p.traits.Deterministic = deterministic && p.traits.Class <= ClassGeneration
	return p
}

// Code returns the program's own columns, which must not be written: what prints, encodes or judges a
// program reads them. For everybody else there are the accessors, and Edit.
func (p *Program) Code(inner.Key) *Code { return &p.code }

// Traits is what a sealed program knows about itself, found once.
type Traits struct {
	Class        Class
	Resident     bool // launches cooperatively: all groups run at once
	GridBarrier  bool // has a barrier of the grid or of its first groups, and is resident for that
	MayTrap      bool
	Traces       bool
	Checks       uint32 // 1 + the largest tag of a trace that is Checked; 0 without one
	Ordered      bool   // has an atomic or fence stronger than relaxed
	Generational bool   // has products of float matrices, whatever its class is
	SharedRest   bool   // its last shared array takes its length from the launch

	// Deterministic says that a launch along x of at most 2³¹ invocations is proven to leave the same bytes in its buffers
	// however it is scheduled. It is exact, on devices of one generation, and without traces. Two invocations come to a cell that one of them writes only with a
	// barrier in between, or by integer atomics of one commutative op whose results nothing uses. Arrays are read only
	// where they were written. A program that is not proven may still be deterministic.
	Deterministic bool
}

// Class says how far a program's results are the same on every device.
type Class uint8

// The exactness classes.
const (
	ClassExact       Class = iota // same bits, if race-free and independent of the order of contended atomics
	ClassGeneration               // has a float matrix product: exact among devices of one generation of matrix units
	ClassUnordered                // has float atomic add, clock or trace: results may depend on the schedule
	ClassApproximate              // has a fast_ op: results within that op's tolerance
)

func (c Class) String() string {
	return [...]string{"exact", "generation", "unordered", "approximate"}[c]
}

// Name returns the kernel's name.
func (p *Program) Name() string { return p.code.Name }

// Workgroup returns the workgroup's size along x, y and z.
func (p *Program) Workgroup() [3]uint32 { return p.code.Workgroup }

// GroupSize returns the number of invocations of a workgroup.
func (p *Program) GroupSize() int {
	w := p.code.Workgroup
	return int(w[0] * w[1] * w[2])
}

// Digest returns the content hash: equal structure, equal digest, whatever the names.
func (p *Program) Digest() [32]byte { return p.digest }

// Traits returns what the program needs and promises.
func (p *Program) Traits() Traits { return p.traits }

// Params returns the parameters in order.
func (p *Program) Params() []Param { return p.code.Params }

// Arrays returns the shared and local arrays in order.
func (p *Program) Arrays() []Array { return p.code.Arrays }

// Objects lists buffers, then arrays, in the order of their numbers.
func (p *Program) Objects() []ObjectInfo { return p.objs }

// Regions returns the region table; region 0 is the body.
func (p *Program) Regions() []Region { return p.code.Regions }

// Rows returns the number of rows.
func (p *Program) Rows() int { return len(p.code.Op) }

// Op returns the opcode of row r.
func (p *Program) Op(r Row) Op { return p.code.Op[r] }

// Type returns the type of the value that row r defines, None without one.
func (p *Program) Type(r Row) Type { return p.code.Type[r] }

// Flags returns the flag column of row r.
func (p *Program) Flags(r Row) Flags { return p.code.Flags[r] }

// Region returns the region that row r belongs to.
func (p *Program) Region(r Row) uint32 { return p.code.Region[r] }

// A, B and C return the operands of row r, NoRow where absent.
func (p *Program) A(r Row) Row { return p.code.A[r] }

// B returns the second operand of row r.
func (p *Program) B(r Row) Row { return p.code.B[r] }

// C returns the third operand of row r.
func (p *Program) C(r Row) Row { return p.code.C[r] }

// X returns the immediate of row r; the op table says what it means.
func (p *Program) X(r Row) uint32 { return p.code.X[r] }

// List returns the variable operands of row r as row ids.
func (p *Program) List(r Row) []uint32 { return p.code.List(r) }

// Const returns the raw bits of the const row r.
func (p *Program) Const(r Row) uint64 { return p.code.Pool[p.code.X[r]] }

// Pos returns the source position of row r; the zero Pos if unknown.
func (p *Program) Pos(r Row) Pos { return p.code.Debug.Pos(r) }

// ValueName returns the name given to row r, or "".
func (p *Program) ValueName(r Row) string { return p.code.Debug.Names[r] }

// Message returns the message of a trap or trace row, or "".
func (p *Program) Message(r Row) string { return p.code.Debug.Messages[r] }

// Uniformity returns the levels of values and control that the verifier found.
func (p *Program) Uniformity() *Uniformity { return p.uni }

// Edit returns an unsealed copy, for a pass.
func (p *Program) Edit() *Code { return p.code.Clone() }

// voteBytes is the room that voting barriers share in every group: two cells of 8 bytes for
// votes and two for broadcasts, used alternately.
const voteBytes = 32

// SharedBytes returns the shared memory that a group needs, without the array whose
// length comes with the launch: the arrays in order, each at a multiple of 16 bytes, then
// the hidden cells of voting barriers.
func (p *Program) SharedBytes() uint64 {
	sum := uint64(0)
	for i := range p.code.Arrays {
		if a := &p.code.Arrays[i]; a.Shared && a.Len != RestLen {
			sum = a.AddBytes(align16(sum))
		}
	}
	for _, op := range p.code.Op {
		if in := table[op]; in.Attr&Barrier != 0 && in.Result.Kind != ResultNone {
			return align16(sum) + voteBytes
		}
	}
	return sum
}

// align16 is the next multiple of 16. The largest stands for all that are larger.
func align16(n uint64) uint64 { return (min(n, 1<<64-64) + 15) &^ 15 }
