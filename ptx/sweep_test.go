package ptx_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ptx"
)

// swept are the targets that the assembler of the tests knows.
var swept = []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 86}, {SM: 89}, {SM: 90}}

// corpus returns the programs of the conformance suite, each once, and n random ones.
func corpus(n int) []*ir.Program {
	seen := make(map[[32]byte]bool)
	var ps []*ir.Program
	add := func(p *ir.Program) {
		if p != nil && !seen[p.Digest()] {
			seen[p.Digest()] = true
			ps = append(ps, p)
		}
	}
	for c := range conform.Cases("") {
		add(c.Program)
	}
	for seed := range n {
		add(conform.Random(uint64(seed)).Program)
	}
	return ps
}

// able keeps the programs that a target can run.
func able(ps []*ir.Program, t ptx.Target) []*ir.Program {
	var able []*ir.Program
	for _, p := range ps {
		if _, err := ptx.Emit(p, t, ptx.Options{}); err == nil {
			able = append(able, p)
		}
	}
	return able
}

// TestEveryCaseHasPTX: each program of the suite has PTX for each target, or an error that names the op.
func TestEveryCaseHasPTX(t *testing.T) {
	ps := corpus(20)
	for _, target := range ptx.Targets() {
		refused := 0
		for _, p := range ps {
			_, err := ptx.Emit(p, target, ptx.Options{})
			var ds ir.Diags
			switch {
			case err == nil:
			case errors.As(err, &ds) && ds[0].Code == "VY506":
				refused++
			default:
				t.Errorf("%s: %v", target, err)
			}
		}
		if want := target.SM < 75; (refused > 0) != want {
			t.Errorf("%s refuses %d programs; want some: %t", target, refused, want)
		}
	}
}

// TestAssembles gives programs to the real assembler, many to a module.
func TestAssembles(t *testing.T) {
	as := assembler(t)
	targets, ps := []ptx.Target{{SM: 70}, {SM: 90}}, corpus(60)
	if long.Enabled() {
		targets, ps = swept, corpus(300)
	} else {
		var some []*ir.Program
		for i := 0; i < len(ps); i += 8 {
			some = append(some, ps[i])
		}
		ps = some
	}
	type batch struct {
		target ptx.Target
		ps     []*ir.Program
	}
	batches := make(chan batch)
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for b := range batches {
				if err := assembles(t, as, b.target, b.ps); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, target := range targets {
		rest := able(ps, target)
		for len(rest) > 0 {
			n := min(len(rest), 64)
			batches <- batch{target, rest[:n]}
			rest = rest[n:]
		}
	}
	close(batches)
	running.Wait()
}

// assembles gives a module of programs to the assembler; if that refuses it, it finds the program.
func assembles(t *testing.T, as string, target ptx.Target, ps []*ir.Program) error {
	m, err := ptx.EmitAll(ps, target, ptx.Options{})
	if err != nil {
		return err
	}
	log, err := assemble(t, as, m)
	switch {
	case err == nil:
		return nil
	case len(ps) == 1:
		return fmt.Errorf("%s: %s\n%s\n%s", target, log, ps[0].Text(), m.Text)
	}
	return errors.Join(assembles(t, as, target, ps[:len(ps)/2]), assembles(t, as, target, ps[len(ps)/2:]))
}
