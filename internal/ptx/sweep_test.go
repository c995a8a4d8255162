package ptx_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	// Libraries of the examples: on a GPU's machine no go command finds them.
	_ "github.com/govyre/vyre/graph/flow"
	_ "github.com/govyre/vyre/megakernel/arcs"
	_ "github.com/govyre/vyre/megakernel/frontiers"
	_ "github.com/govyre/vyre/megakernel/queue"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

// swept are the targets for which every program is assembled. Those between see a part of the programs.
var swept = []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 90}}

// group is programs that are counted together.
type group struct {
	name string
	ps   []*ir.Program
}

// corpus returns the programs of the conformance suite by family, each program once; the kernels of examples, with
// -long of all; and n random programs.
func corpus(t testing.TB, n int) []group {
	groups, err := written()
	if err != nil {
		t.Fatal(err)
	}
	random := group{name: "random"}
	for seed := range n {
		r := conform.Random(uint64(seed))
		if seed%8 == 7 {
			r = conform.RandomWide(uint64(seed))
		}
		random.ps = append(random.ps, r.Program)
	}
	return append(slices.Clip(groups), random)
}

// written is the part of the corpus that people wrote, made once: it takes longer than most tests.
var written = sync.OnceValues(func() ([]group, error) {
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
	names := fewExamples
	if long.Enabled() {
		dirs, err := filepath.Glob("../../examples/*/kernel.go")
		if err != nil || len(dirs) == 0 {
			return nil, fmt.Errorf("no examples: %v", err)
		}
		names = nil
		for _, file := range dirs {
			names = append(names, filepath.Base(filepath.Dir(file)))
		}
	}
	for _, name := range names {
		pkg, err := example(name)
		if err != nil {
			return nil, err
		}
		for _, k := range pkg.Kernels() {
			add("examples/"+name+":"+k.Name, k.Program)
		}
	}
	return groups, nil
})

