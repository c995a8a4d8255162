package opt_test

import (
	"context"
	"flag"
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
