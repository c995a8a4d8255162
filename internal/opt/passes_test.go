package opt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

func TestRunRefusesOptionsThatNameNoPass(t *testing.T) {
	p := conform.Random(1).Program
	for name, o := range map[string]opt.Options{
		"enable":  {Passes: compile.Choice{Enable: []string{"fusion"}}},
		"disable": {Passes: compile.Choice{Disable: []string{"fusion"}}},
		"level":   {Passes: compile.Choice{Level: 9}},
	} {
		_, _, err := opt.Run(p, o)
		if err == nil || name != "level" && !strings.Contains(err.Error(), `"fusion"`) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRunReturnsAProgramWithNothingToDoItself(t *testing.T) {
	ps, err := text.Parse("", "vyre 1\nkernel @k workgroup(1) {\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := opt.Run(ps[0], opt.Options{}); got != ps[0] || err != nil {
		t.Errorf("got another program, error %v", err)
	}
}

func TestRunGivesOneProgramFiveTimes(t *testing.T) {
	for seed := range uint64(40) {
		p := conform.Random(seed).Program
		first, _, err := opt.Run(p, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if q, _, _ := opt.Run(p, opt.Options{}); q.Digest() != first.Digest() {
				t.Fatalf("seed %d: two runs gave two programs", seed)
			}
		}
		if q, _, err := opt.Run(p, opt.Options{Check: true}); err != nil || q.Digest() != first.Digest() {
			t.Errorf("seed %d: checking after every pass changes the program (error %v)", seed, err)
		}
	}
}

func TestRunTracesEveryPassAndTheProgramAfterIt(t *testing.T) {
	for seed := range uint64(10) {
		p := conform.Random(seed).Program
		var traced []string
		last := p
		trace := func(s compile.Stats, q *ir.Program) {
			traced = append(traced, s.Run)
			if q != last && q.Digest() == last.Digest() {
				t.Errorf("seed %d: %s changed nothing and gave another program", seed, s.Run)
			}
			last = q
		}
		q, report, err := opt.Run(p, opt.Options{Trace: trace})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, s := range report.Passes {
			want = append(want, s.Run)
		}
		if strings.Join(traced, " ") != strings.Join(want, " ") {
			t.Errorf("seed %d: traced %v, the report has %v", seed, traced, want)
		}
		if last.Digest() != q.Digest() {
			t.Errorf("seed %d: the last program traced is not the result", seed)
		}
	}
}

// A program whose expansion is larger than one may be is at a limit of the compiler; it shows no mistake of it.
func TestRunReportsALimitAsOne(t *testing.T) {
	nested := "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<f64> rw\n%i = global.x\n%c = eq.u32 %i, 0_u32\n%v = load @x[%i]\n" +
		strings.Repeat("if %c {\n", 256) + "%s = sin.f64 %v\nstore @x[%i], %s\n" + strings.Repeat("}", 256) + "}\n"
	programs := map[string]string{"nesting": nested}
	if long.Enabled() {
		var b strings.Builder
		b.WriteString("vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<f64> rw\n%i = global.x\n%v0 = load @x[%i]\n")
		for k := range 8000 {
			fmt.Fprintf(&b, "%%v%d = sin.f64 %%v%d\n", k+1, k)
		}
		b.WriteString("store @x[%i], %v8000\n}\n")
		programs["rows"] = b.String()
	}
	for what, source := range programs {
		ps, err := text.Parse("k.vyre", source)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []opt.Options{{Passes: compile.Choice{Level: compile.O0}}, {Passes: compile.Choice{Level: compile.O0}, Check: true}} {
			_, _, err = opt.Run(ps[0], o)
			var ds ir.Diags
			if !errors.As(err, &ds) || ds[0].Code != "VY502" || !strings.Contains(err.Error(), what+": ") || strings.Contains(err.Error(), "BUG") {
				t.Errorf("%s: got %v, want a limit", what, err)
			}
		}
	}
}
