package ptx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
)

// together is whether the lanes of a warp store records for each other in the text of p. One with a label is assembled.
func together(t *testing.T, p *ir.Program, o ptx.Options) bool {
	t.Helper()
	m, err := ptx.Emit([]*ir.Program{p}, ptx.Target{SM: 70}, o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Label != "" {
		if ptxas := needs.PTXAS(t); ptxas != "" {
			if log, err := assemble(context.Background(), t, ptxas, m); err != nil {
				t.Errorf("%v\n%s", err, strings.TrimSpace(log))
			}
		}
	}
	return strings.Contains(m.Text, "activemask")
}

// recordStores are stores of n words each to record %i of @p.
func recordStores(n int) (s string) {
	for f := range n {
		s += fmt.Sprintf("store @p[%%i].%d, %%v\n", f)
	}
	return s
}

// record is the type of records of n words.
func record(n int) string {
	return "buf<{u32" + strings.Repeat(", u32", n-1) + fmt.Sprintf("; %d}> rw", 4*n)
}

// The lanes of a warp store whole records for each other where their indices are consecutive whatever runs, and apart
// everywhere else.
func TestWarpsStoreWholeRecordsTogether(t *testing.T) {
	const global = "%i = global.x\n"
	for _, c := range []struct {
		name, group, elem, body string
		want                    bool
	}{
		{"48 bytes", "256", record(12), global + recordStores(12), true},
		{"80 bytes", "64", record(20), global + recordStores(20), true},
		{"112 bytes", "64", record(28), global + recordStores(28), true},
		{"words of other types", "64", "buf<{u64, u64, f64, f64, f32, f32, f32, f32; 48}> rw", global +
			"%w = cvt.u64.u32 %v\n%f = cvt.f32.u32 %v\n%d = cvt.f64.f32 %f\nstore @p[%i].0, %w\nstore @p[%i].1, 7_u64\n" +
			"store @p[%i].2, 1.5_f64\nstore @p[%i].3, %d\nstore @p[%i].4, %f\nstore @p[%i].5, %f\nstore @p[%i].6, %f\nstore @p[%i].7, 2.5_f32\n", true},
		{"words of two sizes in a chunk", "64", "buf<{u32, u32, u64, u64, u64, u64, u64; 48}> rw", global +
			"%w = cvt.u64.u32 %v\nstore @p[%i].0, %v\nstore @p[%i].1, %v\nstore @p[%i].2, %w\nstore @p[%i].3, %w\n" +
			"store @p[%i].4, %w\nstore @p[%i].5, %w\nstore @p[%i].6, %w\n", false},
		{"16 bytes", "64", record(4), global + recordStores(4), false},
		{"32 bytes", "64", record(8), global + recordStores(8), false},
		{"64 bytes", "64", record(16), global + recordStores(16), false},
		{"144 bytes", "64", record(36), global + recordStores(36), false},
		{"two of three chunks", "64", record(12), global + recordStores(8), false},
		{"a word is missing", "64", record(12), global + recordStores(11), false},
		{"a lane's number", "64", record(12), "%i = lane\n" + recordStores(12), true},
		{"in the group", "64", record(12), "%i = local.x\n" + recordStores(12), true},
		{"in a group of lines", "64, 4", record(12), global + recordStores(12), true},
		{"lines of less than a warp", "16, 4", record(12), global + recordStores(12), false},
		{"groups of no whole warps", "48", record(12), global + recordStores(12), false},
		{"along another axis", "64, 4", record(12), "%i = global.y\n" + recordStores(12), false},
		{"a sum with what the grid has in common", "64", record(12), "%g = group.y\n%m = mul.u32 %g, %n\n%x = local.x\n%i = add.u32 %m, %x\n" + recordStores(12), true},
		{"a sum with what lanes differ in", "64", record(12), "%x = local.x\n%i = add.u32 %v, %x\n" + recordStores(12), false},
		{"less what is common", "64", record(12), "%x = global.x\n%i = sub.u32 %x, %n\n" + recordStores(12), true},
		{"less the number of the lane", "64", record(12), "%x = global.x\n%i = sub.u32 %n, %x\n" + recordStores(12), false},
		{"twice the number", "64", record(12), "%x = global.x\n%i = add.u32 %x, %x\n" + recordStores(12), false},
		{"in 64 bits", "64", record(12), "%x = global.x\n%i = cvt.u64.u32 %x\n" + recordStores(12), true},
		{"guarded", "64", record(12), global + "%c = lt.u32 %v, 9_u32\nif %c {\n" + recordStores(12) + "}\n", true},
		{"in a loop", "64", record(12), global + "loop ^0 (%k: u32 = 0_u32) {\n%e = lt.u32 %n, %k\nif %e { break ^0 }\n" + recordStores(12) + "%j = add.u32 %k, 1_u32\ncontinue ^0 (%j)\n}\n", false},
		{"at an index out of a loop", "64", record(12), "%x = global.x\n%z = loop ^0 (%k: u32 = 0_u32) -> (u32) {\n%e = lt.u32 %v, %k\nif %e { break ^0 (%k) }\n%j = add.u32 %k, 1_u32\ncontinue ^0 (%j)\n}\n%i = add.u32 %x, %z\n" + recordStores(12), false},
		{"a load between", "64", record(12), global + recordStores(8) + "%o = load @p[%n].0\nstore @p[%i].8, %o\nstore @p[%i].9, %o\nstore @p[%i].10, %o\nstore @p[%i].11, %o\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o ptx.Options
			if c.want {
				o.Label = "k"
			}
			p := parse(t, "kernel @k workgroup("+c.group+") {\nparam @p: "+c.elem+"\nparam @in: buf<u32> ro\n%n = len @in\n%l = lane\n%v = load @in[%l]\n"+c.body+"}")
			if got := together(t, p, o); got != c.want {
				t.Errorf("together: %v, want %v", got, c.want)
			}
			if together(t, p, ptx.Options{Passes: compile.Choice{Disable: []string{"ptx.lanes"}}}) {
				t.Error("together without the pass")
			}
		})
	}
}

// The cases that are about such stores have some.
func TestCasesOfWholeRecordsStoreThemTogether(t *testing.T) {
	n := 0
	for c := range conform.Cases("mem-record/whole.") {
		if together(t, c.Program, ptx.Options{}) {
			n++
		}
	}
	if n < 40 {
		t.Errorf("%d cases", n)
	}
}

// Random programs have some, among all lanes of a warp and among a part of them.
func TestRandomProgramsStoreWholeRecordsTogether(t *testing.T) {
	n := 0
	for seed := uint64(0); n == 0 && seed < 5_000; seed++ {
		m, err := ptx.Compile(conform.Random(seed).Program, ptx.Target{SM: 90}, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Text, "activemask") {
			n++
		}
	}
	if n == 0 {
		t.Error("none")
	}
}
