package ptx

// opcode is an instruction without its types and modifiers.
type opcode uint8

const (
	opNone opcode = iota

	opMov
	opCvt
	opCvtRN  // to the nearest, ties to even
	opCvtRZI // to an integer, toward zero
	opCvtRMI // to an integer, down
	opCvtRPI // to an integer, up
	opCvtRNI // to the nearest integer, ties to even
	opCvtSat // clamped
	opSelp
	opSetp

	opAdd
	opSub
	opMulLo
	opMulHi
	opMulWide
	opMadLo
	opMadWide
	opDiv
	opRem
	opMin
	opMax
	opNeg
	opAbs
	opDp4a
	opAddCC
	opAddC
	opAddCCC
	opSubCC
	opSubC
	opSubCCC

	opAddRN
	opSubRN
	opMulRN
	opDivRN
	opRcpRN
	opFmaRN
	opSqrtRN
	opMinNaN
	opMaxNaN
	opCopysign

	opAnd
	opOr
	opXor
	opNot
	opShl
	opShr
	opShfL
	opShfR
	opPopc
	opClz
	opBrev
	opBfe
	opBfi
	opPrmt

	opDivFull
	opRcp
	opSqrtApprox
	opRsqrt
	opEx2
	opLg2
	opSin
	opCos
	opTanh

	opLd
	opSt
	opAtom
	opRed
	opPrefetch
	opPlace    // the address of an access: becomes a sum
	opToGlobal // generic to global address
	opFence

	opActiveMask
	opBarWarp
	opBarSync
	opBarCount
	opBallot
	opVoteAny
	opVoteAll
	opShflIdx
	opShflXor
	opShflUp
	opShflDown
	opMatch
	opReduxAdd
	opReduxMin
	opReduxMax
	opReduxAnd
	opReduxOr
	opReduxXor
	opNanosleep

	opMmaF16
	opMmaF16F16
	opMmaBF16
	opMmaTF32
	opMmaF64
	opMmaI8
	opMmaU8
	opMmaB1
	opMmaF16K8
	opMmaF16F16K8
	opMmaI8K16
	opMmaU8K16

	opLdMatrix2
	opLdMatrix4
	opLdMatrixT2 // turned
	opLdMatrixT4

	opCpAsync
	opCpAsync16
	opCpCommit
	opCpWait

	opBra
	opExit
	opLabel
	opNoUnroll // pragma at a loop's head: unrolling was decided before
	opCopy     // parallel copy

	numOpcodes
)

// opAttr says what the stages have to know of an opcode.
type opAttr uint8

const (
	pure       opAttr = 1 << iota // reads registers, writes registers, nothing else
	memory                        // loads, stores and atomics
	convergent                    // lanes wait for each other
	slow                          // many machine instructions
	control
)

