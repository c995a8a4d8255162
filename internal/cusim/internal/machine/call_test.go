package machine_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// table sends each lane to one of four places by its id.
const table = `
	and.b32 %r1, %r0, 7;
	setp.ge.u32 %p1, %r1, 4;
	mov.u32 %r2, 9;
	@%p1 bra DONE;
T: .branchtargets A, B, C, A;
	brx.idx %r1, T;
A:	add.u32 %r2, %r0, 100;
	bra DONE;
B:	mov.u32 %r2, 5;
C:	add.u32 %r2, %r2, 1;
DONE:
	activemask.b32 %r3;
	popc.b32 %r3, %r3;
	mad.lo.u32 %r2, %r3, 1000, %r2;
	st.global.u32 [%rd1], %r2;
`

func TestBranchByTableSendsEachLaneToItsLabel(t *testing.T) {
	for seed := range uint64(4) {
		got, _, err := launch(t, table, 32, machine.Launch{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			want := uint32(9)
			switch i % 8 {
			case 0, 3:
				want = uint32(i) + 100
			case 1:
				want = 6
			case 2:
				want = 10
			}
			if want += 32_000; v != want { // all lanes are together again
				t.Errorf("seed %d: lane %d has %d, want %d", seed, i, v, want)
			}
		}
	}
}

func TestIndexBeyondTheTableIsAFault(t *testing.T) {
	f := faults(t, strings.ReplaceAll(table, "@%p1 bra DONE;", ""), 32, machine.Launch{})
	if f.Kind != machine.Invalid || !strings.Contains(f.Msg, "index 4 of a table of 4") {
		t.Errorf("got %v", f)
	}
}

// functions in front of a kernel: with registers and with variables as parameters.
const functions = `
.func (.reg .u32 r) square(.reg .u32 a) { mul.lo.u32 r, a, a; ret; }
.func (.param .b32 r) clamped(.param .b32 a, .param .b32 most)
{
	.reg .b32 %r<3>; .reg .pred %p<2>;
	ld.param.b32 %r1, [a];
	ld.param.b32 %r2, [most];
	st.param.b32 [r], %r2;
	setp.ge.u32 %p1, %r1, %r2;
	@%p1 ret;
	call (%r1), square, (%r1);
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry k`

func TestCallsPassRegistersConstantsAndVariables(t *testing.T) {
	text := strings.Replace(body(`
	.param .b32 x; .param .b32 y;
	st.param.b32 [x], %r0;
	setp.ne.u32 %p2, %r0, 3;
	mov.u32 %r5, 77;
	@%p2 call (%r5), clamped, (x, 10);
	call (y), square, (%r5);
	ld.param.b32 %r6, [y];
	st.global.u32 [%rd1], %r6;
	call (%r6), clamped, (%r5, 50);
	add.u32 %r5, %r5, %r6;
	ld.global.u32 %r6, [%rd1];
	add.u32 %r5, %r5, %r6;
	st.global.u32 [%rd1], %r5;
`), ".visible .entry k", functions, 1)
	for seed := range uint64(3) {
		got, _, err := launchText(t, text, 32, machine.Launch{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		clamped := func(a, most uint32) uint32 {
			if a >= most {
				return most
			}
			return a * a
		}
		for i, v := range got {
			x := uint32(77)
			if i != 3 {
				x = clamped(uint32(i), 10)
			}
			if want := x + x*x + clamped(x, 50); v != want {
				t.Errorf("seed %d: lane %d has %d, want %d", seed, i, v, want)
			}
		}
	}
}

func TestCodeOfFunctionsKeepsItsLines(t *testing.T) {
	text := ".version 8.0\n.target sm_90\n.func f()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\nst.global.u64 [%rd1], %rd1;\n}\n" +
		".entry k(.param .u64 out)\n{\ncall f;\n}\n"
	_, _, err := launchText(t, text, 1, machine.Launch{})
	if f, ok := err.(*machine.Fault); !ok || f.Line != 7 {
		t.Errorf("got %v, want a fault in line 7", err)
	}
	if _, err := asm.Parse(strings.Replace(text, "call f;", "call g;", 1)); err == nil {
		t.Error("a call of nothing is read")
	}
}
