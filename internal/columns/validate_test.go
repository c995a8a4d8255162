package columns_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/columns"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// whole has what random programs have seldom; spoils breaks one thing of it each.
const whole = `vyre 1
kernel @k workgroup(64) {
  param @b: buf<u32> rw
  param %n: u32
  shared @s: u32[64]
  %g = group.x
  %i = sub.i32 -1_i32, 1_i32
  %l = load @b[%i]
  %v = vec %n, %g, %n, %l
  %e = elem %v, #2
  %y = loop ^l (%j: u32 = 0_u32) -> (u32) {
    %q = le.u32 %n, %j
    if %q { break ^l (%j) }
    continue ^l (%e)
  }
  %z = block ^m -> (u32) { break ^m (%y) }
  %w = atomic_add.relaxed.wg @s[%n], %z
  store @b[%n], %w
}`

var spoils = []func(c *ir.Code, row func(ir.Op, int) ir.Row){
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.A[row(ir.OpLoad, 0)] = row(ir.OpConst, 0) },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { // of an array as long as a launch says
		c.A[row(ir.OpAtomicAdd, 0)], c.Arrays[0].Len = row(ir.OpConst, 0), ir.RestLen
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.X[row(ir.OpGroup, 0)] = 3 },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		c.Flags[row(ir.OpAtomicAdd, 0)] = ir.MakeFlags(7, ir.Group)
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.Flags[row(ir.OpAtomicAdd, 0)] = ir.MakeFlags(0, 3) },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		c.Flags[row(ir.OpAtomicAdd, 0)] = ir.MakeFlags(0, ir.Device)
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		r := row(ir.OpAtomicAdd, 0)
		c.X[r], c.Flags[r] = 0, ir.MakeFlags(0, 3)
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.Type[row(ir.OpArg, 0)] = ir.I32 },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.Op[row(ir.OpBreak, 1)] = ir.OpContinue },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.X[row(ir.OpBreak, 1)] = uint32(row(ir.OpLoop, 0)) },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		r := row(ir.OpContinue, 0)
		c.Op[r], c.X[r] = ir.OpYield, 0
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		at := c.Args[row(ir.OpVec, 0)]
		c.Extra[at] = uint32(len(c.Extra)) - at
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) { c.Extra[c.Args[row(ir.OpVec, 0)]] = 3 },
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		c.Regions = append(c.Regions, ir.Region{Op: row(ir.OpLoad, 0), First: 5, End: 6})
	},
	func(c *ir.Code, row func(ir.Op, int) ir.Row) {
		c.Regions = append(c.Regions, ir.Region{Op: row(ir.OpBlock, 0), First: 5, End: 6})
	},
}

// broken is random programs, all but every eighth broken, and what the host finds; and whole, broken by hand.
func broken(t *testing.T, from, n uint64) (a *columns.Codes, want []columns.Finding) {
	t.Helper()
	a = new(columns.Codes)
	add := func(c *ir.Code) {
		found, c := columns.Sealed(c, a.Len())
		want = append(want, found...)
		if err := a.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, spoil := range spoils {
		all, err := text.ParseCode("whole", whole)
		if err != nil {
			t.Fatal(err)
		}
		spoil(all[0], func(op ir.Op, k int) ir.Row {
			for r, o := range all[0].Op {
				if o == op {
					if k--; k < 0 {
						return ir.Row(r)
					}
				}
			}
			t.Fatalf("no %v", op)
			return 0
		})
		if add(all[0]); len(want) == 0 || want[len(want)-1].Program != a.Len()-1 {
			t.Errorf("spoil %d breaks nothing", a.Len())
		}
	}
	for seed := from; seed < from+n; seed++ {
		p := conform.Random(seed).Program
		if seed%3 == 0 {
			p = conform.RandomShapes(seed).Program
		}
		c := p.Edit()
		if !columns.Checkable(c) {
			continue
		}
		if seed%8 != 0 {
			columns.Spoil(c, seed)
		}
		add(c)
	}
	return a, want
}

// TestVerdicts: the device finds in random programs, sound or broken, what sealing finds there.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		device string
		n      uint64
		group  uint32
	}{{"cpu", 600, 0}, {"cpu", 200, 32}, {"cpu", 200, 1024}, {"cpu-interp", 30, 64}, {"cuda", 20000, 0}, {"cuda-sim", 100, 96}} {
		if !slices.Contains(strings.Split(*deviceFlag, ","), c.device) {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d", c.device, c.group), func(t *testing.T) {
			on := passes(t, open(t, c.device), columns.Options{Group: c.group})
			a, want := broken(t, long.Seed(t, 1), c.n)
			v := run(t, on, columns.Batch{Codes: a, Findings: most}).Verdict
			if s := v.Differs(want); s != "" {
				t.Error(s)
			}
		})
	}
}

