package memcheck_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
	"github.com/govyre/vyre/kernel"
)

func parse(t *testing.T, source string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func instrument(t *testing.T, p *ir.Program) (*ir.Program, []memcheck.Site) {
	t.Helper()
	q, sites, err := memcheck.Instrument(p)
	if err != nil {
		t.Fatal(err)
	}
	return q, sites
}

// checks counts the checks of a program.
func checks(p *ir.Program) (n int) {
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpTrace && p.Flags(r).Checked() {
			n++
		}
	}
	return n
}

// A program stays as it is if no access needs a check: constant indices in arrays, accesses that may be out of bounds, hints.
func TestWhatCannotBeWrongGetsNoCheck(t *testing.T) {
	p := parse(t, `kernel @k workgroup(32) {
		param @x: buf<u32> rw
		shared @s: u32[8]
		local @l: u32[4]
		%i = global.x
		%a = load @s[7_u32]
		store @l[3_i32], %a
		%b = load @x[%i] !checked
		prefetch @x[%i]
		store @x[%i], %b !checked
		%n = len @x
	}`)
	if q, sites := instrument(t, p); q != p || sites != nil {
		t.Errorf("%d sites:\n%s", len(sites), text.Of(q))
	}
}

// A check stands in front of its access, wherever that is, and traces of the program keep their tags.
func TestChecksStandInFrontOfAccesses(t *testing.T) {
	p := parse(t, `kernel @k workgroup(32) {
		param @x: buf<u32> rw
		local @l: u32[4]
		%i = global.x
		trace %i, #0
		%c = lt.u32 %i, 9_u32
		if %c {
			%v = load @x[%i]
			store @l[%v], %v
		} else {
			%o = atomic_add.relaxed.dev @x[%i], 1_u32
			trace %o, #7
		}
		loop ^l (%k: u32 = 0_u32) {
			store @x[%k], %k
			%m = add.u32 %k, 1_u32
			%d = le.u32 %i, %m
			if %d { break ^l }
			continue ^l (%m)
		}
	}`)
	q, sites := instrument(t, p)
	if len(sites) != 4 || checks(q) != 4 || q.Traits().Checks != 4 || !q.Traits().Traces || p.Traits().Checks != 0 {
		t.Fatalf("%d sites, traits %+v:\n%s", len(sites), q.Traits(), text.Of(q))
	}
	own := 0
	for r := range ir.Row(q.Rows()) {
		if q.Op(r) == ir.OpTrace && !q.Flags(r).Checked() {
			own = own*10 + int(q.X(r)) + 1
		}
	}
	if own != 18 {
		t.Errorf("the program's own traces have other tags now:\n%s", text.Of(q))
	}
	for i, s := range sites {
		if p.Op(s.Row) != s.Op || i > 0 && s.Row <= sites[i-1].Row {
			t.Errorf("site %d is row %d, %s", i, s.Row, p.Op(s.Row))
		}
	}
	written, err := text.ParseTrusted("test", text.Of(q))
	if err != nil || written[0].Digest() != q.Digest() {
		t.Errorf("its text reads back as another program, or not: %v", err)
	}
	if _, err := text.Parse("test", text.Of(q)); err == nil || !strings.Contains(err.Error(), "VT002") {
		t.Errorf("a text may bring checks: %v", err)
	}
	if _, err := wire.Encode(q); err == nil || !strings.Contains(err.Error(), "VW013") {
		t.Errorf("a program with checks has a wire form: %v", err)
	}
	if one, again := instrument(t, p); one.Digest() != q.Digest() || len(again) != 4 {
		t.Error("the same program gets other checks the second time")
	}
}

// A check that the passes prove costs nothing at run time.
func TestPassesDropChecksThatTheyProve(t *testing.T) {
	p, err := kernel.Program(`package k

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=256
func K(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i >= uint32(len(y)) || i >= uint32(len(x)) {
		return
	}
	y[i] = a*x[i] + y[i]
	for k := range x[:i] {
		y[i] += x[:i][k]
	}
}
`, "K")
	if err != nil {
		t.Fatal(err)
	}
	q, sites := instrument(t, p)
	for _, choice := range []compile.Choice{{}, compile.Choice{}.ForCPU()} {
		left, _, err := opt.Run(q, opt.Options{Passes: choice})
		if err != nil {
			t.Fatal(err)
		}
		if len(sites) < 5 || checks(left) != 0 {
			t.Errorf("of %d checks %d are left by %s:\n%s", len(sites), checks(left), choice, text.Of(left))
		}
	}
}

// A program at the limit of nesting has no room for checks, and the error says so.
func TestProgramsWithoutRoomForChecksAreRefused(t *testing.T) {
	deep := func(n int) string {
		return "kernel @k workgroup(32) {\nparam @x: buf<u32> rw\n%i = global.x\n" + nest(n) + "}"
	}
	for n, ok := range map[int]bool{200: true, 256: false} {
		_, _, err := memcheck.Instrument(parse(t, deep(n)))
		var ds ir.Diags
		if ok != (err == nil) || !ok && (!errors.As(err, &ds) || ds[0].Code != "VY502") {
			t.Errorf("nested %d times: %v", n, err)
		}
	}
}

// nest is a store in so many blocks.
func nest(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "block ^b%d {\n", i)
	}
	b.WriteString("store @x[%i], %i\n")
	for i := range n {
		fmt.Fprintf(&b, "break ^b%d\n}\n", n-1-i)
	}
	return b.String()
}
