package ir

// Shorthand in which the table is written.
var (
	u32In  = Operand{Set: setU32}
	boolIn = Operand{Set: setBool, Role: RoleCond}
	idxIn  = Operand{Set: setI, Role: RoleIndex}
	cntIn  = Operand{Set: setU32, Role: RoleCount}
	same0  = Operand{Same: 1}
	elemIn = Operand{Elem: true}

	resNone = Result{}
	resSame = Result{Kind: ResultSame}
	resU32  = Result{Kind: ResultFixed, Type: U32}
	resBool = Result{Kind: ResultFixed, Type: Bool}
	resElem = Result{Kind: ResultElem}
)

const (
	ordAll   = 1<<Relaxed | 1<<Acquire | 1<<Release | 1<<AcqRel | 1<<SeqCst
	ordLoad  = 1<<Relaxed | 1<<Acquire | 1<<SeqCst
	ordStore = 1<<Relaxed | 1<<Release | 1<<SeqCst
	ordFence = 1<<AcqRel | 1<<SeqCst
)

// set is the rule of an operand with the types s.
func set(s TypeSet) Operand { return Operand{Set: s} }

// un, bin and tern are rows of ops whose operands and result share one type.
func un(name string, s TypeSet) *Info {
	return &Info{Name: name, Args: 1, In: [3]Operand{set(s)}, Result: resSame, Typed: 1, Attr: Pure}
}

func bin(name string, s TypeSet, attr Attr) *Info {
	return &Info{Name: name, Args: 2, In: [3]Operand{set(s), same0}, Result: resSame, Typed: 1, Attr: Pure | attr}
}

func tern(name string, s TypeSet) *Info {
	return &Info{Name: name, Args: 3, In: [3]Operand{set(s), same0, same0}, Result: resSame, Typed: 1, Attr: Pure}
}

// shift is a row of an op whose second operand is a u32 count in the given role.
func shift(name string, count Role) *Info {
	return &Info{Name: name, Args: 2, In: [3]Operand{set(setI), {Set: setU32, Role: count}}, Result: resSame,
		Typed: 1, Attr: Pure}
}

// divide is a row of an op whose second operand is a divisor.
func divide(name string, s TypeSet) *Info {
	in := bin(name, s, 0)
	in.In[1].Role = RoleDivisor
	return in
}

// count is a row of an integer op with a u32 result.
func count(name string) *Info {
	return &Info{Name: name, Args: 1, In: [3]Operand{set(setI)}, Result: resU32, Typed: 1, Attr: Pure}
}

func cmp(name string, s TypeSet, attr Attr) *Info {
	return &Info{Name: name, Args: 2, In: [3]Operand{set(s), same0}, Result: resBool, Typed: 1, Attr: Pure | attr}
}

// recipe1 and recipe2 are rows of accurate functions.
func recipe1(name string) *Info {
	in := un(name, setF)
	in.Attr |= Expanded
	return in
}

func recipe2(name string) *Info {
	in := bin(name, setF, Expanded)
	return in
}

// fast is a row of an approximate op.
func fast(name string, args int) *Info {
	in := un(name, setF32)
	in.Attr |= Approximate
	if args == 2 {
		in.Args, in.In[1] = 2, same0
	}
	return in
}

func builtin(name string, imm Imm, spread Spread) *Info {
	return &Info{Name: name, Result: resU32, Imm: imm, Attr: Pure, Spread: spread}
}

// rmw is a row of an atomic read-modify-write.
func rmw(name string, elems TypeSet) *Info {
	return &Info{Name: name, Args: 2, In: [3]Operand{idxIn, elemIn}, Result: resElem, Imm: ImmObject,
		Attr: Reads | Writes | Atomic, Orders: ordAll, Elems: elems, On: OnBuffer | OnShared, Spread: SpreadLane}
}