// TestCheckFaults: what is checked wrongly on purpose gives another verdict.
func TestCheckFaults(t *testing.T) {
	long.Only(t, "it compiles a kernel for each")
	dev := open(t, "cpu")
	a, want := broken(t, 1, 4000)
	for i, m := range [][3]string{
		{"dominance looks at order alone", "v >= r || r >= c.end(c.region(v))", "v >= r"},
		{"dominance looks at regions alone", "v >= r || r >= c.end(c.region(v))", "r >= c.end(c.region(v))"},
		{"a gap between operands is fine", "given != c.args(r) || !order", "given != c.args(r)"},
		{"a list may run past the end", "extra[base] > all-at-1", "extra[base] > all"},
		{"results are not numbered", "op == nothing || c.x(r) != s.open[at+ofRes]", "op == nothing"},
		{"arguments are not numbered", "c.x(r) != n ||", "c.x(r) != n && n > 99 ||"},
		{"arguments may be missing", "s.open[at+ofArgs] != c.size(5)", "s.open[at+ofArgs] > c.size(5)"},
		{"a row may follow a terminator", "case bits&ended != 0:", "case bits&ended == 99:"},
		{"what nothing leaves goes on", "if s.left[s.base+c.x(op)] != 0 {", "if s.left[s.base+c.x(op)] != 99 {"},
		{"a break may name what is over", "r >= c.end(c.x(to)) || c.is(r, isContinue)", "c.is(r, isContinue)"},
		{"a continue may name a block", "|| c.is(r, isContinue) && !c.is(to, repeats):", ":"},
		{"a yield may be anywhere", "owner != nothing && c.owns(owner) == 2 {", "owner != nothing || c.owns(owner) == 2 {"},
		{"all flags are known", "head[at][1]&^c.rule(r, 3) != 0", "head[at][1]&^c.rule(r, 3) > 1<<30"},
		{"vectors are carried", "if vector(kind) && usable(kind) {", "if vector(kind) && !usable(kind) {"},
		{"what is passed has any number", "if n != taken {", "if n > taken {"},
		{"what is passed has any type", "have != want && value(have)", "have == 99 && value(have)"},
		{"a fault hides all types", "|| faulty[about[p*CheckWords+2]+links[at][3]] != 0", "|| first[p] != 1<<64-1"},
		{"write-only buffers may be read", "w&objectReads == 0", "w&objectReads == 1"},
		{"negative constants are in bounds", "signed(t) && v>>(width(t)-1)&1 != 0", "signed(t) && v>>(width(t)-1)&1 > 1"},
		{"operands of two types are fine", "if t == other || !usable(other) {", "if t != other || !usable(other) {"},
		{"sets of types are not looked at", "t < 16 && set>>t&1 != 0:", "t < 16:"},
		{"immediates of ops without one are free", "wrong = x != 0", "wrong = x == 1<<30"},
		{"orders are free", "if orders>>(flags&7)&1 == 0 {", "if orders>>(flags&7)&1 == 7 {"},
		{"shared arrays take any scope", "shared && scope != 0", "shared && scope > 3"},
		{"stated types are not compared", "if have != want && usable(want) {\n\t\treturn 103", "if have != want && usable(want) {\n\t\treturn 0"},
		{"constants have more bits than their type", ">>(width(t)-1)>>1 != 0", ">>(width(t)-1)>>1 > 1<<62"},
		{"parameters have any type", "if want := loaded(scalars[c.in.begin(5)+c.in.x(c.r)]); t != want", "if want := loaded(scalars[c.in.begin(5)+c.in.x(c.r)]); t == 99"},
		{"numbers of objects are free", "|| c.imm(r) == immObject && c.x(r) >= c.size(4)", ""},
	} {
		if !long.Turn(i, 0) {
			continue
		}
		t.Run(m[0], func(t *testing.T) {
			v := run(t, passes(t, dev, columns.Options{Edit: edited(t, m[1], m[2], "")}), columns.Batch{Codes: a, Findings: most}).Verdict
			if v.Differs(want) == "" {
				t.Error("nothing differs")
			}
		})
	}
}

