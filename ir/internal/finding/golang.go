package finding

import (
	"strings"

	"github.com/govyre/vyre/ir"
)

// A program that was compiled from Go is spoken of in Go: ops by the call or operator that became them, values and objects by
// the names of the variables. goWords has the messages that a Go kernel can get and whose words are those of the text form; with
// the same arguments in the same order. No advice means that of the rule.
//
// A Go kernel can get VY206, VY209, VY303, VY401 to VY406, VY502 (as VK024), VY504 to VY507, VY601 to VY607, VY701, VY702 and VY706: the compiler
// builds what is right in structure and types, and refuses the rest by codes of its own.
var goWords = map[string]struct{ Format, Fix string }{
	"VY206": {"the constant index %[1]s of %[3]s is out of bounds: %[4]s", ""},
	"VY209": {"%s on the %s %s", "prefetch elements of buffers, and read those of shared arrays plainly or by gpu.AtomicLoad"},
	"VY706": {"%s to %s, whose length is not a multiple of %d bytes", ""},
	"VY303": {"%s has scope %s; it takes %s", "a shared array is seen by its workgroup only: write gpu.Workgroup"},

	"VY401": {"%s where control is not the same for the whole workgroup", ""},
	"VY402": {"%s where control is not the same for the whole grid",
		"move it out of the branch, or get the condition from a vote of the grid such as t.GridBarrierAny"},
	"VY403": {"%s where control is not the same for the whole warp", "move it out of the branch and make the condition an argument"},
	"VY405": {"%s in a loop that invocations leave at different rounds", "leave the loop on a vote such as t.BarrierAny, or t.Any"},
	"VY406": {"%s where control is not the same for the first workgroups",
		"move it out of the branch, or compare t.Group() with a constant that is not below their number, " +
			"or get the condition from t.FirstGroupsBarrierAdd"},

	"VY602": {"this loop is never left%.0s", ""},
	"VY603": {"%s and a plain access to %s without a barrier between them", ""},
	"VY604": {"a value that differs between %[2]s is assigned to one element of %[3]s", ""},
	"VY605": {"shared array %[2]s is read, but nothing need have written it", ""},
}

