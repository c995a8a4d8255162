package native_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/native/internal/amd64/objdump"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// disassembler is GNU's for a target, with the package that it comes in.
type disassembler struct {
	name, from string
	find       func() bool
	run        func([]byte) (string, error)
}

var disassemblers = map[string]disassembler{
	"amd64.avx2":   {"objdump", "binutils", objdump.Find, objdump.Run},
	"amd64.avx512": {"objdump", "binutils", objdump.Find, objdump.Run},
	"arm64.neon":   {"aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu", objdump.FindARM64, objdump.RunARM64},
}

// Every encoding that the programs of the conformance suite become can be read, and is what a disassembler says.
func TestEncodingsOfTheSuiteAreRead(t *testing.T) {
	for _, target := range native.Targets() {
		t.Run(target, func(t *testing.T) { testEncodings(t, target, disassemblers[target]) })
	}
}

func testEncodings(t *testing.T, target string, tool disassembler) {
	read := map[string]bool{} // instructions, as bytes
	note := func(p *ir.Program) {
		code, err := native.Code(p, target)
		var none *native.UnsupportedError
		if errors.As(err, &none) && !strings.Contains(none.Reason, "has no form") {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(code); {
			in, err := native.Read(target, code, at, objdump.Place)
			if err != nil {
				t.Fatalf("kernel %s: %v", p.Name(), err)
			}
			read[string(code[at:at+in.Len])] = true
			at += in.Len
		}
	}
	for _, f := range conform.Suite() {
		for i, c := range f.Cases() {
			if c.Program == nil || i%long.Count(4, 1, 1) > 0 {
				continue
			}
			if note(c.Program); i%8 == 0 {
				p, _, err := opt.Run(c.Program, opt.Options{})
				if err != nil {
					t.Fatal(err)
				}
				note(p)
			}
		}
	}
	t.Logf("%d instructions that differ", len(read))
	if len(read) < long.Count(3000, 5000, 5000) {
		t.Errorf("only %d instructions that differ", len(read))
	}
	if !tool.find() {
		needs.Missing(t, "VYRE_NATIVE", "no GNU "+tool.name+" on the PATH: install "+tool.from)
	}
	code := []byte(strings.Join(slices.Sorted(maps.Keys(read)), ""))
	printed, err := tool.run(code)
	if err != nil {
		t.Fatal(err)
	}
	all, err := objdump.Parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	at, failed := 0, 0
	for _, want := range all {
		in, err := native.Read(target, code, at, objdump.Place)
		if err != nil {
			t.Fatalf("%v; it is %s", err, want.Text)
		}
		if got := in.String(); got != want.Text || in.Len != len(want.Bytes) {
			if failed++; failed <= 10 {
				t.Errorf("% x is read as %s; the disassembler says %s", want.Bytes, got, want.Text)
			}
		}
		at += len(want.Bytes)
	}
	if at != len(code) {
		t.Errorf("the disassembler read %d of %d bytes", at, len(code))
	}
}

const listed = `vyre 1
kernel @listed workgroup(64) {
  param @x: buf<f32> ro
  param @y: buf<f32> rw
  param %a: f32
  local @l: f32[4]
  %i = global.x
  %v = load @x[%i]
  %m = mul.f32 %v, %a
  %c = lt.f32 %m, 2_f32
  %n = not.bool %c
  %j = select.u64 %n, 1_u64, 2_u64
  trap %n, %j, #3
  barrier.wg
  store @y[%i], %m
}
`

func TestListingLinksInstructionsToRows(t *testing.T) {
	ps, err := text.Parse("listed.vyre", listed)
	if err != nil {
		t.Fatal(err)
	}
	p := ps[0]
	l, err := native.List(p, "amd64.avx2")
	if err != nil {
		t.Fatal(err)
	}
	of := map[ir.Op][]string{} // instructions of rows
	places, targets, bytes := map[string]bool{}, map[string]bool{}, 0
	for _, line := range l.Lines {
		switch {
		case line.Place != "":
			places[line.Place] = true
			continue
		case strings.HasPrefix(line.Args, "L"):
			targets[line.Args] = true
		}
		if line.At < bytes {
			t.Errorf("%s stands at %#x, after what is at %#x", line.Op, line.At, bytes)
		}
		if bytes = line.At; line.Row != ir.NoRow {
			of[p.Op(line.Row)] = append(of[p.Op(line.Row)], line.Op)
		}
	}
	for target := range targets {
		if !places[target] {
			t.Errorf("%s is jumped to and stands nowhere", target)
		}
	}
	for op, want := range map[ir.Op]string{ir.OpMul: "vmulps", ir.OpLoad: "vmovups", ir.OpStore: "vmovups", ir.OpTrap: "ret", ir.OpBarrierWG: "jmp"} {
		if !slices.Contains(of[op], want) {
			t.Errorf("%s is %v, no %s", op, of[op], want)
		}
	}
	if !slices.Contains(of[ir.OpLoad], "vpgatherdd") {
		t.Errorf("what of the load stands out of line is not its: %v", of[ir.OpLoad])
	}
	for r, note := range l.Notes {
		if want := map[ir.Op]string{ir.OpTrap: "goes to Go if a lane traps", ir.OpBarrierWG: "waits for the group"}[p.Op(r)]; note != want {
			t.Errorf("%s %q, want %q", p.Op(r), note, want)
		}
	}
	if len(l.Notes) != 2 {
		t.Errorf("vectors stop at %v", l.Notes)
	}
	var cells []string
	for _, f := range l.Frames {
		for _, c := range f.Cells {
			if cells = append(cells, c.What); c.At < 0 || c.At >= f.Size {
				t.Errorf("%s stands at %d of %d bytes", c.What, c.At, f.Size)
			}
		}
	}
	for _, want := range []string{"%a", "@x: address and length", "0x40000000, in each lane: 2 as f32", "0x1, in each lane of 64 bits", "@l", "local.x, of each vector"} {
		if !slices.Contains(cells, want) {
			t.Errorf("the frames have %q, no %q", cells, want)
		}
	}
}

// What a barrier's note says is whom it waits for.
func TestListingSaysWhomABarrierWaitsFor(t *testing.T) {
	for op, want := range map[string]string{"barrier.warp": "waits for the warp", "barrier.wg": "waits for the group", "barrier.grid": "waits for the grid",
		"barrier.first #2": "waits for the first groups", "%s = reduce.add.u32 %i": "waits for the warp"} {
		ps, err := text.Parse("k.vyre", "vyre 1\nkernel @k workgroup(64) {\n  %i = local.x\n  resident\n  "+op+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		l, err := native.List(ps[0], "amd64.avx2")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(maps.Values(l.Notes)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", op, got, want)
		}
	}
}

func TestListingOfWhatHasNoMachineCodeSaysWhy(t *testing.T) {
	ps, err := text.Parse("large.vyre", `vyre 1
kernel @large workgroup(1024) {
  param @x: buf<u32> rw
  local @l: u32[4096]
  %i = local.x
  store @l[%i], %i
  barrier.wg
  %w = load @l[%i]
  store @x[%i], %w
}
`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = native.List(ps[0], "amd64.avx2")
	var none *native.UnsupportedError
	if !errors.As(err, &none) || !strings.Contains(none.Reason, "a group needs a frame") {
		t.Errorf("the error is %v", err)
	}
}

// Where a conditional jump does not reach, code for arm64 is made once more with jumps that do.
func TestJumpsOfArm64ReachAllOfLargeCode(t *testing.T) {
	var b strings.Builder
	b.WriteString("vyre 1\nkernel @far workgroup(64) {\n  param @x: buf<u32> rw\n  %i = global.x\n  %n = len @x\n  %out = le.u32 %n, %i\n  if %out {\n    return\n  }\n  %v0 = load @x[%i]\n")
	const rows = 12_000
	for i := range rows {
		fmt.Fprintf(&b, "  %%v%d = brev.u32 %%v%d\n", i+1, i)
	}
	fmt.Fprintf(&b, "  store @x[%%i], %%v%d\n}\n", rows)
	ps, err := text.Parse("far.vyre", b.String())
	if err != nil {
		t.Fatal(err)
	}
	l, err := native.List(ps[0], "arm64.neon")
	if err != nil {
		t.Fatal(err)
	}
	if l.Bytes < 2<<20 {
		t.Errorf("the code has %d bytes, all of which a conditional jump reaches", l.Bytes)
	}
	lines := slices.DeleteFunc(l.Lines, func(l native.Line) bool { return l.Place != "" })
	around := slices.IndexFunc(lines, func(l native.Line) bool { return l.Op == "cbnz" })
	if around < 0 || lines[around+1].Op != "b" {
		t.Errorf("no condition stands around a jump: %v", lines[:min(len(lines), 20)])
	}
	seen := map[int]bool{}
	for _, line := range lines {
		if seen[line.At] {
			t.Fatalf("two instructions stand at %#x", line.At)
		}
		seen[line.At] = true
	}
}
