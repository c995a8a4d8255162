package ir_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// cut is the program of the guide.
const cut = `vyre 1
kernel @cut workgroup(64) {
  param @x: buf<f32> rw
  param %most: f32
  %i = global.x
  %v = load @x[%i]
  %big = lt.f32 %most, %v
  if %big {
    store @x[%i], 0_f32
  }
}`

// columns writes a program's columns as a table, one row a line.
func columns(p *ir.Program) string {
	var b strings.Builder
	operand := func(r ir.Row) string {
		if r == ir.NoRow {
			return "·"
		}
		return fmt.Sprint(r)
	}
	fmt.Fprintf(&b, "%3s %-8s %-5s %6s %3s %3s %3s %3s %8s\n", "row", "op", "type", "region", "A", "B", "C", "X", "control")
	for r := range ir.Row(p.Rows()) {
		typ := "·"
		if p.Type(r) != ir.None {
			typ = p.Type(r).String()
		}
		fmt.Fprintf(&b, "%3d %-8s %-5s %6d %3s %3s %3s %3d %8s\n", r, p.Op(r), typ, p.Region(r),
			operand(p.A(r)), operand(p.B(r)), operand(p.C(r)), p.X(r), p.Uniformity().Control[r])
	}
	for i, g := range p.Regions() {
		fmt.Fprintf(&b, "region %d: rows %d to %d\n", i, g.First, g.End-1)
	}
	return b.String()
}

// A program is its columns. Row r of each describes one operation, and r is the name of its value.
func ExampleProgram() {
	ps, err := text.Parse("cut.vyre", cut)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(columns(ps[0]))
	// Output:
	// row op       type  region   A   B   C   X  control
	//   0 arg      f32        0   ·   ·   ·   0     grid
	//   1 const    f32        0   ·   ·   ·   0     grid
	//   2 global   u32        0   ·   ·   ·   0     grid
	//   3 load     f32        0   2   ·   ·   0     grid
	//   4 lt       bool       0   0   3   ·   0     grid
	//   5 if       ·          0   4   ·   ·   1     grid
	//   6 store    ·          1   2   1   ·   0     lane
	//   7 yield    ·          1   ·   ·   ·   0     lane
	//   8 yield    ·          2   ·   ·   ·   0     lane
	//   9 return   ·          0   ·   ·   ·   0     grid
	// region 0: rows 0 to 9
	// region 1: rows 6 to 7
	// region 2: rows 8 to 8
}

func TestGuideShowsWhatTheExamplePrints(t *testing.T) {
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ps, err := text.Parse("cut.vyre", cut)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{text.Of(ps[0]), columns(ps[0])} {
		if !strings.Contains(string(guide), want) {
			t.Errorf("the guide does not have\n%s", want)
		}
	}
}
