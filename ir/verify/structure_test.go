package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

// sound is a program with every kind of structure; the cases below break one thing of it.
const sound = `vyre 1
kernel @k workgroup(64) {
	param @b: buf<u32> rw
	param %n: u32
	shared @s: u32[64]
	%c = eq.u32 %n, 1_u32
	%x = if %c -> (u32) {
		yield 1_u32
	} else {
		%g = group.x
		yield %g
	}
	%y = loop ^l (%i: u32 = 0_u32) -> (u32) {
		%q = le.u32 %n, %i
		if %q { break ^l (%i) }
		%j = add.u32 %i, 1_u32
		continue ^l (%j)
	}
	%z = block ^m -> (u32) { break ^m (%y) }
	%w = atomic_add.relaxed.dev @b[%x], %z
	store @b[%x], %w
	barrier.wg
}`

func parseSound(t testing.TB) *ir.Code {
	t.Helper()
	codes, err := text.ParseCode("sound", sound)
	if err != nil {
		t.Fatal(err)
	}
	return codes[0]
}

// nth returns the k-th row with the given op, or panics.
func nth(c *ir.Code, op ir.Op, k int) ir.Row {
	for r, o := range c.Op {
		if o == op {
			if k == 0 {
				return ir.Row(r)
			}
			k--
		}
	}
	panic("no such row: " + op.String())
}