// goOps says what ops are in Go: the call, or what the operator does. Ops that no finding about a Go kernel names are not here.
var goOps = map[ir.Op]string{
	ir.OpLocal: "t.Local()", ir.OpGroup: "t.Group()", ir.OpGroups: "t.Groups()", ir.OpGlobal: "t.Global()",
	ir.OpLane: "t.Lane()", ir.OpWarp: "t.Warp()", ir.OpClock: "gpu.Clock()",

	ir.OpDiv: "division", ir.OpRem: "remainder", ir.OpShl: "left shift", ir.OpShr: "right shift",

	ir.OpLoad: "a read", ir.OpLoadV2: "a read", ir.OpLoadV4: "a read",
	ir.OpStore: "an assignment", ir.OpStoreV2: "an assignment", ir.OpStoreV4: "an assignment", ir.OpPrefetch: "gpu.Prefetch",

	ir.OpAtomicLoad: "gpu.AtomicLoad", ir.OpAtomicStore: "gpu.AtomicStore", ir.OpAtomicAdd: "gpu.AtomicAdd",
	ir.OpAtomicSub: "gpu.AtomicSub", ir.OpAtomicMin: "gpu.AtomicMin", ir.OpAtomicMax: "gpu.AtomicMax",
	ir.OpAtomicAnd: "gpu.AtomicAnd", ir.OpAtomicOr: "gpu.AtomicOr", ir.OpAtomicXor: "gpu.AtomicXor",
	ir.OpAtomicExch: "gpu.AtomicExchange", ir.OpAtomicCas: "gpu.AtomicCompareExchange", ir.OpLoadStale: "gpu.LoadStale",
	ir.OpFence: "t.Fence", ir.OpPause: "gpu.Pause", ir.OpResident: "t.Resident()",

	ir.OpBarrierWarp: "t.WarpBarrier()", ir.OpBarrierWG: "t.Barrier()", ir.OpBarrierGrid: "t.GridBarrier()",
	ir.OpBarrierAnyWG: "t.BarrierAny", ir.OpBarrierAnyGrid: "t.GridBarrierAny", ir.OpBarrierAllWG: "t.BarrierAll",
	ir.OpBarrierAllGrid: "t.GridBarrierAll", ir.OpBarrierAddWG: "t.BarrierAdd", ir.OpBarrierAddGrid: "t.GridBarrierAdd",
	ir.OpBarrierBcastWG: "gpu.BarrierBroadcast", ir.OpBarrierBcastGrid: "gpu.GridBarrierBroadcast",
	ir.OpBarrierFirst: "t.FirstGroupsBarrier", ir.OpBarrierAddFirst: "t.FirstGroupsBarrierAdd",

	ir.OpBallot: "t.Ballot", ir.OpAny: "t.Any", ir.OpAll: "t.All", ir.OpElect: "t.Elect()",
	ir.OpShuffle: "gpu.Shuffle", ir.OpShuffleXor: "gpu.ShuffleXor", ir.OpShuffleUp: "gpu.ShuffleUp",
	ir.OpShuffleDown: "gpu.ShuffleDown", ir.OpMatch: "gpu.Match",
	ir.OpReduceAdd: "gpu.ReduceAdd", ir.OpReduceMul: "gpu.ReduceMul", ir.OpReduceMin: "gpu.ReduceMin",
	ir.OpReduceMax: "gpu.ReduceMax", ir.OpReduceAnd: "gpu.ReduceAnd", ir.OpReduceOr: "gpu.ReduceOr", ir.OpReduceXor: "gpu.ReduceXor",
	ir.OpScanAdd: "gpu.ScanAdd", ir.OpScanMul: "gpu.ScanMul", ir.OpScanMin: "gpu.ScanMin", ir.OpScanMax: "gpu.ScanMax",
	ir.OpScanAnd: "gpu.ScanAnd", ir.OpScanOr: "gpu.ScanOr", ir.OpScanXor: "gpu.ScanXor",
	ir.OpScanExAdd: "gpu.ExclusiveScanAdd", ir.OpScanExMul: "gpu.ExclusiveScanMul", ir.OpScanExMin: "gpu.ExclusiveScanMin",
	ir.OpScanExMax: "gpu.ExclusiveScanMax", ir.OpScanExAnd: "gpu.ExclusiveScanAnd", ir.OpScanExOr: "gpu.ExclusiveScanOr",
	ir.OpScanExXor: "gpu.ExclusiveScanXor",

	ir.OpFastTanh: "gpu.FastTanh",

	ir.OpCopyCommit: "gpu.CopyCommit", ir.OpCopyWait: "gpu.CopyWait",
}

// Go reports whether the program was compiled from Go: then it has positions there.
func (p *Report) Go() bool {
	ps := p.Code.Debug.Positions
	return len(ps) > 0 && strings.HasSuffix(ps[0].File, ".go")
}

// Op names the op of a row: in Go, the call or operator that became it.
func (p *Report) Op(row ir.Row) string {
	op := p.Code.Op[row]
	if !p.Go() {
		return op.String()
	}
	name := goOps[op]
	if op.Info().Imm == ir.ImmCopy {
		name = "gpu.CopyAsync"
	}
	if op >= ir.OpMma {
		name = "gpu.MulAdd (" + op.String() + ")"
	}
	switch op {
	case ir.OpBarrierAddWG, ir.OpBarrierAddGrid, ir.OpBarrierAddFirst:
		if p.Code.Type[row] == ir.U64 {
			name += "64"
		}
	}
	if name == "" {
		return "what is computed here"
	}
	return name
}

// Object is an object's name as the source has it.
func (p *Report) Object(name string) string {
	if p.Go() {
		return goName(name)
	}
	return "@" + name
}

// goName writes the name of a part of a variable as Go does: v.2.x is v[2].x. (No regular expression: every program links this.)
func goName(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts[1:] {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i+1] = "[" + p + "]"
		} else {
			parts[i+1] = "." + p
		}
	}
	return strings.Join(parts, "")
}
