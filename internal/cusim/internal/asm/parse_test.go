package asm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// in makes a text of which code is line 11 and on.
func in(code string) string {
	return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n.param .u64 p,\n.param .u32 n\n)\n{\n" +
		".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n" +
		".shared .align 8 .b8 s[64]; .local .b32 l[4];\n" + code + "\n}\n"
}

func TestInstructionsThatAre(t *testing.T) {
	for _, code := range []string{
		"add.u32 %r1, %r2, 5;", "add.s32 %r1, %r2, -5;", "add.sat.s32 %r1, %r2, %r3;", "add.rn.ftz.sat.f32 %f1, %f2, 0f3F800000;",
		"mul.wide.u32 %rd1, %r1, 4;", "mad.lo.cc.u32 %r1, %r1, %r2, %r3;\nmadc.hi.u32 %r1, %r1, %r2, %r3;",
		"fma.rn.f16 %h1, %h1, %h2, %h3;", "div.full.ftz.f32 %f1, %f1, %f2;", "setp.lt.and.u32 %p1|%p2, %r1, 4, !%p3;",
		"setp.neu.f64 %p1, %fd1, 0d3FF0000000000000;", "selp.f32 %f1, %f1, 0f00000000, %p1;", "cvt.rzi.s32.f32 %r1, %f1;",
		"cvt.sat.u8.s32 %r1, %r2;", "cvt.rn.bf16.f32 %h1, %f1;", "cvt.u32.u16 %r1, %h1;", "mov.b64 {%r1, _}, %rd1;", "mov.b64 %rd1, {%r1, %r2};",
		"mov.b32 %f1, {%h1, %h2};", "mov.u32 %r1, %tid.x;", "mov.u64 %rd1, %clock64;", "mov.u32 %r1, s+4;", "mov.pred %p1, 1;", "mov.pred %p1, -1;", "mov.u32 %r1, WARP_SZ;",
		"ld.param.u32 %r1, [n];", "ld.shared.v2.u32 {%r1, %r2}, [s+8];", "ld.global.nc.L1::evict_last.v4.f32 {%f1,%f2,%f3,%f0}, [%rd1+-16];",
		"ld.acquire.gpu.global.u32 %r1, [%rd1];", "st.release.sys.global.u64 [%rd1], %rd2;", "ld.global.s8 %r1, [%rd1];", "st.local.u32 [l+4], %r1;",
		"@!%p1 atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], %r2, %r3;", "red.global.add.u32 [%rd1], 1;", "atom.shared.add.u32 _, [s], 1;",
		"fence.sc.cta;", "membar.gl;", "bar.sync 0;", "barrier.cta.sync.aligned 1, 64;", "barrier.red.or.pred %p1, 0, !%p2;", "bar.red.popc.u32 %r1, 0, 64, %p1;",
		"shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", "vote.sync.ballot.b32 %r1, %p1, 0xffffffff;", "match.all.sync.b64 %r1|%p1, %rd1, -1;",
		"redux.sync.min.s32 %r1, %r2, -1;", "bfe.u32 %r1, %r2, 8, 8;", "lop3.b32 %r1, %r1, %r2, %r3, 0x96;", "prefetch.global.L2 [%rd1];",
		"nanosleep.u32 20;", "bra L;\nL:", "{ .reg .b32 %r9; mov.u32 %r9, 0; bra M; }\nM: ret;", ".loc 1 2 3\n.pragma \"nounroll\";",
		"mov.f32 %f1, 1.5;", "/* nothing */ // at all",
	} {
		if _, err := asm.Parse(in(code)); err != nil {
			t.Errorf("%s\n\t%v", code, err)
		}
	}
}

func TestMistakesNameTheLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown instruction", in("foo.u32 %r1;"), "line 11: foo is no instruction"},
		{"modifiers out of order", in("ld.u32.global %r1, [%rd1];"), "line 11: ld.u32.global: there is no such form"},
		{"type that the op lacks", in("\nadd.pred %p1, %p2, %p3;"), "line 12: add.pred: there is no such form"},
		{"register of another width", in("add.u32 %r1, %rd1, 4;"), "operand 2: %rd1 is .b64, the operand is .u32"},
		{"float register in an integer op", in("add.u32 %r1, %f1, 4;"), "%f1 is .f32"},
		{"constant that does not fit", in("add.u32 %r1, %r1, 4294967296;"), "4294967296 does not fit 32 bits"},
		{"integer for a float", in("add.rn.f32 %f1, %f1, 1;"), "1 is an integer"},
		{"constant as destination", in("add.u32 4, %r1, %r1;"), "a register is due"},
		{"special register out of mov", in("add.u32 %r1, %tid.x, 1;"), "can only be read by mov"},
		{"undeclared register", in("add.u32 %r1, %r4, 1;"), "there is no register %r4"},
		{"undeclared label", in("bra NOWHERE;"), "line 11: there is no label NOWHERE"},
		{"label twice", in("L:\nL:"), "line 12: L is declared twice"},
		{"guard that is no predicate", in("@%r1 exit;"), "guard %r1 is no predicate"},
		{"predicate that is none", in("mov.pred %p1, -2;"), "a predicate is 0, 1 or -1"},
		{"wrong space", in("ld.global.u32 %r1, [s];"), "s is in shared memory, the access goes to global"},
		{"narrow address", in("ld.global.u32 %r1, [%r1];"), "no address in global memory"},
		{"vector of another length", in("ld.global.v4.u32 {%r1,%r2}, [%rd1];"), "a vector of 4 is due"},
		{"too few operands", in("add.u32 %r1, %r2;"), "2 operands where 3 are due"},
		{"no semicolon", in("add.u32 %r1, %r2, 1\nexit;"), "line 12"},
		{"newer than the version", ".version 6.0\n.target sm_70\n.address_size 64\n.entry k() {\nnanosleep.u32 20;\n}", "line 5: nanosleep.u32 needs PTX 6.3, the text says 6.0"},
		{"newer than the target", ".version 7.0\n.target sm_75\n.entry k() {\n.reg .b32 a;\nredux.sync.add.u32 a, a, -1;\n}", "line 5: redux.sync.add.u32 needs sm_80, the target is sm_75"},
		{"target newer than the version", ".version 7.0\n.target sm_90\n", "target sm_90 needs PTX 7.8"},
		{"recursion", ".version 7.8\n.target sm_90\n.func f() { call f; ret; }\n.entry k() { call f; }", "line 3: f calls itself"},
		{"function without a body", ".version 7.8\n.target sm_90\n.extern .func f();\n.entry k() { call f; }", "line 4: function f is declared and never defined"},
		{"call of nothing", in("call f;"), "there is no function f before this"},
		{"call with too little", ".version 7.8\n.target sm_90\n.func f(.param .b32 a) { ret; }\n.entry k() { call f; }", "takes 1 arguments"},
		{"parameter of a kernel written", in("st.param.u32 [n], %r1;"), "nobody writes"},
		{"guarded access to an argument", in(".param .b32 a; @%p1 st.param.b32 [a], %r1;"), "cannot be guarded"},
		{"table that is none", in("brx.idx %r1, T;"), "there is no table of labels T"},
		{"entry twice", ".version 7.8\n.target sm_90\n.entry k() { ret; }\n.entry k() { ret; }", "line 4: entry k is declared twice"},
		{"no end", ".version 7.8\n.target sm_90\n.entry k() { ret;", "the text ends inside of k"},
		{"empty", "", "the end of the text where .version is due"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := asm.Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	_, err := asm.Parse(in("foo;\nadd.u32 %r1, %r9, 1;\nexit;\nbar.sync;\n"))
	var list asm.Errors
	if !errors.As(err, &list) || len(list) != 3 || list[0].Line != 11 || list[1].Line != 12 || list[2].Line != 14 {
		t.Errorf("got %v", err)
	}
}

