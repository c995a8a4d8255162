package ptx_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var sm90 = ptx.Target{SM: 90}

const exponential = `kernel @exponential workgroup(32) {
  param @x: buf<f32> rw
  %i = global.x
  %v = load @x[%i]
  %e = exp.f32 %v
  %w = mul.f32 %e, 1_f32
  store @x[%i], %w
}`

// Every run of the table that has something to be applied to comes by, once, in order, down to the text.
func TestProgramTracesTheRunsOfTheTable(t *testing.T) {
	for _, level := range []compile.Level{compile.O0, compile.O1, compile.O2} {
		var ran []string
		m, err := ptx.Compile(parse(t, exponential), sm90, ptx.Options{Passes: compile.Choice{Level: level}, Trace: func(s ptx.Step) {
			ran = append(ran, s.Run)
			if text := s.Run[:min(4, len(s.Run))] == "ptx."; text != (s.Listing != nil) || s.Program == nil || s.Kernel != "exponential" {
				t.Errorf("%s has program %v and listing %v", s.Run, s.Program, s.Listing)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, r := range compile.Table() {
			if r.Level <= level && r.When == compile.Always {
				want = append(want, r.Name)
			}
		}
		if ran = slices.DeleteFunc(ran, func(name string) bool { return !slices.Contains(want, name) }); !slices.Equal(ran, want) {
			t.Errorf("at O%d: ran %v, want %v", level-compile.O0, ran, want)
		}
		if !strings.Contains(m.Text, ".visible .entry exponential_") {
			t.Errorf("the text is\n%s", m.Text)
		}
	}
}

// What is traced is what happens: with the trace the text is the same, and its last listing is the text.
func TestProgramGivesTheSameTextWithATrace(t *testing.T) {
	for seed := range uint64(30) {
		p := conform.Random(seed).Program
		plain, err := ptx.Compile(p, sm90, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var last ptx.Step
		traced, err := ptx.Compile(p, sm90, ptx.Options{Check: true, Trace: func(s ptx.Step) { last = s }})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Text != traced.Text || !strings.HasSuffix(plain.Text, last.Listing.Text) || last.Program != traced.Kernels[0].Program {
			t.Errorf("seed %d: with the trace the text is\n%s\nwithout\n%s", seed, traced.Text, plain.Text)
		}
	}
}

func TestProgramExpandsOnce(t *testing.T) {
	expanded, rules := 0, 0
	_, err := ptx.Compile(parse(t, exponential), sm90, ptx.Options{Trace: func(s ptx.Step) {
		if s.Pass == "expand" {
			expanded++
			rules += s.Rewrites["exp"]
		}
	}})
	if err != nil || expanded != 1 || rules != 1 {
		t.Errorf("the pass expand ran %d times and replaced %d ops, want 1 and 1; error %v", expanded, rules, err)
	}
}

// The target is held against the program as it was given, once: so what the passes make of one that it takes must need
// nothing that it lacks.
func TestProgramNeedsNoMoreThanItsSource(t *testing.T) {
	old := ptx.Target{SM: 70}
	programs := 0
	for seed := range uint64(200) {
		p := conform.Random(seed).Program
		m, err := ptx.Compile(p, old, ptx.Options{})
		if err != nil {
			continue // the target lacks an op
		}
		programs++
		if err := ptx.Check(m.Kernels[0].Program, old); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if programs < 100 {
		t.Errorf("%d programs could be compiled for %s", programs, old)
	}
}

func TestProgramRefusesWhatTheTargetLacksAtEveryLevel(t *testing.T) {
	p := parse(t, "kernel @k workgroup(32) { param @x: buf<f32> rw\n%i = global.x\n%v = load @x[%i]\n%t = fast_tanh.f32 %v\nstore @x[%i], %v\n}")
	for _, level := range []compile.Level{compile.O0, compile.O2} {
		_, err := ptx.Compile(p, ptx.Target{SM: 70}, ptx.Options{Passes: compile.Choice{Level: level}})
		var ds ir.Diags
		if !errors.As(err, &ds) || ds[0].Code != "VY506" {
			t.Errorf("at O%d: %v, want VY506", level-compile.O0, err)
		}
	}
	var none *ptx.TargetError
	if _, err := ptx.Compile(p, ptx.Target{SM: 61}, ptx.Options{}); !errors.As(err, &none) {
		t.Errorf("for sm_61: %v, want a TargetError", err)
	}
	if _, err := ptx.Compile(p, sm90, ptx.Options{Passes: compile.Choice{Disable: []string{"fusion"}}}); err == nil || !strings.Contains(err.Error(), `"fusion"`) {
		t.Errorf("without a pass that there is not: %v", err)
	}
}

// Values that are compared in pairs are known to be equal by exponentially many chains. The passes ask about the order of
// two of them in a bounded number of steps, whatever is known.
func TestProgramComparesManyValuesInPairs(t *testing.T) {
	var b strings.Builder
	b.WriteString("kernel @agree workgroup(64) { param @x: buf<u32> ro\nparam @y: buf<u32> rw\n%i = global.x\n")
	for k := range 14 {
		fmt.Fprintf(&b, "%%i%d = add.u32 %%i, %d_u32\n%%v%d = load @x[%%i%d]\n", k, k, k, k)
		for j := range k {
			fmt.Fprintf(&b, "%%c%d_%d = ne.u32 %%v%d, %%v%d\nif %%c%d_%d { return }\n", k, j, k, j, k, j)
		}
	}
	b.WriteString("store @y[%v0], %v13\n}")
	visits := 0
	p := parse(t, b.String())
	if _, err := ptx.Compile(p, sm90, ptx.Options{Trace: func(s ptx.Step) { visits += s.Visits }}); err != nil {
		t.Fatal(err)
	}
	if most := 300 * p.Rows(); visits > most {
		t.Errorf("%d rows take %d visits, want at most %d", p.Rows(), visits, most)
	}
}

// A panic that no run is to blame for, here one of the caller's own trace, does not end the process either.
func TestProgramMakesAnErrorOfAPanic(t *testing.T) {
	for _, at := range []string{"algebra.early", "ptx.address", "ptx.print"} {
		_, err := ptx.Compile(parse(t, exponential), sm90, ptx.Options{Trace: func(s ptx.Step) {
			if s.Run == at {
				panic("on purpose")
			}
		}})
		var e *compile.InternalError
		if !errors.As(err, &e) || e.Kernel != "exponential" || e.Value != "on purpose" || len(e.Stack) == 0 {
			t.Errorf("a panic at %s: %v, want an internal error", at, err)
		}
	}
}

func TestDumpWritesWhatChanged(t *testing.T) {
	var b bytes.Buffer
	if _, err := ptx.Compile(parse(t, exponential), sm90, ptx.Options{Trace: ptx.Dump(&b, text.Of)}); err != nil {
		t.Fatal(err)
	}
	var heads []string
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "// ") {
			heads = append(heads, strings.TrimSpace(line))
		}
	}
	for _, want := range []string{"// exponential after algebra.early: fmul-one 1", "// exponential after ptx.select", "// exponential after ptx.address"} {
		if !slices.Contains(heads, want) {
			t.Errorf("no line %q among %q", want, heads)
		}
	}
	for _, head := range heads {
		if strings.Contains(head, "unroll") || strings.Contains(head, "ptx.print") {
			t.Errorf("%q changed nothing, or stands in the module", head)
		}
	}
}
