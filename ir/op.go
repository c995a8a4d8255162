package ir

// Op is an opcode. The numbers are part of the wire form; one that was released is
// never used for anything else.
type Op uint16

// Builtins.
const (
	OpConst Op = 0x001 + iota
	OpLocal
	OpGroup
	OpGroups
	OpGlobal
	OpLane
	OpWarp
	OpLen
	OpClock
	OpTimer
)

// Arithmetic on integers; add, sub, mul, div, min, max, neg and abs take floats too.
const (
	OpAdd Op = 0x040 + iota
	OpSub
	OpMul
	OpMulHi
	OpMulWide
	OpDiv
	OpRem
	OpMin
	OpMax
	OpNeg
	OpAbs
	OpAbsDiff
	OpAddSat
	OpSubSat
	OpMulSat
	OpDp4a
	OpCarry
	OpBorrow
)

// Bits.
const (
	OpAnd Op = 0x080 + iota
	OpOr
	OpXor
	OpNot
	OpShl
	OpShr
	OpRotl
	OpRotr
	OpPopc
	OpClz
	OpCtz
	OpBrev
	OpBfe
	OpBfi
	OpPrmt
)

// Floats only.
const (
	OpFma Op = 0x0C0 + iota
	OpCopysign
	OpMinp
	OpMaxp
	OpSqrt
	OpFloor
	OpCeil
	OpTrunc
	OpRint
)

// Accurate functions, each expanded from a recipe.
const (
	OpRsqrt Op = 0x100 + iota
	OpExp
	OpExp2
	OpExpm1
	OpLog
	OpLog2
	OpLog10
	OpLog1p
	OpPow
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpAtan2
	OpSinh
	OpCosh
	OpTanh
	OpCbrt
	OpHypot
	OpErf
)

// Approximate functions, f32 only.
const (
	OpFastDiv Op = 0x140 + iota
	OpFastRcp
	OpFastSqrt
	OpFastRsqrt
	OpFastExp2
	OpFastLog2
	OpFastSin
	OpFastCos
	OpFastTanh
)

// Compare and select.
const (
	OpEq Op = 0x180 + iota
	OpNe
	OpLt
	OpLe
	OpSelect
)

// Convert.
const (
	OpCvt Op = 0x1A0 + iota
	OpBitcast
)

// Memory.
const (
	OpLoad Op = 0x1C0 + iota
	OpStore
	OpLoadV2
	OpLoadV4
	OpStoreV2
	OpStoreV4
	OpVec
	OpElem
	OpPrefetch
)

// OpCopyAsync4 is the first of the asynchronous copies to shared memory: of 4, 8 and 16 bytes. A batch is those in front of
// a commit.
const (
	OpCopyAsync4 Op = OpPrefetch + 1 + iota
	opCopyAsync8
	opCopyAsync16
	OpCopyCommit
	OpCopyWait
)

// MakeCopy packs the objects of an asynchronous copy, for column X.
func MakeCopy(dst, src Object) uint32 { return uint32(dst)&0xFFFF | uint32(src)<<16 }

// CopyObjects unpacks them.
func CopyObjects(x uint32) (dst, src Object) { return Object(x & 0xFFFF), Object(x >> 16) }

// Atomics.
const (
	OpAtomicLoad Op = 0x1E0 + iota
	OpAtomicStore
	OpAtomicAdd
	OpAtomicSub
	OpAtomicMin
	OpAtomicMax
	OpAtomicAnd
	OpAtomicOr
	OpAtomicXor
	OpAtomicExch
	OpAtomicCas
	OpLoadStale
)

// Barriers and fences.
const (
	OpBarrierWarp Op = 0x220 + iota
	OpBarrierWG
	OpBarrierGrid
	OpBarrierAnyWG
	OpBarrierAnyGrid
	OpBarrierAllWG
	OpBarrierAllGrid
	OpBarrierAddWG
	OpBarrierAddGrid
	OpBarrierBcastWG
	OpBarrierBcastGrid
	OpFence
	OpPause
	OpResident
	OpBarrierFirst
	OpBarrierAddFirst
)

// Subgroup. Reduce, Scan and ScanEx each come in seven kinds in the order
// add, mul, min, max, and, or, xor.
const (
	OpBallot Op = 0x240 + iota
	OpAny
	OpAll
	OpElect
	OpShuffle
	OpShuffleXor
	OpShuffleUp
	OpShuffleDown
	OpMatch
	OpReduceAdd
	OpReduceMul
	OpReduceMin
	OpReduceMax
	OpReduceAnd
	OpReduceOr
	OpReduceXor
	OpScanAdd
	OpScanMul
	OpScanMin
	OpScanMax
	OpScanAnd
	OpScanOr
	OpScanXor
	OpScanExAdd
	OpScanExMul
	OpScanExMin
	OpScanExMax
	OpScanExAnd
	OpScanExOr
	OpScanExXor
)