func barrier(name string, level Level, in TypeSet, res Result) *Info {
	i := &Info{Name: name, Result: res, Attr: Convergent | Barrier | Reads | Writes, Level: level}
	if res.Kind != ResultNone {
		i.Spread = SpreadGrid + Spread(level)
	}
	if in != 0 {
		i.Args, i.In[0] = 1, set(in)
		if in == setBool {
			i.In[0] = boolIn
		}
		if in.One() == None {
			i.Typed = 1
		}
	}
	return i
}

// sumBarrier is a row of a barrier that adds. Its name has no type: what it adds has.
func sumBarrier(name string, level Level) *Info {
	i := barrier(name, level, setU32|1<<U64, resSame)
	i.Typed = 0
	return i
}

// firstBarrier is b as a barrier of so many groups as its immediate says.
func firstBarrier(b *Info) *Info {
	b.Imm = ImmCode
	return b
}

func subgroup(name string, s TypeSet, res Result, spread Spread) *Info {
	in := &Info{Name: name, Args: 1, In: [3]Operand{set(s)}, Result: res, Attr: Pure | Convergent, Level: LevelWarp, Spread: spread}
	if s == setBool {
		in.In[0] = boolIn
	}
	if s.One() == None {
		in.Typed = 1
	}
	return in
}

func shuffle(name string, spread Spread) *Info {
	in := subgroup(name, setValue, resSame, spread)
	in.Args, in.In[1] = 2, cntIn
	return in
}

// mma is a row of a matrix product: the lanes of a warp hold A, B and C.
func mma(name string, a, b, c Type) *Info {
	return &Info{Name: "mma." + name, Args: 3, In: [3]Operand{{Type: a}, {Type: b}, {Type: c}}, Result: Result{Kind: ResultFixed, Type: c},
		Attr: Pure | Convergent, Level: LevelWarp, Spread: SpreadLane}
}

// copyAsync is a row of an asynchronous copy. Like its batch and the wait for it, it has the attribute of a fence, without an order: what
// it touches changes until the wait, and nothing passes one of them.
func copyAsync(bytes string) *Info {
	return &Info{Name: "copy_async." + bytes, Args: 2, In: [3]Operand{idxIn, idxIn}, Imm: ImmCopy, Attr: Fence | Reads | Writes}
}

func control(name string, attr Attr, imm Imm) *Info {
	return &Info{Name: name, Attr: attr, Imm: imm}
}

