package ptx_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

const stored = "kernel @stored workgroup(32) { param @x: buf<u32> wo\n%i = global.x\nstore @x[%i], %i\n}"

// A stage that panics gives an error that says which, and where it was.
func TestEmitMakesAnErrorOfAPanic(t *testing.T) {
	for _, stage := range []string{"ptx.predicate", "ptx.copies", "ptx.dce", "ptx.sink", "ptx.align"} {
		t.Run(stage, func(t *testing.T) {
			ptx.WithStage(t, stage, func(n int) { _ = make([]int, n)[n] })
			_, err := emit(parse(t, stored), ptx.Target{SM: 90})
			var e *compile.InternalError
			if !errors.As(err, &e) || e.Run != stage || e.Kernel != "stored" || e.Row == ir.NoRow || e.Pos.Line != 4 {
				t.Fatalf("got %v, want an internal error of %s at the store", err, stage)
			}
			for _, part := range []string{"pass " + stage, `kernel "stored"`, "row ", "test:4:1", "index out of range"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %q: %v", part, err)
				}
			}
		})
	}
}

func TestEmitRefusesWhatIsNotLowered(t *testing.T) {
	p := parse(t, "kernel @k workgroup(32) { param @x: buf<f32> rw\n%i = global.x\n%v = load @x[%i]\n%e = exp.f32 %v\nstore @x[%i], %e\n}")
	_, err := ptx.Emit([]*ir.Program{p}, ptx.Target{SM: 90}, ptx.Options{})
	if err == nil || !strings.Contains(err.Error(), "exp stands for simpler ops") {
		t.Errorf("got %v", err)
	}
}

// An optional stage that is left out leaves a text that holds more, not another one.
func TestEmitLeavesStagesOut(t *testing.T) {
	p := parse(t, "kernel @k workgroup(64) { param @x: buf<u32> rw\n%i = global.x\n%c = lt.u32 %i, 7_u32\nif %c { store @x[%i], %i\n}\nbarrier.wg\n}")
	text := func(without ...string) string {
		m, err := ptx.Emit([]*ir.Program{p}, ptx.Target{SM: 90}, ptx.Options{Passes: compile.Choice{Disable: without}})
		if err != nil {
			t.Fatal(err)
		}
		return m.Text
	}
	if s := text(); strings.Contains(s, "bra") || !strings.Contains(s, "bar.sync") {
		t.Errorf("with all stages there is a branch, or a barrier that lanes may reach one by one:\n%s", s)
	}
	if s := text("ptx.predicate", "ptx.align"); !strings.Contains(s, "bra") || !strings.Contains(s, "barrier.sync") {
		t.Errorf("without two stages there is no branch, or a barrier that lanes reach together:\n%s", s)
	}
}

// What a loop loads under a guard alone has a value where the guard is off: else the assembler keeps a register for it all round
// the loop. Outside of loops that costs nothing, and nothing is added.
// Where a view begins is worked out once, and an index of 32 bits in it is multiplied and added in one machine instruction.
func TestEmitAddsAnIndexToWhereAViewBegins(t *testing.T) {
	m, err := emit(parse(t, "kernel @k workgroup(32, 2) { param @x: buf<u32> ro max 1099511627776\nparam @y: buf<u32> wo\nparam %off: u64\n"+
		"%a = local.x\n%b = local.y\n%i = cvt.u64.u32 %a\n%j = cvt.u64.u32 %b\n%k = add.u64 %off, %i\n%l = add.u64 %j, %off\n"+
		"%v = load @x[%k]\n%w = load @x[%l]\n%s = add.u32 %v, %w\nstore @y[0_u32], %s\n}"), ptx.Target{SM: 90})
	if err != nil {
		t.Fatal(err)
	}
	if shifts, products := strings.Count(m.Text, "shl.b64"), strings.Count(m.Text, "mul.wide.u32"); shifts != 1 || products != 2 {
		t.Errorf("%d shifts and %d products, want 1 and 2:\n%s", shifts, products, m.Text)
	}
}

// What is loaded under a guard has the value of the other arm before: a choice after it would wait for the load.
func TestEmitSetsWhatIsLoadedUnderAGuard(t *testing.T) {
	for other, want := range map[string]string{"7_u32": "mov.b32 %[1]s, 7;", "%n": "mov.b32 %[1]s, %%r"} {
		m, err := emit(parse(t, "kernel @k workgroup(64) { shared @x: u32[64]\nparam @y: buf<u32> wo\n%a = local.x\n%n = len @y\n"+
			"%c = lt.u32 %a, 9_u32\n%v = if %c -> (u32) {\n%w = load @x[5_u32]\nyield %w\n} else { yield "+other+" }\nstore @y[%a], %v\n}"), ptx.Target{SM: 90})
		if err != nil {
			t.Fatal(err)
		}
		load := regexp.MustCompile(`@%p\d+ ld\.shared\.u32 (%r\d+)`).FindStringSubmatch(m.Text)
		if load == nil || !strings.Contains(m.Text, fmt.Sprintf(want, load[1])) || strings.Contains(m.Text, "selp") {
			t.Errorf("%s: not set before it is loaded, or chosen after:\n%s", other, m.Text)
		}
	}
}

func TestEmitClearsWhatALoopLoadsUnderAGuard(t *testing.T) {
	const once = "%%c = lt.u32 %%a, %s\n%%v = if %%c -> (u32) {\n%%w = load @x[5_u32]\n%%z = add.u32 %%w, 1_u32\nyield %%z\n} else { yield 7_u32 }\n"
	text := func(body string) string {
		m, err := emit(parse(t, "kernel @k workgroup(64) { shared @x: u32[64]\nparam @y: buf<u32> wo\n%a = local.x\n"+body+"}"), ptx.Target{SM: 90})
		if err != nil {
			t.Fatal(err)
		}
		return m.Text
	}
	guarded := regexp.MustCompile(`@%p\d+ ld\.shared\.u32 (%r\d+)`)
	for body, want := range map[string]bool{
		fmt.Sprintf(once, "9_u32") + "store @y[%a], %v\n": false,
		"loop ^0 (%k: u32 = 0_u32) {\n" + fmt.Sprintf(once, "%k") + "store @y[%a], %v\n%e = lt.u32 9_u32, %k\nif %e { break ^0 }\n%j = add.u32 %k, 1_u32\ncontinue ^0 (%j)\n}\n": true,
	} {
		s := text(body)
		load := guarded.FindStringSubmatch(s)
		if load == nil {
			t.Fatalf("no load under a guard:\n%s", s)
		}
		if got := strings.Contains(s, "mov.b32 "+load[1]+", 0;"); got != want {
			t.Errorf("cleared: %v, want %v:\n%s", got, want, s)
		}
	}
}