// nested is a program of blocks in each other.
func nested(depth uint32) *ir.Code {
	c := &ir.Code{Name: "k", Workgroup: [3]uint32{1, 1, 1}, Regions: []ir.Region{{Op: ir.NoRow, End: ir.Row(2*depth + 1)}}}
	add := func(op ir.Op, region, x uint32) {
		c.Op, c.Region, c.X = append(c.Op, op), append(c.Region, region), append(c.X, x)
	}
	for i := range depth {
		add(ir.OpBlock, i, i+1)
		c.Regions = append(c.Regions, ir.Region{Op: ir.Row(i), First: ir.Row(i + 1), End: ir.Row(2*depth - i)})
	}
	for i := range depth {
		add(ir.OpBreak, depth-i, depth-i-1)
	}
	add(ir.OpReturn, 0, 0)
	n := c.Rows()
	c.Type, c.Flags, c.A = make([]ir.Type, n), make([]ir.Flags, n), slices.Repeat([]ir.Row{ir.NoRow}, n)
	c.B, c.C, c.Args = slices.Clone(c.A), slices.Clone(c.A), slices.Repeat([]uint32{ir.NoArgs}, n)
	return c
}

// TestCheckLimits: what is too deep or too long is found as on the host, and what are no columns is refused.
func TestCheckLimits(t *testing.T) {
	a, want := new(columns.Codes), []columns.Finding(nil)
	long := nested(30)
	long.Extra = append([]uint32{5000}, make([]uint32, 5000)...)
	for r := range long.Args { // that all share
		long.Args[r] = 0
	}
	for _, c := range []*ir.Code{nested(256), nested(257), long, {Workgroup: [3]uint32{1, 1, 1}}} {
		found, c := columns.Sealed(c, a.Len())
		want = append(want, found...)
		if err := a.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(want); n < 3 || want[0].Code != "VY502" || want[n-1].Code != "VY001" {
		t.Fatalf("the host finds %v", want)
	}
	n, short := a.Len(), conform.Random(1).Program.Edit()
	short.Flags = short.Flags[1:]
	var e *columns.LimitError
	if err := a.Add(short); !errors.As(err, &e) || a.Len() != n {
		t.Errorf("a column with an entry missing: %v", err)
	}
	on := passes(t, open(t, "cpu"), columns.Options{})
	for range 2 {
		v := &run(t, on, columns.Batch{Codes: a, Findings: most}).Verdict
		if s := v.Differs(want); s != "" {
			t.Error(s)
		}
		if v := run(t, on, columns.Batch{Codes: new(columns.Codes)}).Verdict; v.Count != 0 || v.Differs(nil) != "" {
			t.Errorf("of no programs come %v", v)
		}
	}
}
