package opt_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
)

var randomPrograms = flag.Uint64("random", 0, "number of random programs at each level; 0 takes a few")

func TestRunKeepsTheMeaningOfRandomPrograms(t *testing.T) {
	n := *randomPrograms
	if n == 0 {
		n = uint64(long.Count(60, 1_000, 20_000))
	}
	seed := long.Seed(t, 0)
	rng := rand.New(rand.NewPCG(1+seed, 2)) // other subsets for other programs
	devices := []conform.Device{
		optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O3}, Check: true}},
		optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O2}}, detect: interp.Races},
		optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O2}, Check: true}, schedule: interp.Reversed},
		optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O1}}, schedule: interp.Seeded(1)},
		optimising{Options: opt.Options{Passes: compile.Choice{Level: compile.O0}}},
	}
	for range 3 {
		var o opt.Options
		for _, p := range compile.Optional() {
			if rng.IntN(3) == 0 {
				o.Passes.Disable = append(o.Passes.Disable, p)
			}
		}
		devices = append(devices, optimising{Options: o})
	}
	var s conform.Summary
	if err := conform.RunRandom(context.Background(), seed, n, runtime.GOMAXPROCS(0), &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
}

func TestRunKeepsTheMeaningOfTheSuite(t *testing.T) {
	for name, level := range map[string]compile.Level{"O0": compile.O0, "O1": compile.O1, "O2": compile.O2, "O3": compile.O3} {
		if level != compile.O2 && !long.Enabled() {
			continue // the random programs and the cases are run at every level
		}
		t.Run(name, func(t *testing.T) {
			s, err := conform.Run(context.Background(), optimising{Options: opt.Options{Passes: compile.Choice{Level: level}}}, conform.Options{
				Skip: func(c *conform.Case) bool { return c.Host != nil }, // of the host alone: no program goes through the passes
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Failures {
				t.Error(f)
			}
			t.Logf("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
		})
	}
}

// A pass that random programs give nothing to do is not tested by them.
func TestPassesFindSomethingToDoInRandomPrograms(t *testing.T) {
	const n = 500
	programs, rewrites := map[string]int{}, map[string]int{}
	for seed := range uint64(n) {
		_, rep, err := opt.Run(conform.Random(seed).Program, opt.Options{Passes: compile.Choice{Level: compile.O3}})
		if err != nil {
			t.Fatal(err)
		}
		fired := map[string]bool{}
		for _, p := range rep.Passes {
			for _, k := range p.Rewrites {
				rewrites[p.Pass] += k
				fired[p.Pass] = true
			}
		}
		for name := range fired {
			programs[name]++
		}
	}
	for _, p := range compile.All() {
		name := p.Name
		if strings.HasPrefix(name, "ptx.") || name == "accurate" || name == "search" { // exact results, and no bank
			continue
		}
		t.Logf("%s: in %d of %d programs, %d rewrites", name, programs[name], n, rewrites[name])
		if programs[name] < n/100 {
			t.Errorf("%s has something to do in %d of %d programs only", name, programs[name], n)
		}
	}
}

// accesses writes programs of loads and stores close to each other, in ifs within one another and in a loop or not.
type accesses struct {
	*rand.Rand
	code    string
	n, last int // values so far, and the one to go on with
}

func (a *accesses) put(format string, args ...any) { a.code += fmt.Sprintf(format+"\n", args...) }

// one puts the next value.
func (a *accesses) one(format string, args ...any) {
	a.n++
	a.last = a.n
	a.put("%%v%d = "+format, append([]any{a.n}, args...)...)
}

// sum puts a sum of a counter or a base and a constant, and returns its name.
func (a *accesses) sum(bases []string) string {
	a.one("add.u32 %%v%d, 1_u32", a.last)
	a.put("%%j%d = add.u32 %s, %d_u32", a.n, bases[a.IntN(len(bases))], a.IntN(4))
	return fmt.Sprintf("%%j%d", a.n)
}

// rows puts n accesses, bases, and ifs that compare indices.
func (a *accesses) rows(n int, base string, depth int) {
	bases := []string{base}
	for range n {
		o := []string{"x", "y", "y", "s"}[a.IntN(4)]
		switch k := a.IntN(12); {
		case k < 5:
			a.one("load @%s[%s]", o, a.sum(bases))
		case k < 9 && o != "x":
			at := a.sum(bases)
			a.put("store @%s[%s], %%v%d", o, at, a.last)
		case k < 10:
			a.put("%%b%d = shl.u32 %s, 2_u32", a.n, bases[0])
			bases = append(bases, fmt.Sprintf("%%b%d", a.n))
			a.n++
		case depth > 0:
			at := a.sum(bases)
			had := a.last
			a.one("lt.u32 %s, %s", at, []string{"%n", "%m", "9_u32"}[a.IntN(3)])
			is := a.n
			a.put("%%r%d = if %%v%d -> (u32) {", is, is)
			for arm, end := range []string{"} else {", "}"} {
				a.one("add.u32 %%v%d, %d_u32", had, 3+arm)
				a.rows(a.IntN(3), bases[a.IntN(len(bases))], depth-1)
				a.put("yield %%v%d\n%s", a.last, end)
			}
			a.one("mul.u32 %%r%d, 3_u32", is)
		}
	}
}

// Passes that move accesses, or leave checks out, are tried on programs of little else.
func TestAccessesKeepTheirOrder(t *testing.T) {
	seed, hits := long.Seed(t, 0), map[string]int{}
	for k := range uint64(long.Count(120, 2_500, 100_000)) {
		a := &accesses{Rand: rand.New(rand.NewPCG(seed+k, 3))}
		a.put("kernel @k workgroup(1) {\nparam @x: buf<u32> ro align 16\nparam @y: buf<u32> rw align 16\nparam %%n: u32\nparam %%m: u32\nshared @s: u32[24]")
		a.put("%%l = local.x\n%%v0 = add.u32 %%l, 1_u32")
		if a.IntN(2) == 0 {
			a.rows(20, "%l", 2)
		} else {
			a.put("%%e, %%f = loop ^a (%%i: u32 = %%l, %%g: u32 = %%v0) -> (u32, u32) {\n%%d = le.u32 %%n, %%i\nif %%d { break ^a (%%g, %%i) }")
			a.one("add.u32 %%g, %%i")
			a.rows(12, "%i", 1)
			a.put("%%next = add.u32 %%i, %d_u32\ncontinue ^a (%%next, %%v%d)\n}", 1+a.IntN(3), a.last)
			a.one("add.u32 %%e, %%f")
		}
		a.put("store @y[40_u32], %%v%d\n}", a.last)
		c, err := readCase("testdata/vector/random.txtar", fmt.Appendf(nil, "-- before --\n%s-- launch --\narg x = 1 2 3 4 5 6 7 8 9\narg y = zeros 41\narg n = %d\narg m = %d\n", a.code, a.IntN(14), a.IntN(12)))
		if err != nil {
			t.Fatal(err)
		}
		for _, passes := range [][]string{{"vector"}, {"irce"}, {"irce", "dce", "vector"}} {
			o := only(passes)
			if err := c.agree(o); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed+k, passes, err, a.code)
			}
			_, rep, _ := opt.Run(c.program, o)
			for _, p := range rep.Passes {
				hits[p.Pass] += len(p.Rewrites)
			}
		}
	}
	if min(hits["vector"], hits["irce"]) < 20 {
		t.Errorf("rules used: %v, want 20 of each pass", hits)
	}
}