var opInfo = [numOpcodes]struct {
	name string
	attr opAttr
}{
	opMov: {"mov", pure}, opCvt: {"cvt", pure}, opCvtRN: {"cvt.rn", pure}, opCvtRZI: {"cvt.rzi", pure},
	opCvtRMI: {"cvt.rmi", pure}, opCvtRPI: {"cvt.rpi", pure}, opCvtRNI: {"cvt.rni", pure}, opCvtSat: {"cvt.sat", pure},
	opSelp: {"selp", pure}, opSetp: {"setp", pure},

	opAdd: {"add", pure}, opSub: {"sub", pure}, opMulLo: {"mul.lo", pure}, opMulHi: {"mul.hi", pure},
	opMulWide: {"mul.wide", pure}, opMadLo: {"mad.lo", pure}, opMadWide: {"mad.wide", pure}, opDiv: {"div", pure | slow},
	opRem: {"rem", pure | slow}, opMin: {"min", pure}, opMax: {"max", pure}, opNeg: {"neg", pure}, opAbs: {"abs", pure},
	opDp4a: {"dp4a", pure},

	// With the carry flag they are no pure ones: what stands between them has to stay there.
	opAddCC: {"add.cc", 0}, opAddC: {"addc", 0}, opAddCCC: {"addc.cc", 0},
	opSubCC: {"sub.cc", 0}, opSubC: {"subc", 0}, opSubCCC: {"subc.cc", 0},

	opAddRN: {"add.rn", pure}, opSubRN: {"sub.rn", pure}, opMulRN: {"mul.rn", pure}, opDivRN: {"div.rn", pure | slow},
	opRcpRN: {"rcp.rn", pure | slow},
	opFmaRN: {"fma.rn", pure}, opSqrtRN: {"sqrt.rn", pure | slow}, opMinNaN: {"min.NaN", pure}, opMaxNaN: {"max.NaN", pure},
	opCopysign: {"copysign", pure},

	opAnd: {"and", pure}, opOr: {"or", pure}, opXor: {"xor", pure}, opNot: {"not", pure}, opShl: {"shl", pure},
	opShr: {"shr", pure}, opShfL: {"shf.l.wrap", pure}, opShfR: {"shf.r.wrap", pure}, opPopc: {"popc", pure},
	opClz: {"clz", pure}, opBrev: {"brev", pure}, opBfe: {"bfe", pure}, opBfi: {"bfi", pure}, opPrmt: {"prmt", pure},

	opDivFull: {"div.full", pure}, opRcp: {"rcp.approx", pure}, opSqrtApprox: {"sqrt.approx", pure},
	opRsqrt: {"rsqrt.approx", pure}, opEx2: {"ex2.approx", pure}, opLg2: {"lg2.approx", pure}, opSin: {"sin.approx", pure},
	opCos: {"cos.approx", pure}, opTanh: {"tanh.approx", pure},

	opLd: {"ld", memory}, opSt: {"st", memory}, opAtom: {"atom", memory}, opRed: {"red", memory},
	opPrefetch: {"prefetch", memory}, opToGlobal: {"cvta.to.global", pure}, opFence: {"fence", 0},

	opActiveMask: {"activemask", 0}, opBarWarp: {"bar.warp.sync", convergent}, opBarSync: {".sync", convergent}, opBarCount: {".red.popc", convergent},
	opBallot: {"vote.sync.ballot", convergent}, opVoteAny: {"vote.sync.any", convergent},
	opVoteAll: {"vote.sync.all", convergent}, opShflIdx: {"shfl.sync.idx", convergent}, opShflXor: {"shfl.sync.bfly", convergent},
	opShflUp: {"shfl.sync.up", convergent}, opShflDown: {"shfl.sync.down", convergent}, opMatch: {"match.any.sync", convergent},
	opReduxAdd: {"redux.sync.add", convergent}, opReduxMin: {"redux.sync.min", convergent},
	opReduxMax: {"redux.sync.max", convergent}, opReduxAnd: {"redux.sync.and", convergent},
	opReduxOr: {"redux.sync.or", convergent}, opReduxXor: {"redux.sync.xor", convergent}, opNanosleep: {"nanosleep", 0},

	opMmaF16:    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", convergent},
	opMmaF16F16: {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", convergent},
	opMmaBF16:   {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", convergent},
	opMmaTF32:   {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", convergent},
	opMmaF64:    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", convergent},
	opMmaI8:     {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", convergent},
	opMmaU8:     {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", convergent},
	opMmaB1:     {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", convergent},

	opMmaF16K8:    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", convergent},
	opMmaF16F16K8: {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", convergent},
	opMmaI8K16:    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", convergent},
	opMmaU8K16:    {"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", convergent},

	opLdMatrix2:  {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", convergent},
	opLdMatrix4:  {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", convergent},
	opLdMatrixT2: {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", convergent},
	opLdMatrixT4: {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", convergent},

	opCpAsync: {"cp.async.ca.shared.global", memory}, opCpAsync16: {"cp.async.cg.shared.global", memory},
	opCpCommit: {"cp.async.commit_group", 0}, opCpWait: {"cp.async.wait_group", 0},

	opBra: {"bra", control}, opExit: {"exit", control}, opLabel: {"", control}, opNoUnroll: {"", control}, opCopy: {"copy", control},
}

// has reports whether the opcode has an attribute.
func (o opcode) has(a opAttr) bool { return opInfo[o].attr&a != 0 }