// Control.
const (
	OpIf Op = 0x280 + iota
	OpLoop
	OpBlock
	OpArg
	OpRes
	OpYield
	OpBreak
	OpContinue
	OpReturn
	OpUnreachable
)

// Debug.
const (
	OpTrap Op = 0x2A0 + iota
	OpTrace
)

// OpMma is the first of the matrix products, one for each form in the order of the forms of package matrix.
const OpMma Op = 0x300

const (
	opMmaF16 = OpMma + iota
	opMmaF16F16
	opMmaBF16
	opMmaTF32
	opMmaF64
	opMmaI8
	opMmaU8
	opMmaB1
)

// numOps bounds the opcodes that have rows; what lies above is reserved, and no op.
const numOps = 0x308

// Info returns the op's row of the table; nil for an opcode that is unknown or not enabled.
func (op Op) Info() *Info {
	if op < numOps {
		return table[op]
	}
	return nil
}

// String returns the op's name, without types.
func (op Op) String() string {
	if in := op.Info(); in != nil {
		return in.Name
	}
	return "op?"
}

// OpByName returns the op with the given table name, such as "add" or "reduce.min".
func OpByName(name string) (Op, bool) {
	op, ok := opByName[name]
	return op, ok
}

// Ops returns every enabled op in ascending order.
func Ops() []Op {
	var ops []Op
	for op := range Op(numOps) {
		if table[op] != nil {
			ops = append(ops, op)
		}
	}
	return ops
}

// Order is the memory order of an atomic or a fence.
type Order uint8

// The memory orders, weakest first; acquire and release are not comparable.
const (
	Relaxed Order = iota
	Acquire
	Release
	AcqRel
	SeqCst
)

var orderNames = [...]string{"relaxed", "acquire", "release", "acqrel", "seqcst"}

func (o Order) String() string {
	if int(o) < len(orderNames) {
		return orderNames[o]
	}
	return "order?"
}

// Acquires reports whether the order has acquire semantics.
func (o Order) Acquires() bool { return o == Acquire || o == AcqRel || o == SeqCst }

// Releases reports whether the order has release semantics.
func (o Order) Releases() bool { return o == Release || o == AcqRel || o == SeqCst }

// Scope says which invocations an order, a barrier or a convergent op is about.
type Scope uint8

// The memory scopes of atomics and fences.
const (
	Group  Scope = iota // wg: the workgroup
	Device              // dev: every invocation on the device
	System              // sys: the host and other devices too
)

var scopeNames = [...]string{"wg", "dev", "sys"}

func (s Scope) String() string {
	if int(s) < len(scopeNames) {
		return scopeNames[s]
	}
	return "scope?"
}

// Hint advises the cache about a load or a store; it changes no result.
type Hint uint8

// The cache hints.
const (
	NoHint Hint = iota
	Stream
	Keep
	L2
)

var hintNames = [...]string{"", "stream", "keep", "l2"}

func (h Hint) String() string { return hintNames[h&3] }

// Flags is the flag column: bits 0–2 order, 3–4 scope, 5–6 hint, 7 in-bounds, 8–15 unroll, 16 checked.
type Flags uint32

// InBounds marks an access that the range pass proved in bounds. Only an optimised
// program has it; no input can assert it.
const InBounds Flags = 1 << 7

// Checked is for the search for mistakes, and changes no result. A load or store with it may be out of bounds: the source
// calls gpu.At or gpu.Put. A trace with it is a check of another access, by package memcheck: its tag is the number of that
// access, devices keep it apart from the program's own traces, and no input can assert it.
const Checked Flags = 1 << 16

// MakeFlags packs an order and a scope.
func MakeFlags(o Order, s Scope) Flags { return Flags(o) | Flags(s)<<3 }

// WithHint returns f with the cache hint h.
func (f Flags) WithHint(h Hint) Flags { return f&^(3<<5) | Flags(h)<<5 }

// WithUnroll returns f with the unroll hint n, at most 255.
func (f Flags) WithUnroll(n int) Flags { return f&^(0xFF<<8) | Flags(n&0xFF)<<8 }

// Order returns the memory order.
func (f Flags) Order() Order { return Order(f & 7) }

// Scope returns the memory scope.
func (f Flags) Scope() Scope { return Scope(f >> 3 & 3) }

// Hint returns the cache hint.
func (f Flags) Hint() Hint { return Hint(f >> 5 & 3) }

// InBounds reports whether the access is proven in bounds.
func (f Flags) InBounds() bool { return f&InBounds != 0 }

// Checked reports whether an access may be out of bounds, or a trace says that one is.
func (f Flags) Checked() bool { return f&Checked != 0 }

// Unroll returns the unroll hint of a loop, 0 for none.
func (f Flags) Unroll() int { return int(f >> 8 & 0xFF) }
