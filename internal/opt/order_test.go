package opt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// shuffled returns the runs before the group text in a random order that keeps to the groups and the constraints.
func shuffled(rng *rand.Rand) []compile.Run {
	var left, order []compile.Run
	for _, r := range compile.Table() {
		if r.Group != compile.Text {
			left = append(left, r)
		}
	}
	free := func(r compile.Run) bool {
		for _, other := range left {
			if other.Group < r.Group {
				return false
			}
			for _, c := range compile.Constraints() {
				if c.First == other.Name && c.Then == r.Name {
					return false
				}
			}
		}
		return true
	}
	for len(left) > 0 {
		var next []int
		for i, r := range left {
			if free(r) {
				next = append(next, i)
			}
		}
		i := next[rng.IntN(len(next))]
		order = append(order, left[i])
		left = append(left[:i], left[i+1:]...)
	}
	return order
}

// What the constraints leave open decides how good a program becomes, never what it means.
func TestRunMeansTheSameInEveryOrder(t *testing.T) {
	orders, programs := long.Count(20, 200, 2000), uint64(long.Count(4, 10, 40))
	rng := rand.New(rand.NewPCG(11, 12))
	seen := map[string]bool{}
	for k := range uint64(orders) {
		runs := shuffled(rng)
		seen[fmt.Sprint(runs)] = true
		d := optimising{Options: opt.WithRuns(opt.Options{}, runs)}
		var s conform.Summary
		if err := conform.RunRandom(context.Background(), 400_000+k*programs, programs, 1, &s, func() {}, d); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Failures {
			t.Errorf("in the order %v: %v", runs, f)
		}
	}
	if len(seen) < orders {
		t.Errorf("%d orders, of which %d differ", orders, len(seen))
	}
}

// The cases' kernels are made to show what each pass does.
func TestRunMeansTheSameInEveryOrderOnCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, c := range cases(t) {
		runs := shuffled(rng)
		if err := c.agree(opt.WithRuns(opt.Options{}, runs)); err != nil {
			t.Errorf("%s in the order %v: %v", c.file, runs, err)
		}
	}
}

// A pass that panics gives an error that says which, and where it was; also to many that run at once.
//
//ci:race ErrorOfAPanic
func TestRunMakesAnErrorOfAPanic(t *testing.T) {
	p, err := text.Parse("k.vyre", "vyre 1\nkernel @stored workgroup(32) { param @x: buf<u32> wo\n%i = global.x\nstore @x[%i], %i\n}")
	if err != nil {
		t.Fatal(err)
	}
	opt.WithPass(t, "bounds", func(last ir.Row) { panic(fmt.Sprint("on purpose, at ", last)) })
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			_, _, err := opt.Run(p[0], opt.Options{})
			var e *compile.InternalError
			if !errors.As(err, &e) || e.Run != "bounds.early" || e.Kernel != "stored" || e.Pos.Line != 5 || len(e.Stack) == 0 {
				t.Errorf("got %v, want an internal error of bounds.early at the end", err)
				return
			}
			for _, part := range []string{"pass bounds.early", `kernel "stored"`, fmt.Sprint("row ", e.Row), "k.vyre:5:1", "on purpose", "-bounds.early"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %q: %v", part, err)
				}
			}
		})
	}
	running.Wait()
	if _, _, err := opt.Run(p[0], opt.Options{Passes: compile.Choice{Disable: []string{"bounds"}}}); err != nil {
		t.Errorf("without the pass: %v", err)
	}
}
