package ptx_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/ptx"
)

var update = flag.Bool("update", false, "write the golden files anew")

// swept are the targets that the assembler of the tests knows.
var swept = []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 86}, {SM: 89}, {SM: 90}}

// group is programs that are counted together.
type group struct {
	name string
	ps   []*ir.Program
}

// corpus returns the programs of the conformance suite by family, each program once; the kernels of each
// example; and n random programs.
func corpus(t testing.TB, n int) []group {
	seen := make(map[[32]byte]bool)
	var groups []group
	add := func(name string, p *ir.Program) {
		if p == nil || seen[p.Digest()] {
			return
		}
		seen[p.Digest()] = true
		if len(groups) == 0 || groups[len(groups)-1].name != name {
			groups = append(groups, group{name: name})
		}
		g := &groups[len(groups)-1]
		g.ps = append(g.ps, p)
	}
	for c := range conform.Cases("") {
		add(c.Family, c.Program)
	}
	dirs, err := filepath.Glob("../examples/*/main.go")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range dirs {
		pkg, err := kernel.Load(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range pkg.Kernels() {
			add("examples/"+filepath.Base(filepath.Dir(file))+":"+k.Name, k.Program)
		}
	}
	for seed := range n {
		add("random", conform.Random(uint64(seed)).Program)
	}
	return groups
}

// TestEveryCaseHasPTX: each program has PTX for each target, or an error that names the op.
func TestEveryCaseHasPTX(t *testing.T) {
	groups := corpus(t, 20)
	targets := classes
	if long.Enabled() {
		targets = ptx.Targets()
	}
	for _, target := range targets {
		refused := 0
		for _, g := range groups {
			for _, p := range g.ps {
				_, err := ptx.Emit(p, target, ptx.Options{})
				var ds ir.Diags
				switch {
				case err == nil:
				case errors.As(err, &ds) && ds[0].Code == "VY506":
					refused++
				default:
					t.Errorf("%s: %s: %v", target, g.name, err)
				}
			}
		}
		if want := target.SM < 75; (refused > 0) != want {
			t.Errorf("%s refuses %d programs; want some: %t", target, refused, want)
		}
	}
}

// used is what the assembler says about a group.
type used struct{ kernels, registers, spilled int }

// TestAssembles gives every program to the real assembler, many to a module. With -long it does so for all
// targets and holds registers and spills to testdata/registers.txt, which -update writes anew; else it takes
// one program of 16, on the oldest and the newest.
func TestAssembles(t *testing.T) {
	as := assembler(t)
	targets, groups := []ptx.Target{{SM: 70}, {SM: 90}}, corpus(t, 60)
	if long.Enabled() {
		targets, groups = swept, corpus(t, 300)
	}
	type batch struct {
		target, group int
		ps            []*ir.Program
	}
	sums := make([][]used, len(targets)) // by target, by group
	var mu sync.Mutex
	batches := make(chan batch)
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for b := range batches {
				u, err := assembles(t, as, targets[b.target], b.ps)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				s := &sums[b.target][b.group]
				s.kernels, s.registers, s.spilled = s.kernels+u.kernels, s.registers+u.registers, s.spilled+u.spilled
				mu.Unlock()
			}
		})
	}
	for i, target := range targets {
		sums[i] = make([]used, len(groups))
		for j, g := range groups {
			var ps []*ir.Program
			for k, p := range g.ps {
				if _, err := ptx.Emit(p, target, ptx.Options{}); err == nil && (long.Enabled() || k%16 == 0) {
					ps = append(ps, p)
				}
			}
			for len(ps) > 0 {
				n := min(len(ps), 64)
				batches <- batch{i, j, ps[:n]}
				ps = ps[n:]
			}
		}
	}
	close(batches)
	running.Wait()
	if long.Enabled() && !t.Failed() {
		golden(t, "testdata/registers.txt", table(targets, groups, sums))
	}
}

// assembles gives a module of programs to the assembler; if that refuses it, it finds the program.
func assembles(t *testing.T, as string, target ptx.Target, ps []*ir.Program) (used, error) {
	m, err := ptx.EmitAll(ps, target, ptx.Options{})
	if err != nil {
		return used{}, err
	}
	log, err := assemble(t, as, m)
	switch {
	case err == nil:
		return resources(log), nil
	case len(ps) == 1:
		return used{}, fmt.Errorf("%s: %s\n%s\n%s", target, log, ps[0].Text(), m.Text)
	}
	_, a := assembles(t, as, target, ps[:len(ps)/2])
	_, b := assembles(t, as, target, ps[len(ps)/2:])
	return used{}, errors.Join(a, b)
}

var (
	registersLine = regexp.MustCompile(`Used (\d+) registers`)
	spillsLine    = regexp.MustCompile(`(\d+) bytes spill stores`)
)

// resources adds up what the assembler's log says.
func resources(log string) (u used) {
	for _, m := range registersLine.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(m[1])
		u.kernels++
		u.registers += n
	}
	for _, m := range spillsLine.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(m[1])
		u.spilled += n
	}
	return u
}

// table prints the sums, one group a line.
func table(targets []ptx.Target, groups []group, sums [][]used) string {
	var b strings.Builder
	b.WriteString("# Registers of all kernels of a group together, by ptxas 11.8; +n: bytes spilled.\n")
	fmt.Fprintf(&b, "%-38s", "# group, kernels")
	for _, target := range targets {
		fmt.Fprintf(&b, " %7s", target)
	}
	b.WriteByte('\n')
	for j, g := range groups {
		fmt.Fprintf(&b, "%-33s %4d", g.name, len(g.ps))
		for i := range targets {
			cell := strconv.Itoa(sums[i][j].registers)
			if n := sums[i][j].spilled; n > 0 {
				cell += "+" + strconv.Itoa(n)
			}
			fmt.Fprintf(&b, " %7s", cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// golden compares text with a file, or writes it there under -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, wants := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range got {
		if i >= len(wants) || got[i] != wants[i] {
			old := "nothing"
			if i < len(wants) {
				old = wants[i]
			}
			t.Errorf("%s:%d: got\n%s\nwant\n%s\n(go test ./ptx -run '%s' -update accepts it)", file, i+1, got[i], old, t.Name())
			return
		}
	}
	if len(got) != len(wants) {
		t.Errorf("%s: %d lines, want %d", file, len(got), len(wants))
	}
}