// TestEmitTakesEveryCase: each program has PTX for each target, or an error that names the op.
func TestEmitTakesEveryCase(t *testing.T) {
	groups := corpus(t, 20)
	targets := classes
	if long.Enabled() {
		targets = ptx.Targets()
	}
	for _, target := range targets {
		refused := 0
		for _, g := range groups {
			for _, p := range oneOf(long.Count(4, 4, 1), g.ps) {
				_, err := emit(p, target)
				var ds ir.Diags
				switch {
				case err == nil:
				case errors.As(err, &ds) && ds[0].Code == "VY506":
					refused++
				case errors.As(err, &ds) && ds[0].Code == "VY508" && target.SM < 80:
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

// used is what came of a group: programs that the assembler took and refused, and what it says of their kernels.
type used struct{ programs, refused, kernels, registers, spilled int }

func (u *used) add(v used) {
	u.programs, u.refused = u.programs+v.programs, u.refused+v.refused
	u.kernels, u.registers, u.spilled = u.kernels+v.kernels, u.registers+v.registers, u.spilled+v.spilled
}

// TestEmitAssembles gives every program to the real assembler, many to a module. With -long it does so for all
// targets, or a drawn one and the newest for a share, and holds registers and spills to testdata/registers.txt, which
// -update writes anew; else it takes one program of 64, on the oldest and the newest.
func TestEmitAssembles(t *testing.T) {
	s := sweep{t: t, ptxas: needs.PTXAS(t), targets: []ptx.Target{{SM: 70}, {SM: 90}}}
	if long.Enabled() {
		s.targets, s.groups = swept, corpus(t, 300)
		if newest := len(swept) - 1; !long.Whole() && !*update {
			s.targets = []ptx.Target{swept[long.Seed(t, 0)%uint64(newest)], swept[newest]}
		}
	} else {
		for _, g := range corpus(t, 60) {
			s.groups = append(s.groups, group{g.name, oneOf(64, g.ps)})
		}
	}
	sums := s.run(t.Context())
	if long.Enabled() && !t.Failed() {
		const file = "testdata/registers.txt"
		if text := table(s.targets, s.groups, sums); len(s.targets) == len(swept) {
			golden(t, file, text)
		} else {
			agrees(t, file, text, columns(t, file, s.targets))
		}
	}
}

// oneOf returns the first of every n programs.
func oneOf(n int, ps []*ir.Program) (some []*ir.Program) {
	for i := 0; i < len(ps); i += n {
		some = append(some, ps[i])
	}
	return some
}

// sweep gives every program to the assembler for every target, many to a module, on all cores.
type sweep struct {
	t       testing.TB
	ptxas   string
	targets []ptx.Target
	groups  []group

	shown atomic.Int32 // refusals that were printed as a whole
}

// run returns what came of it by target and by group. When ctx ends, it is what there was until then: much the same
// programs for every target, because each module goes to all of them before the next.
func (s *sweep) run(ctx context.Context) [][]used {
	type batch struct {
		target, group int
		ps            []*ir.Program
	}
	var mu sync.Mutex
	sums := make([][]used, len(s.targets))
	for i := range sums {
		sums[i] = make([]used, len(s.groups))
	}
	batches := make(chan batch)
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for b := range batches {
				u := s.assembles(ctx, s.targets[b.target], b.ps)
				mu.Lock()
				sums[b.target][b.group].add(u)
				mu.Unlock()
			}
		})
	}
	for j, g := range s.groups {
		for ps := range slices.Chunk(g.ps, 64) {
			for i := range s.targets {
				batches <- batch{i, j, ps}
			}
		}
	}
	close(batches)
	running.Wait()
	return sums
}

// assembles gives a module of programs to the assembler. If that refuses it, or the target lacks what a program
// asks for, it finds the program.
func (s *sweep) assembles(ctx context.Context, target ptx.Target, ps []*ir.Program) (u used) {
	if ctx.Err() != nil {
		return used{}
	}
	m, err := emitAll(ps, target)
	log := ""
	if err == nil {
		log, err = assemble(ctx, s.t, s.ptxas, m)
	}
	var ds ir.Diags
	switch {
	case err == nil:
		u = resources(log)
		u.programs = len(ps)
		return u
	case ctx.Err() != nil:
		return used{}
	case len(ps) > 1:
		u = s.assembles(ctx, target, ps[:len(ps)/2])
		u.add(s.assembles(ctx, target, ps[len(ps)/2:]))
		return u
	case errors.As(err, &ds) && (ds[0].Code == "VY506" || ds[0].Code == "VY508"):
		return used{}
	case m == nil:
		s.t.Errorf("%s: %v\n%s", target, err, text.Of(ps[0]))
	case s.shown.Add(1) <= 20:
		s.t.Errorf("%s: %s\n%s\n%s", target, log, text.Of(ps[0]), m.Text)
	default:
		s.t.Fail() // the text of thousands would hide the first
	}
	return used{refused: 1}
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

// columns reads those of some targets from a table of all that are swept.
func columns(t *testing.T, file string, targets []ptx.Target) string {
	const names = 38
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(all), "\n")
	for i, line := range lines {
		if i == 0 || line == "" {
			continue
		}
		lines[i] = line[:names]
		cells := strings.Fields(line[names:])
		for _, target := range targets {
			lines[i] += fmt.Sprintf(" %7s", cells[slices.Index(swept, target)])
		}
	}
	return strings.Join(lines, "\n")
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
	agrees(t, file, text, string(want))
}

// agrees compares a text with that of a file.
func agrees(t *testing.T, file, text, want string) {
	t.Helper()
	got, wants := strings.Split(text, "\n"), strings.Split(want, "\n")
	for i := range got {
		if i >= len(wants) || got[i] != wants[i] {
			old := "nothing"
			if i < len(wants) {
				old = wants[i]
			}
			t.Errorf("%s:%d: got\n%s\nwant\n%s\n(go test ./internal/ptx -run '%s' -update accepts it)", file, i+1, got[i], old, t.Name())
			return
		}
	}
	if len(got) != len(wants) {
		t.Errorf("%s: %d lines, want %d", file, len(got), len(wants))
	}
}