func TestConstantMemoryIsBounded(t *testing.T) {
	text := func(bytes string) string {
		return ".version 7.8\n.target sm_90\n.const .align 4 .b8 a[65520];\n.global .b8 g[100000];\n.const .align 8 .b8 b[" + bytes + "];"
	}
	if _, err := asm.Parse(text("16")); err != nil {
		t.Error(err)
	}
	_, err := asm.Parse(text("17"))
	if want := "line 5: with b the variables in constant memory have 65537 bytes, 65536 are possible"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestVariablesHaveContents(t *testing.T) {
	m, err := asm.Parse(".version 7.8\n.target sm_90\n.const .align 4 .u16 t[5] = {1, 0x203, -1};\n.global .f32 x = 0f3F800000, y;\n.global .b8 z[2][2] = {{1,2},{3,4}};")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"\x01\x00\x03\x02\xff\xff", "\x00\x00\x80\x3f", "", "\x01\x02\x03\x04"} {
		if got := string(m.Vars[i].Init); got != want {
			t.Errorf("%s starts as %q, want %q", m.Vars[i].Name, got, want)
		}
	}
	if m.Vars[0].Bytes != 10 || m.Vars[3].Bytes != 4 {
		t.Errorf("sizes %d and %d", m.Vars[0].Bytes, m.Vars[3].Bytes)
	}
}

func TestParametersHaveNaturalOffsets(t *testing.T) {
	m, err := asm.Parse(".version 7.8\n.target sm_90\n.entry k(.param .u32 a, .param .u64 .ptr .global .align 16 b, .param .u8 c, .param .align 8 .b8 d[12], .param .u16 e) .reqntid 8, 2 .maxnreg 40 { ret; }")
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernel("k")
	for i, want := range []int{0, 8, 16, 24, 36} {
		if got := k.Params[i].Offset; got != want {
			t.Errorf("parameter %s at %d, want %d", k.Params[i].Name, got, want)
		}
	}
	if k.ParamBytes != 38 || k.Required != [3]uint32{8, 2, 1} || k.MaxRegisters != 40 {
		t.Errorf("%d bytes, block %v, %d registers at most", k.ParamBytes, k.Required, k.MaxRegisters)
	}
}

// functions are called with a variable, a register and a constant; a table leads both ways.
const functions = ".version 7.8\n.target sm_90\n.func (.param .b32 r) f(.reg .u32 a) { .local .b8 l[4]; st.param.b32 [r], a; ret; }\n" +
	".entry k(.param .u64 p) { .reg .pred %p<2>; .reg .b32 %r<3>; .param .b32 x; @%p1 call (x), f, (%r1); call (%r2), f, (7);\n" +
	"T: .branchtargets A, B;\nA: brx.idx %r1, T;\nB: ret; }"

func TestFunctionsAndTablesAreRead(t *testing.T) {
	m, err := asm.Parse(functions)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range m.Kernel("k").Code {
		if in.Op == "call" {
			t.Errorf("line %d still calls", in.Line)
		}
	}
}

// tables are the labels in the tables among operands.
func tables(args []asm.Operand) (labels []asm.Operand) {
	for _, a := range args {
		if a.Kind == asm.IsTable {
			labels = append(labels, a.Vec...)
		}
	}
	return labels
}

//ci:inputs 125000
func FuzzPTX(f *testing.F) {
	f.Add(in("add.u32 %r1, %r2, 5;\n@%p1 bra L;\nld.shared.v2.u32 {%r1, %r2}, [s+8];\nL: exit;"))
	f.Add(".version 7.8\n.target sm_90\n.const .align 4 .u16 t[5] = {1, 0x203, -1};\n.extern .shared .b8 e[];")
	f.Add(in("{ .reg .f32 %f9; mov.f32 %f9, -1.5e3; }\n{}"))
	f.Add(functions)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := asm.Parse(text)
		if err != nil {
			var list asm.Errors
			if !errors.As(err, &list) || len(list) == 0 {
				t.Fatalf("an error without a line: %v", err)
			}
			return
		}
		for _, k := range m.Kernels {
			for i := range k.Code {
				for _, a := range slices.Concat(k.Code[i].Args, tables(k.Code[i].Args)) {
					if a.Kind == asm.IsLabel && a.Bits >= uint64(len(k.Code)) {
						t.Fatalf("a branch in line %d leads to %d of %d", k.Code[i].Line, a.Bits, len(k.Code))
					}
				}
			}
		}
	})
}
