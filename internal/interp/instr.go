package interp

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// lanes holds one value of a warp.
type lanes = exact.Lanes

// kind says how the engine runs an instruction. Pure ops have kinds by arity, not by
// meaning: the meaning is the evaluation function of the op table.
type kind uint8

const (
	// Ends of regions. They stand for no row and cost nothing.
	doElse kind = iota
	doEndIf
	doEndLoop
	doEndBlock
	doHalt

	// Control.
	doIf     // lanes that do not take the branch wait at the end
	doIfElse // lanes that do not take the branch take the other
	doLoop
	doBlock
	doYield
	doBreak
	doContinue
	doReturn
	doUnreachable

	// Pure ops by operand count, through their evaluation function.
	doPure1
	doPure2
	doPure3
	doPureUniform // computed once for the warp
	doMoves       // vec and elem

	// What an invocation knows about itself.
	doLocal
	doGroup
	doGlobal
	doLane
	doWarp
	doClock
	doTimer

	// Memory.
	doLoad
	doStore
	doLoadVec
	doStoreVec
	doPrefetch
	doPause
	doAtomic
	doFence
	doCopy
	doCopyCommit
	doCopyWait

	// Barriers and subgroup ops.
	doBarrierWarp
	doBarrierGroup
	doBarrierFirst
	doBarrierGrid
	doSubgroup
	doMulAdd

	// Debug.
	doTrap
	doTrace
)

// move copies a slot; the moves of one instruction run in order.
type move struct{ dst, src int32 }

// instr is a decoded row, or the end of a region. Operands are slots of the warp, or,
// when negative, the complement of an index into the launch's bank of values that are
// equal for the whole grid.
type instr struct {
	kind    kind
	cost    uint8   // rows it stands for: 1, or 0 for the end of a region
	uniform bool    // value (of an if or trap: the condition) and control are uniform in the warp, so all lanes are live
	signed  bool    // the index has type i32 and needs its sign extended
	wide    bool    // the index has type i64
	vec     uint8   // elements of a memory access
	elem    ir.Type // element type of the object accessed
	t       exact.Types
	op      ir.Op
	flags   ir.Flags
	row     ir.Row
	x       uint32 // axis, object, code or immediate
	depth   int32  // frame of the structured op that this opens, closes or leaves to
	to      int32  // if: the other arm or the end; else: the end; end of loop: its first instruction
	exit    int32  // end of a region: where a warp goes that has no lane left here
	dst     int32
	a, b, c int32
	fn      exact.Func
	moves   []move
	list    []int32 // slots of the values traced
	part    *part   // of an access to a part of a buffer
	copy    *copying
}

// noSlot marks an operand or a result that is not there.
const noSlot int32 = -1 << 31

// inBank returns the operand that names entry i of the bank.
func inBank(i int) int32 { return ^int32(i) }
