package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// associative is the rule of the sums. The operands of a sum have no order, so half of the rows that commutativity as a
// rule makes are there: 3ⁿ − 2ⁿ⁺¹ + 1 for n leaves.
const associative = "add-assoc int (add (add ?x ?y) ?z) <=> (add ?x (add ?y ?z))"

// sum adds n leaves one after the other.
func sum(n int) (*egraph.Graph, egraph.Class) {
	g := egraph.New()
	add := g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32})
	c := g.Leaf("x0", ir.U32)
	for i := 1; i < n; i++ {
		c = g.Add(add, c, g.Leaf(fmt.Sprint("x", i), ir.U32))
	}
	return g, c
}

// longest is how long a run on the host may take, by the run before it: a leaf more takes nine times as long at most.
const longest = 60 * time.Second

// sums saturates sums of several sizes. A time is printed once rows and classes of both forms are those known.
func (b *bench) sums(most int) error {
	list, err := rules.Parse(associative)
	if err != nil {
		return err
	}
	took, before := time.Duration(0), 0
	for _, n := range []int{5, 8, 11, 12, 13} {
		rows := (int(math.Pow(3, float64(n)))-1<<(n+1)+1)/2 + n
		if rows > most {
			break
		}
		w := workload{name: fmt.Sprintf("sum of %d", n), n: rows}
		want := closure{classes: 1<<n - 1, digest: uint64(rows)}
		on, err := b.sumOnDevice(w, n, list, &want)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if expected := float64(took) * math.Pow(4.5, float64(n-before)); expected > float64(longest) {
			fmt.Fprintf(b.out, "# %s: device %v; one core is left out, since it would take about %.0f s\n", w.name, on.median(), expected/1e9)
			continue
		}
		host, err := b.sumOnHost(w, n, list, want)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		took, before = host.median(), n
		fmt.Fprintf(b.out, "# %s: device %v, one core %v, ratio %.2f\n", w.name, on.median(), took, float64(took)/float64(on.median()))
	}
	return nil
}

// sumOnDevice times the upload, the saturation and the read of the cheapest term together.
func (b *bench) sumOnDevice(w workload, n int, list []*rules.Rule, want *closure) (wall times, err error) {
	g, c := sum(n)
	began := time.Now()
	s, err := device.OpenSaturation(b.ctx, b.dev, list, egraph.Limits{Rows: w.n + w.n/8 + 64, Rounds: 100}, egraph.Costs{}, []*egraph.Graph{g}, []egraph.Class{c})
	if err != nil {
		return nil, err
	}
	opening := times{time.Since(began)}
	defer func() { err = errors.Join(err, s.Close()) }()
	var work times
	for k := range 1 + b.runs {
		began := time.Now()
		all, err := s.Run(b.ctx)
		took := time.Since(began)
		if err != nil {
			return nil, err
		}
		r := &all[0]
		if got := (closure{classes: r.Classes, digest: uint64(r.Rows)}); got.classes != want.classes || got.digest != want.digest || r.Stopped != "" || len(r.Terms.Nodes) != 2*n-1 {
			return nil, fmt.Errorf("%d rows, %d classes, %v, %v", r.Rows, r.Classes, r.Stopped, r.Terms)
		}
		if want.rounds = r.Rounds; k > 0 {
			wall, work = append(wall, took), append(work, r.Device)
		}
	}
	b.line(w, "device", "open and compile", opening, *want)
	b.line(w, "device", "upload to the term", wall, *want)
	b.line(w, "device", "device time of that", work, *want)
	return wall, nil
}

// sumOnHost times Run and Extract.
func (b *bench) sumOnHost(w workload, n int, list []*rules.Rule, want closure) (t times, err error) {
	rs, err := egraph.Compile(list)
	if err != nil {
		return nil, err
	}
	for k := 0; k == 0 || k < b.runs/3 && t[0]*time.Duration(k) < patience; k++ {
		g, c := sum(n)
		runtime.GC()
		began := time.Now()
		r, err := g.Run(rs, egraph.Limits{Rows: math.MaxInt32, Rounds: math.MaxInt32, Matches: math.MaxInt})
		best := g.Extract(egraph.Costs{}, c)
		t = append(t, time.Since(began))
		if err != nil || r.Stopped != "" || g.Rows() != w.n || g.Classes() != want.classes || len(best.Nodes) != 2*n-1 {
			return nil, fmt.Errorf("one core: %d rows, %d classes, %v, %v: %w", g.Rows(), g.Classes(), r.Stopped, best, err)
		}
		want.rounds = r.Rounds
	}
	b.line(w, "one core", "saturation and extraction", t, want)
	return t, nil
}