// table is the op table, nil for opcodes that are not enabled. Every pass asks for a row at every row of a program.
var table = [numOps]*Info{
	OpConst:  {Name: "const", Result: Result{Kind: ResultStated}, Imm: ImmPool, Attr: Pure},
	OpLocal:  builtin("local", ImmAxis, SpreadLocal),
	OpGroup:  builtin("group", ImmAxis, SpreadGroup),
	OpGroups: builtin("groups", ImmAxis, SpreadGrid),
	OpGlobal: builtin("global", ImmAxis, SpreadGlobal),
	OpLane:   builtin("lane", ImmNone, SpreadLane),
	OpWarp:   builtin("warp", ImmNone, SpreadWarp),
	OpLen:    {Name: "len", Result: Result{Kind: ResultLen}, Imm: ImmObject, Attr: Pure, Spread: SpreadGrid},
	OpClock:  {Name: "clock", Result: Result{Kind: ResultFixed, Type: U64}, Attr: Unordered, Spread: SpreadLane},
	OpTimer:  {Name: "timer", Result: Result{Kind: ResultFixed, Type: U64}, Attr: Unordered, Spread: SpreadLane},

	OpAdd:   bin("add", setNH, Commutative),
	OpSub:   bin("sub", setNH, 0),
	OpMul:   bin("mul", setNH, Commutative),
	OpMulHi: bin("mulhi", setI, Commutative),
	OpMulWide: {Name: "mulwide", Args: 2, In: [3]Operand{set(1<<I32 | 1<<U32), same0}, Result: Result{Kind: ResultWide},
		Typed: 1, Attr: Pure | Commutative},
	OpDiv: divide("div", setNH),
	OpRem: divide("rem", setI),
	OpMin: bin("min", setNH, Commutative),
	OpMax: bin("max", setNH, Commutative),
	OpNeg: un("neg", setNH),
	OpAbs: un("abs", setF|setH|1<<I32|1<<I64),
	OpAbsDiff: {Name: "absdiff", Args: 2, In: [3]Operand{set(setI), same0}, Result: Result{Kind: ResultUnsigned},
		Typed: 1, Attr: Pure | Commutative},
	OpAddSat: bin("addsat", setI, Commutative),
	OpSubSat: bin("subsat", setI, 0),
	OpMulSat: bin("mulsat", setI, Commutative),
	OpDp4a:   tern("dp4a", 1<<I32|1<<U32),
	OpCarry:  tern("carry", 1<<U32|1<<U64),
	OpBorrow: tern("borrow", 1<<U32|1<<U64),

	OpAnd:  bin("and", setI|setBool, Commutative),
	OpOr:   bin("or", setI|setBool, Commutative),
	OpXor:  bin("xor", setI|setBool, Commutative),
	OpNot:  un("not", setI|setBool),
	OpShl:  shift("shl", RoleShift),
	OpShr:  shift("shr", RoleShift),
	OpRotl: shift("rotl", RoleCount),
	OpRotr: shift("rotr", RoleCount),
	OpPopc: count("popc"),
	OpClz:  count("clz"),
	OpCtz:  count("ctz"),
	OpBrev: un("brev", setI),
	OpBfe:  {Name: "bfe", Args: 1, In: [3]Operand{set(setI)}, Result: resSame, Typed: 1, Imm: ImmField, Attr: Pure},
	OpBfi: {Name: "bfi", Args: 2, In: [3]Operand{set(setI), same0}, Result: resSame, Typed: 1, Imm: ImmField,
		Attr: Pure},
	OpPrmt: {Name: "prmt", Args: 3, In: [3]Operand{u32In, u32In, u32In}, Result: resU32, Attr: Pure},

	OpFma:      tern("fma", setF),
	OpCopysign: bin("copysign", setF, 0),
	OpMinp:     bin("minp", setF|setH, Commutative),
	OpMaxp:     bin("maxp", setF|setH, Commutative),
	OpSqrt:     un("sqrt", setF|setH),
	OpFloor:    un("floor", setF),
	OpCeil:     un("ceil", setF),
	OpTrunc:    un("trunc", setF),
	OpRint:     un("rint", setF),

	OpRsqrt: recipe1("rsqrt"),
	OpExp:   recipe1("exp"),
	OpExp2:  recipe1("exp2"),
	OpExpm1: recipe1("expm1"),
	OpLog:   recipe1("log"),
	OpLog2:  recipe1("log2"),
	OpLog10: recipe1("log10"),
	OpLog1p: recipe1("log1p"),
	OpPow:   recipe2("pow"),
	OpSin:   recipe1("sin"),
	OpCos:   recipe1("cos"),
	OpTan:   recipe1("tan"),
	OpAsin:  recipe1("asin"),
	OpAcos:  recipe1("acos"),
	OpAtan:  recipe1("atan"),
	OpAtan2: recipe2("atan2"),
	OpSinh:  recipe1("sinh"),
	OpCosh:  recipe1("cosh"),
	OpTanh:  recipe1("tanh"),
	OpCbrt:  recipe1("cbrt"),
	OpHypot: recipe2("hypot"),
	OpErf:   recipe1("erf"),

	OpFastDiv:   fast("fast_div", 2),
	OpFastRcp:   fast("fast_rcp", 1),
	OpFastSqrt:  fast("fast_sqrt", 1),
	OpFastRsqrt: fast("fast_rsqrt", 1),
	OpFastExp2:  fast("fast_exp2", 1),
	OpFastLog2:  fast("fast_log2", 1),
	OpFastSin:   fast("fast_sin", 1),
	OpFastCos:   fast("fast_cos", 1),
	OpFastTanh:  withMinSM(fast("fast_tanh", 1), 75),

	OpEq: cmp("eq", setValue, Commutative),
	OpNe: cmp("ne", setValue, Commutative),
	OpLt: cmp("lt", setNH, 0),
	OpLe: cmp("le", setNH, 0),
	OpSelect: {Name: "select", Args: 3, In: [3]Operand{boolIn, set(setValue), {Same: 2, Role: RoleArm}}, Result: Result{Kind: ResultSame, From: 1},
		Typed: 2, Attr: Pure},

	OpCvt: {Name: "cvt", Args: 1, In: [3]Operand{set(setValue)}, Result: Result{Kind: ResultStated}, Typed: 1,
		Attr: Pure},
	OpBitcast: {Name: "bitcast", Args: 1, In: [3]Operand{set(setNH)}, Result: Result{Kind: ResultStated}, Typed: 1,
		Attr: Pure},

	OpLoad: {Name: "load", Args: 1, In: [3]Operand{idxIn}, Result: resElem, Imm: ImmObject,
		Attr: Reads | Hinted, Spread: SpreadLoad},
	OpStore: {Name: "store", Args: 2, In: [3]Operand{idxIn, elemIn}, Imm: ImmObject, Attr: Writes | Hinted},
	OpLoadV2: {Name: "load.v2", Args: 1, In: [3]Operand{idxIn}, Result: resElem, Vec: V2, Imm: ImmObject,
		Attr: Reads | Hinted, Spread: SpreadLoad},
	OpLoadV4: {Name: "load.v4", Args: 1, In: [3]Operand{idxIn}, Result: resElem, Vec: V4, Imm: ImmObject,
		Attr: Reads | Hinted, Spread: SpreadLoad},
	OpStoreV2:  {Name: "store.v2", Args: 2, In: [3]Operand{idxIn, elemIn}, Vec: V2, Imm: ImmObject, Attr: Writes | Hinted},
	OpStoreV4:  {Name: "store.v4", Args: 2, In: [3]Operand{idxIn, elemIn}, Vec: V4, Imm: ImmObject, Attr: Writes | Hinted},
	OpVec:      {Name: "vec", List: true, Counts: 1<<2 | 1<<4, Result: Result{Kind: ResultVec}, Attr: Pure},
	OpElem:     {Name: "elem", Args: 1, Result: Result{Kind: ResultLane}, Imm: ImmLane, Attr: Pure},
	OpPrefetch: {Name: "prefetch", Args: 1, In: [3]Operand{idxIn}, Imm: ImmObject, On: OnBuffer},

	OpCopyAsync4:  copyAsync("4"),
	opCopyAsync8:  copyAsync("8"),
	opCopyAsync16: copyAsync("16"),
	OpCopyCommit:  {Name: "copy_commit", Attr: Fence | Reads | Writes},
	OpCopyWait:    {Name: "copy_wait", Imm: ImmCode, Attr: Fence | Reads | Writes},

	OpAtomicLoad: {Name: "atomic_load", Args: 1, In: [3]Operand{idxIn}, Result: resElem, Imm: ImmObject,
		Attr: Reads | Atomic, Orders: ordLoad, Elems: setN, On: OnBuffer | OnShared, Spread: SpreadLane},
	OpAtomicStore: {Name: "atomic_store", Args: 2, In: [3]Operand{idxIn, elemIn}, Imm: ImmObject,
		Attr: Writes | Atomic, Orders: ordStore, Elems: setN, On: OnBuffer | OnShared},
	OpAtomicAdd:  rmw("atomic_add", setN),
	OpAtomicSub:  rmw("atomic_sub", setI),
	OpAtomicMin:  rmw("atomic_min", setI),
	OpAtomicMax:  rmw("atomic_max", setI),
	OpAtomicAnd:  rmw("atomic_and", setI),
	OpAtomicOr:   rmw("atomic_or", setI),
	OpAtomicXor:  rmw("atomic_xor", setI),
	OpAtomicExch: rmw("atomic_exch", setN),
	OpAtomicCas: {Name: "atomic_cas", Args: 3, In: [3]Operand{idxIn, elemIn, elemIn}, Result: resElem, Imm: ImmObject,
		Attr: Reads | Writes | Atomic, Orders: ordAll, Elems: setN, On: OnBuffer | OnShared, Spread: SpreadLane},
	OpLoadStale: {Name: "load_stale", Args: 1, In: [3]Operand{idxIn}, Result: resElem, Imm: ImmObject,
		Attr: Reads | Atomic, Elems: setN, On: OnBuffer, Spread: SpreadLane},

	OpBarrierWarp:      barrier("barrier.warp", LevelWarp, 0, resNone),
	OpBarrierWG:        barrier("barrier.wg", LevelGroup, 0, resNone),
	OpBarrierGrid:      barrier("barrier.grid", LevelGrid, 0, resNone),
	OpBarrierAnyWG:     barrier("barrier_any.wg", LevelGroup, setBool, resBool),
	OpBarrierAnyGrid:   barrier("barrier_any.grid", LevelGrid, setBool, resBool),
	OpBarrierAllWG:     barrier("barrier_all.wg", LevelGroup, setBool, resBool),
	OpBarrierAllGrid:   barrier("barrier_all.grid", LevelGrid, setBool, resBool),
	OpBarrierAddWG:     sumBarrier("barrier_add.wg", LevelGroup),
	OpBarrierAddGrid:   sumBarrier("barrier_add.grid", LevelGrid),
	OpBarrierBcastWG:   barrier("barrier_bcast.wg", LevelGroup, setValue, resSame),
	OpBarrierBcastGrid: barrier("barrier_bcast.grid", LevelGrid, setValue, resSame),
	OpBarrierFirst:     firstBarrier(barrier("barrier.first", LevelFirst, 0, resNone)),
	OpBarrierAddFirst:  firstBarrier(sumBarrier("barrier_add.first", LevelFirst)),
	OpFence:            {Name: "fence", Attr: Fence | Reads | Writes, Orders: ordFence},
	OpPause:            {Name: "pause", Args: 1, In: [3]Operand{u32In}},
	OpResident:         {Name: "resident", Attr: Convergent, Level: LevelGrid},

	OpBallot:      subgroup("ballot", setBool, resU32, SpreadWarp),
	OpAny:         subgroup("any", setBool, resBool, SpreadWarp),
	OpAll:         subgroup("all", setBool, resBool, SpreadWarp),
	OpElect:       {Name: "elect", Result: resBool, Attr: Pure | Convergent, Level: LevelWarp, Spread: SpreadLane},
	OpShuffle:     shuffle("shuffle", SpreadSource),
	OpShuffleXor:  shuffle("shuffle_xor", SpreadLane),
	OpShuffleUp:   shuffle("shuffle_up", SpreadLane),
	OpShuffleDown: shuffle("shuffle_down", SpreadLane),
	OpMatch:       subgroup("match", setN, resU32, SpreadLane),
	OpReduceAdd:   subgroup("reduce.add", setN, resSame, SpreadWarp),
	OpReduceMul:   subgroup("reduce.mul", setN, resSame, SpreadWarp),
	OpReduceMin:   subgroup("reduce.min", setN, resSame, SpreadWarp),
	OpReduceMax:   subgroup("reduce.max", setN, resSame, SpreadWarp),
	OpReduceAnd:   subgroup("reduce.and", setI|setBool, resSame, SpreadWarp),
	OpReduceOr:    subgroup("reduce.or", setI|setBool, resSame, SpreadWarp),
	OpReduceXor:   subgroup("reduce.xor", setI|setBool, resSame, SpreadWarp),
	OpScanAdd:     subgroup("scan.add", setN, resSame, SpreadLane),
	OpScanMul:     subgroup("scan.mul", setN, resSame, SpreadLane),
	OpScanMin:     subgroup("scan.min", setN, resSame, SpreadLane),
	OpScanMax:     subgroup("scan.max", setN, resSame, SpreadLane),
	OpScanAnd:     subgroup("scan.and", setI|setBool, resSame, SpreadLane),
	OpScanOr:      subgroup("scan.or", setI|setBool, resSame, SpreadLane),
	OpScanXor:     subgroup("scan.xor", setI|setBool, resSame, SpreadLane),
	OpScanExAdd:   subgroup("scan_ex.add", setN, resSame, SpreadLane),
	OpScanExMul:   subgroup("scan_ex.mul", setN, resSame, SpreadLane),
	OpScanExMin:   subgroup("scan_ex.min", setN, resSame, SpreadLane),
	OpScanExMax:   subgroup("scan_ex.max", setN, resSame, SpreadLane),
	OpScanExAnd:   subgroup("scan_ex.and", setI|setBool, resSame, SpreadLane),
	OpScanExOr:    subgroup("scan_ex.or", setI|setBool, resSame, SpreadLane),
	OpScanExXor:   subgroup("scan_ex.xor", setI|setBool, resSame, SpreadLane),

	OpIf:          {Name: "if", Args: 1, In: [3]Operand{boolIn}, Owns: 2, Imm: ImmRegion, Attr: Structured},
	OpLoop:        {Name: "loop", List: true, Owns: 1, Imm: ImmRegion, Attr: Structured | Repeats},
	OpBlock:       {Name: "block", Owns: 1, Imm: ImmRegion, Attr: Structured},
	OpArg:         {Name: "arg", Result: Result{Kind: ResultStated}, Imm: ImmIndex, Attr: Pure, Spread: SpreadMerge},
	OpRes:         {Name: "res", Result: Result{Kind: ResultStated}, Imm: ImmIndex, Attr: Pure, Spread: SpreadMerge},
	OpYield:       {Name: "yield", List: true, Attr: Terminator},
	OpBreak:       {Name: "break", List: true, Imm: ImmLabel, Attr: Terminator},
	OpContinue:    {Name: "continue", List: true, Imm: ImmLabel, Attr: Terminator},
	OpReturn:      control("return", Terminator, ImmNone),
	OpUnreachable: control("unreachable", Terminator, ImmNone),

	opMmaF16:    mma("m16n8k16.f16", V4|U32, V2|U32, V4|F32),
	opMmaF16F16: mma("m16n8k16.f16.f16", V4|U32, V2|U32, V2|U32),
	opMmaBF16:   mma("m16n8k16.bf16", V4|U32, V2|U32, V4|F32),
	opMmaTF32:   mma("m16n8k8.tf32", V4|U32, V2|U32, V4|F32),
	opMmaF64:    mma("m8n8k4.f64", F64, F64, V2|F64),
	opMmaI8:     mma("m16n8k32.i8", V4|U32, V2|U32, V4|I32),
	opMmaU8:     mma("m16n8k32.u8", V4|U32, V2|U32, V4|U32),
	opMmaB1:     mma("m16n8k256.b1", V4|U32, V2|U32, V4|U32),

	OpTrap:  {Name: "trap", Args: 2, In: [3]Operand{boolIn, set(1 << U64)}, Imm: ImmCode, Attr: Traps | Writes},
	OpTrace: {Name: "trace", List: true, Counts: 1<<0 | 1<<1 | 1<<2 | 1<<3, Imm: ImmCode, Attr: Unordered | Writes},
}

func withMinSM(in *Info, sm int) *Info {
	in.MinSM = sm
	return in
}

var opByName = func() map[string]Op {
	m := make(map[string]Op, 160)
	for op := range Op(numOps) {
		if in := table[op]; in != nil {
			m[in.Name] = op
		}
	}
	return m
}()