// broken are single faults in sound, by what the verifier must call them.
var broken = []struct {
	name string
	code string
	do   func(c *ir.Code)
}{
	{"no rows", "VY001", func(c *ir.Code) { *c = ir.Code{Workgroup: [3]uint32{1, 1, 1}} }},
	{"short column", "VY001", func(c *ir.Code) { c.Type = c.Type[1:] }},
	{"no regions", "VY001", func(c *ir.Code) { c.Regions = nil }},
	{"empty region", "VY001", func(c *ir.Code) { c.Regions[1].End = c.Regions[1].First }},

	{"operand beyond the rows", "VY002", func(c *ir.Code) { c.A[nth(c, ir.OpEq, 0)] = 1000 }},
	{"listed operand beyond the rows", "VY002", func(c *ir.Code) { c.Extra[c.Args[nth(c, ir.OpYield, 0)]+1] = 1 << 31 }},
	{"region beyond the regions", "VY002", func(c *ir.Code) { c.X[nth(c, ir.OpLoop, 0)] = 0xFFFFFFFF }},
	{"constant beyond the pool", "VY002", func(c *ir.Code) { c.X[nth(c, ir.OpConst, 0)] = 99 }},
	{"list beyond extra", "VY002", func(c *ir.Code) { c.Args[nth(c, ir.OpYield, 0)] = 0xFFFFFFFE }},
	{"list that runs past extra", "VY002", func(c *ir.Code) { c.Extra[c.Args[nth(c, ir.OpYield, 0)]] = 0xFFFFFFFF }},
	{"object beyond the objects", "VY002", func(c *ir.Code) { c.X[nth(c, ir.OpStore, 0)] = 2 }},

	{"body is not all rows", "VY003", func(c *ir.Code) { c.Regions[0].End-- }},
	{"body has an op", "VY003", func(c *ir.Code) { c.Regions[0].Op = 0 }},
	{"row in the wrong region", "VY003", func(c *ir.Code) { c.Region[nth(c, ir.OpEq, 0)] = 1 }},
	{"region starts late", "VY003", func(c *ir.Code) { c.Regions[1].First++ }},
	{"region ends outside its parent", "VY003", func(c *ir.Code) { c.Regions[c.X[nth(c, ir.OpIf, 1)]+1].End += 4 }},
	{"region of another op", "VY003", func(c *ir.Code) { c.Regions[2].Op = nth(c, ir.OpLoop, 0) }},
	{"region that no op owns", "VY003", func(c *ir.Code) { c.Regions = append(c.Regions, ir.Region{Op: 4, First: 5, End: 6}) }},
	{"region of a row that does not exist", "VY003", func(c *ir.Code) { c.Regions = append(c.Regions, ir.Region{Op: 1 << 30, First: 5, End: 6}) }},

	{"row after a terminator", "VY004", func(c *ir.Code) { c.Op[nth(c, ir.OpBarrierWG, 0)] = ir.OpReturn }},
	{"body without a terminator", "VY004", func(c *ir.Code) { c.Op[nth(c, ir.OpReturn, 0)] = ir.OpBarrierWG }},

	{"operand defined later", "VY005", func(c *ir.Code) { c.A[nth(c, ir.OpEq, 0)] = nth(c, ir.OpAtomicAdd, 0) }},
	{"operand is its own row", "VY005", func(c *ir.Code) { r := nth(c, ir.OpAdd, 0); c.A[r] = r }},
	{"operand from inside a region", "VY005", func(c *ir.Code) { c.A[nth(c, ir.OpStore, 0)] = nth(c, ir.OpAdd, 0) }},
	{"operand from the other arm", "VY005", func(c *ir.Code) {
		c.Extra[c.Args[nth(c, ir.OpYield, 0)]+1] = uint32(nth(c, ir.OpGroup, 0))
	}},

	{"operand too few", "VY006", func(c *ir.Code) { c.B[nth(c, ir.OpEq, 0)] = ir.NoRow }},
	{"operand too many", "VY006", func(c *ir.Code) { c.C[nth(c, ir.OpEq, 0)] = c.A[nth(c, ir.OpEq, 0)] }},
	{"operand in the wrong column", "VY006", func(c *ir.Code) {
		r := nth(c, ir.OpEq, 0)
		c.B[r], c.C[r] = ir.NoRow, c.B[r]
	}},
	{"list where there is none", "VY006", func(c *ir.Code) { c.Args[nth(c, ir.OpEq, 0)] = 0 }},

	{"argument misnumbered", "VY007", func(c *ir.Code) { c.X[nth(c, ir.OpArg, 1)] = 1 }},
	{"argument of the body misnumbered", "VY007", func(c *ir.Code) { c.X[nth(c, ir.OpArg, 0)] = 7 }},
	{"argument in the middle of the body", "VY007", func(c *ir.Code) {
		r := nth(c, ir.OpEq, 0)
		c.Op[r], c.A[r], c.B[r], c.Type[r] = ir.OpArg, ir.NoRow, ir.NoRow, ir.U32
	}},
	{"argument missing", "VY007", func(c *ir.Code) { c.Params = append(c.Params, ir.Param{Name: "more", Type: ir.U32}) }},
	{"result misnumbered", "VY007", func(c *ir.Code) { c.X[nth(c, ir.OpRes, 0)] = 1 }},
	{"result of nothing", "VY007", func(c *ir.Code) {
		r := nth(c, ir.OpGroup, 0)
		c.Op[r] = ir.OpRes
	}},

	{"break to a row that is no label", "VY008", func(c *ir.Code) { c.X[nth(c, ir.OpBreak, 0)] = 0 }},
	{"break to a row that does not exist", "VY008", func(c *ir.Code) { c.X[nth(c, ir.OpBreak, 0)] = 1 << 31 }},
	{"break to an if", "VY008", func(c *ir.Code) { c.X[nth(c, ir.OpBreak, 0)] = uint32(nth(c, ir.OpIf, 1)) }},
	{"break to a loop that is over", "VY008", func(c *ir.Code) { c.X[nth(c, ir.OpBreak, 1)] = uint32(nth(c, ir.OpLoop, 0)) }},
	{"continue to a block", "VY008", func(c *ir.Code) {
		r := nth(c, ir.OpBreak, 1)
		c.Op[r] = ir.OpContinue
	}},

	{"yield in a loop", "VY009", func(c *ir.Code) { r := nth(c, ir.OpContinue, 0); c.Op[r], c.X[r] = ir.OpYield, 0 }},

	{"yield of too few values", "VY010", func(c *ir.Code) { c.Args[nth(c, ir.OpYield, 0)] = ir.NoArgs }},
	{"break with another type", "VY010", func(c *ir.Code) {
		c.Extra[c.Args[nth(c, ir.OpBreak, 0)]+1] = uint32(nth(c, ir.OpLe, 0))
	}},
	{"continue with too few values", "VY010", func(c *ir.Code) { c.Args[nth(c, ir.OpContinue, 0)] = ir.NoArgs }},
	{"loop started with too few values", "VY010", func(c *ir.Code) { c.Args[nth(c, ir.OpLoop, 0)] = ir.NoArgs }},

	{"type on an op without a result", "VY011", func(c *ir.Code) { c.Type[nth(c, ir.OpStore, 0)] = ir.U32 }},
	{"no type on an op with a result", "VY011", func(c *ir.Code) { c.Type[nth(c, ir.OpEq, 0)] = ir.None }},
	{"operand without a value", "VY011", func(c *ir.Code) { c.A[nth(c, ir.OpStore, 0)] = nth(c, ir.OpLoop, 0) }},

	{"code after a block that nothing breaks", "VY012", func(c *ir.Code) {
		r := nth(c, ir.OpBreak, 1)
		c.Op[r], c.X[r], c.Args[r] = ir.OpReturn, 0, ir.NoArgs
	}},
	{"unreachable that can be reached", "VY012", func(c *ir.Code) { c.Op[nth(c, ir.OpReturn, 0)] = ir.OpUnreachable }},

	{"reserved flag", "VY013", func(c *ir.Code) { c.Flags[nth(c, ir.OpStore, 0)] = 1 << 20 }},
	{"order on an add", "VY013", func(c *ir.Code) { c.Flags[nth(c, ir.OpAdd, 0)] = ir.MakeFlags(ir.Acquire, ir.Device) }},
	{"hint on an atomic", "VY013", func(c *ir.Code) { r := nth(c, ir.OpAtomicAdd, 0); c.Flags[r] = c.Flags[r].WithHint(ir.Keep) }},
	{"unroll on a block", "VY013", func(c *ir.Code) { c.Flags[nth(c, ir.OpBlock, 0)] = ir.Flags(0).WithUnroll(2) }},

	{"unknown opcode", "VY014", func(c *ir.Code) { c.Op[0] = 0xFFFF }},
	{"opcode of the second step", "VY014", func(c *ir.Code) { c.Op[nth(c, ir.OpEq, 0)] = 0x330 }},

	{"shift of i32 as u32", "VY103", func(c *ir.Code) {
		*c = *parseMust("%a = shr.i32 1_i32, %n")
		c.Type[nth(c, ir.OpShr, 0)] = ir.U32
	}},
	{"remainder of i32 as u32", "VY103", func(c *ir.Code) {
		*c = *parseMust("%a = rem.i32 1_i32, 2_i32")
		c.Type[nth(c, ir.OpRem, 0)] = ir.U32
	}},
	{"type without a meaning", "VY103", func(c *ir.Code) { c.Type[nth(c, ir.OpEq, 0)] = 40 }},
	{"axis", "VY109", func(c *ir.Code) { c.X[nth(c, ir.OpGroup, 0)] = 3 }},
	{"immediate of an op without one", "VY109", func(c *ir.Code) { c.X[nth(c, ir.OpAdd, 0)] = 3 }},
	{"carried vector", "VY111", func(c *ir.Code) { c.Type[nth(c, ir.OpArg, 1)] = ir.U32 | ir.V2 }},
	{"constant bits above the type", "VY112", func(c *ir.Code) { c.Pool[0] = 1 << 32 }},
	{"element type without a meaning", "VY201", func(c *ir.Code) { c.Arrays[0].Type = 77 }},
	{"table with bytes missing", "VY210", func(c *ir.Code) {
		c.Arrays = append(c.Arrays, ir.Array{Name: "t", Type: ir.U32, Len: 2, Table: "1234"})
	}},
	{"parameter of no type", "VY201", func(c *ir.Code) { c.Params[1].Type = ir.None }},
	{"access right without a meaning", "VY201", func(c *ir.Code) { c.Params[0].Access = 9 }},
	{"alignment below the element", "VY201", func(c *ir.Code) { c.Params[0].Align = 1 }},
	{"alignment above a page", "VY201", func(c *ir.Code) { c.Params[0].Align = 40 }},
	{"scope without a meaning", "VY303", func(c *ir.Code) { c.Flags[nth(c, ir.OpAtomicAdd, 0)] = ir.MakeFlags(ir.Relaxed, 3) }},
	{"order without a meaning", "VY302", func(c *ir.Code) { c.Flags[nth(c, ir.OpAtomicAdd, 0)] = ir.MakeFlags(7, ir.Device) }},
	{"length of the wrong type", "VY208", func(c *ir.Code) {
		*c = *parseMust("%a = len @b\n%c = add.u32 %a, 1_u32")
		c.Params[0].MaxLen = 1 << 32
	}},
	{"too many parameters", "VY502", func(c *ir.Code) { c.Params = append(c.Params, make([]ir.Param, 200)...) }},
	{"lists that share their storage", "VY502", func(c *ir.Code) {
		const blocks, list = 1100, 4000 // more than 2²² operands in 16 KB
		var text strings.Builder
		for i := range blocks {
			fmt.Fprintf(&text, "block ^b%d { break ^b%d }\n", i, i)
		}
		*c = *parseMust(text.String())
		c.Extra = append([]uint32{list}, make([]uint32, list)...)
		for r, op := range c.Op {
			if op == ir.OpBreak {
				c.Args[r] = 0
			}
		}
	}},
	{"buffer longer than any", "VY502", func(c *ir.Code) { c.Params[0].MaxLen = 1 << 41 }},
}

