package opt_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// islands are programs for egraph: random ones, and a part of the conformance suite.
func islands(t *testing.T, do func(name string, p *ir.Program)) {
	t.Helper()
	for seed := range uint64(long.Count(150, 1000, 10_000)) {
		do("random", conform.Random(seed).Program)
	}
	n, every := 0, long.Count(16, 4, 1)
	for c := range conform.Cases("") {
		if n++; c.Program != nil && n%every == 0 {
			do(c.Name, c.Program)
		}
	}
}

// TestEveryEquatedValueHasAProof replays the proof of each value that egraph puts in the place of another.
func TestEveryEquatedValueHasAProof(t *testing.T) {
	proofs, steps := 0, 0
	islands(t, func(name string, p *ir.Program) {
		q, rep, err := opt.Run(p, opt.Options{Passes: compile.Choice{Level: compile.O3}, Explain: (*egraph.Graph).Explain})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names := (text.Printer{}).List(q).Names
		for _, e := range rep.Equated {
			if err := e.Proof.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.HasPrefix(e.Text(names), "why  ") {
				t.Errorf("%s: %s", name, e.Text(names))
			}
			proofs, steps = proofs+1, steps+strings.Count(e.Proof.String(), "\n")-1
		}
	})
	t.Logf("%d proofs of %d steps", proofs, steps)
	if proofs < 20 || steps < proofs {
		t.Errorf("%d proofs of %d steps test little", proofs, steps)
	}
}

// TestEgraphCostsNoMore: after the run of egraph the ops of a program cost at most what they did before.
func TestEgraphCostsNoMore(t *testing.T) {
	less := 0
	islands(t, func(name string, p *ir.Program) {
		before := p
		trace := func(s compile.Stats, q *ir.Program) {
			if s.Pass == "egraph" && q != before {
				was, is := opt.CostOf(before), opt.CostOf(q)
				if is > was {
					t.Errorf("%s: ops cost %d before egraph and %d after it", name, was, is)
				}
				if is < was {
					less++
				}
			}
			before = q
		}
		if _, _, err := opt.Run(p, opt.Options{Passes: compile.Choice{Level: compile.O3}, Trace: trace}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	})
	if less < 20 {
		t.Errorf("%d programs cost less; that tests little", less)
	}
}

// TestEgraphSaysThatItStopped: the report of a program with more equal terms than there is room for says so, of another not.
func TestEgraphSaysThatItStopped(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"few": {"%a = cvt.f32.u32 %v\n%n = neg.f32 %a\n%b = abs.f32 %n\n%c = cvt.u32.f32 %b\n", ""},
		"many": {"%a = add.u32 %v, %i\n%b = mul.u32 %a, %i\n%d = mul.u32 %v, %i\n%e = sub.u32 %b, %d\n%f = add.u32 %e, %v\n" +
			"%g = mul.u32 %f, %e\n%h = xor.u32 %g, %a\n%j = and.u32 %h, %e\n%k = add.u32 %j, %g\n%c = sub.u32 %k, %h\n", "limit of rows"},
	} {
		ps, err := text.Parse(name, "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<u32> rw\n%i = global.x\n%v = load @x[%i]\n"+c.body+"store @x[%i], %c\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		_, rep, err := opt.Run(ps[0], opt.WithRuns(opt.Options{}, []compile.Run{{Name: "egraph", Pass: "egraph"}}))
		if err != nil {
			t.Fatal(err)
		}
		if s := rep.Passes[0]; s.Stopped != c.want || s.Rewrites["cheaper"] == 0 {
			t.Errorf("%s: %d replaced, stopped by %q, want %q", name, s.Rewrites["cheaper"], s.Stopped, c.want)
		}
	}
}