// parseMust parses a body with a buffer @b and a scalar parameter %n.
func parseMust(body string) *ir.Code {
	codes, err := text.ParseCode("body", "vyre 1\nkernel @k workgroup(64) {\nparam @b: buf<u32> rw\nparam %n: u32\n"+body+"\n}")
	if err != nil {
		panic(err)
	}
	return codes[0]
}

func TestSoundStructureIsAccepted(t *testing.T) {
	if _, err := verify.Seal(parseSound(t)); err != nil {
		t.Fatal(err)
	}
}

func TestBrokenStructureIsRefusedByItsCode(t *testing.T) {
	for _, tt := range broken {
		t.Run(tt.name, func(t *testing.T) {
			c := parseSound(t)
			tt.do(c)
			_, err := verify.Seal(c)
			if err == nil {
				t.Fatal("accepted")
			}
			if got := codesOf(err.(ir.Diags)); !slices.Contains(got, tt.code) {
				t.Errorf("got %v, want %s\n%v", got, tt.code, err)
			}
		})
	}
}

func codesOf(ds ir.Diags) []string {
	var codes []string
	for _, d := range ds {
		codes = append(codes, d.Code)
	}
	return codes
}

func TestNoColumnsHaveNoBody(t *testing.T) {
	for _, c := range []*ir.Code{nil, {}} {
		if _, err := verify.Seal(c); err == nil || !slices.Equal(codesOf(err.(ir.Diags)), []string{"VY001"}) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestOneFaultDoesNotHideOthers(t *testing.T) {
	c := parseMust(`if true { %a = add.u32 %n, 1_f32 }
		%y = loop ^l (%i: u32 = 0_u32) -> (u32) { break ^l }
		%z = shl.u32 %n, %n`)
	_, err := verify.Seal(c)
	if err == nil {
		t.Fatal("accepted")
	}
	// The body has a finding of its own (the result that nobody gives) in the loop; the
	// regions without one are checked for types.
	if got := codesOf(err.(ir.Diags)); !slices.Equal(got, []string{"VY102", "VY010"}) {
		t.Errorf("got %v\n%v", got, err)
	}
}

// Whatever the columns hold, sealing answers; it neither panics nor takes long. Most mutants
// change several numbers to others that occur in a program.
func TestSealAnswersForAnyColumns(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	base := parseSound(t)
	accepted := 0
	rounds := long.Count(20_000, 500_000, 2_000_000)
	for range rounds {
		c := base.Clone()
		for range 1 + rng.IntN(4) {
			mutate(rng, c)
		}
		if p, err := verify.Seal(c); err == nil {
			accepted++
			verify.Program(p, verify.Target{SM: 70, SharedBytes: 100})
		}
	}
	if accepted == 0 {
		t.Errorf("seed %d: no mutant was accepted, so the mutations test little", seed)
	}
}

// mutate changes one number of c.
func mutate(rng *rand.Rand, c *ir.Code) {
	n := len(c.Op)
	r := rng.IntN(n)
	any := func() uint32 {
		switch rng.IntN(4) {
		case 0:
			return rng.Uint32()
		case 1:
			return 0xFFFFFFFF - uint32(rng.IntN(3))
		}
		return uint32(rng.IntN(n + 2))
	}
	switch rng.IntN(16) {
	case 0:
		ops := ir.Ops()
		c.Op[r] = ops[rng.IntN(len(ops))]
	case 1:
		c.Op[r] = ir.Op(any())
	case 2:
		c.Type[r] = ir.Type(any())
	case 3:
		c.Type[r] = ir.Type(rng.IntN(14))
	case 4:
		c.Flags[r] = ir.Flags(any())
	case 5:
		c.Region[r] = any()
	case 6:
		c.A[r] = ir.Row(any())
	case 7:
		c.B[r] = ir.Row(any())
	case 8:
		c.C[r] = ir.Row(any())
	case 9:
		c.X[r] = any()
	case 10:
		c.Args[r] = any()
	case 11:
		c.Extra[rng.IntN(len(c.Extra))] = any()
	case 12:
		c.Pool[rng.IntN(len(c.Pool))] = uint64(any())
	case 13:
		reg := &c.Regions[rng.IntN(len(c.Regions))]
		switch rng.IntN(3) {
		case 0:
			reg.Op = ir.Row(any())
		case 1:
			reg.First = ir.Row(any())
		default:
			reg.End = ir.Row(any())
		}
	case 14:
		p := &c.Params[rng.IntN(len(c.Params))]
		p.Type, p.Access, p.Align, p.MaxLen = ir.Type(any()), ir.Access(rng.IntN(5)), uint8(any()), uint64(any())<<rng.IntN(33)
	default:
		a := &c.Arrays[rng.IntN(len(c.Arrays))]
		a.Type, a.Shared, a.Len = ir.Type(any()), rng.IntN(2) == 0, uint64(any())<<rng.IntN(33)
	}
}
