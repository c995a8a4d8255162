package sass_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// machine is a device of the conformance suite: a program is assembled, and its machine code is run.
type machine struct {
	assembler
	build
	made     map[[32]byte]program // by digest
	schedule uint64               // who takes turns when
	passes   string               // as driver.Options.Optimise
}

// program is a kernel's machine code, and where its parameters are.
type program struct {
	ptx.Kernel
	assembled
}

func (m machine) Name() string { return "machine code of " + m.build.String() }

func (m machine) Run(ctx context.Context, p *ir.Program, l conform.Launch) (out conform.Outcome, err error) {
	if _, ok := m.made[p.Digest()]; !ok {
		if err := m.assemble(ctx, []*ir.Program{p}); err != nil {
			return out, err
		}
	}
	k := m.made[p.Digest()]
	code, err := k.parse()
	if err != nil {
		return out, err
	}
	launch := sass.Launch{Literals: k.literals, Tables: k.tables, Grid: l.Grid, Group: p.Workgroup(), Constants: m.constants(k.Params.Bytes),
		Shared: k.Static + k.Dynamic + l.Rest*k.RestElem, SharedAt: m.sharedAt(), Symbols: make(map[string]uint64), Schedule: m.schedule}
	for axis := range 3 {
		binary.LittleEndian.PutUint32(launch.Constants[4*axis:], launch.Group[axis])
		binary.LittleEndian.PutUint32(launch.Constants[12+4*axis:], l.Grid[axis])
	}
	params := launch.Constants[m.parameters():]
	// give has memory at an address of its own, and returns that.
	give := func(data []byte) uint64 {
		at := uint64(len(launch.Memory)+1) << 32
		launch.Memory = append(launch.Memory, sass.Segment{At: at, Data: data})
		return at
	}
	out.Buffers = make([][]byte, len(l.Args))
	for i, a := range l.Args {
		slot, prm := k.Params.Slots[i], p.Params()[i]
		to := params[slot.Offset:]
		if !prm.IsBuffer() {
			if slot.Size == 8 {
				binary.LittleEndian.PutUint64(to, a.Bits)
			} else {
				binary.LittleEndian.PutUint32(to, uint32(a.Bits))
			}
			continue
		}
		out.Buffers[i] = bytes.Clone(a.Data)
		binary.LittleEndian.PutUint64(to, give(out.Buffers[i]))
		binary.LittleEndian.PutUint64(params[slot.Len:], uint64(len(a.Data)/prm.Bytes()))
	}
	if k.globals != nil {
		at := give(k.globals)
		for name, offset := range k.symbols {
			launch.Symbols[name] = at + offset
		}
	}
	var trap, block [128]byte
	if at := k.Params.Grid; at >= 0 {
		binary.LittleEndian.PutUint64(params[at:], give(block[:]))
	}
	if at := k.Params.Trap; at >= 0 {
		binary.LittleEndian.PutUint64(params[at:], give(trap[:]))
	}
	if k.Params.Trace >= 0 {
		return out, &sass.UnknownError{Text: "a launch with a ring of traces"}
	}
	if err := code.Run(launch); err != nil {
		return out, err
	}
	if word := func(at int) uint32 { return binary.LittleEndian.Uint32(trap[at:]) }; word(0) != 0 { // as the emitter lays it out
		out.Trap = &conform.Trap{Code: word(4), Value: binary.LittleEndian.Uint64(trap[16:]),
			Group: [3]uint32{word(24), word(28), word(32)}, Local: [3]uint32{word(36), word(40), word(44)}}
	}
	return out, nil
}

// assemble makes machine code of programs in one module.
func (m machine) assemble(ctx context.Context, ps []*ir.Program) error {
	choice, err := compile.Parse(m.passes)
	if err != nil {
		return err
	}
	module, err := ptx.CompileModule(ps, ptx.Target{SM: m.sm}, ptx.Options{Passes: choice})
	if err != nil {
		return err
	}
	made, err := m.assembler.assemble(ctx, module.Text, m.build)
	if err != nil {
		return err
	}
	for i, k := range module.Kernels {
		m.made[ps[i].Digest()] = program{k, made[k.Entry]}
	}
	return nil
}

// together is how many programs make one module.
const together = 100

// TestMachineCodeOfShapesIsRight: what ptxas makes of programs of shapes, as the emitter writes them, gives what the
// interpreter gives: with optimisation and without it, of integers alone and of floats and votes too.
func TestMachineCodeOfShapesIsRight(t *testing.T) {
	a := newAssembler(t)
	first := long.Seed(t, 1)
	for name, random := range map[string]func(uint64) *conform.RandomProgram{"integers": conform.RandomIntegers, "all": conform.RandomShapes} {
		t.Run(name, func(t *testing.T) {
			programsAreRight(t, a, random, func(uint64) []build { return buildsNow() }, first, uint64(long.Count(6, 50, 10_000)))
		})
	}
}

// TestMachineCodeOfRandomProgramsIsRight: the same of whole random programs, of which lanes vote, trade values, wait for
// each other and update memory, as -O3 makes them. A module is for one target, in turn: what is wrong is mostly so for all,
// and another program is more likely to show it. A quick run takes one module of each kind.
func TestMachineCodeOfRandomProgramsIsRight(t *testing.T) {
	a := newAssembler(t)
	first := long.Seed(t, 1)
	optimised := []build{{75, 3}, {80, 3}, {90, 3}}
	for i, k := range []struct {
		name   string
		random func(uint64) *conform.RandomProgram
	}{{"programs", conform.Random}, {"shapes", conform.RandomShapes}, {"go", conform.RandomGo}, {"branches", conform.RandomBranches}} {
		t.Run(k.name, func(t *testing.T) {
			turn := func(module uint64) []build {
				b := (uint64(i) + module) % 3
				return optimised[b : b+1]
			}
			programsAreRight(t, a, k.random, turn, first, uint64(long.Count(10, 600, 100_000)))
		})
	}
}

// programsAreRight takes n programs, those of a module in the builds that it is for. Later modules are made with other passes too.
func programsAreRight(t *testing.T, a assembler, random func(uint64) *conform.RandomProgram, builds func(module uint64) []build, first, n uint64) {
	unknown := make(tally)
	made, judged := 0, 0
	for from := first; from < first+n; from += together {
		if timeUp(t) {
			n = from - first
			break
		}
		if done := from - first; done > 0 && done%500 == 0 {
			t.Logf("%d programs so far", done)
		}
		var rs []*conform.RandomProgram
		var ps []*ir.Program
		for seed := from; seed < min(from+together, first+n); seed++ {
			r := random(seed)
			rs, ps = append(rs, r), append(ps, r.Program)
		}
		var ms []conform.Device
		module := (from - first) / together
		passes := []string{"", "3", "", "0"}[module%4] // those of a device, mostly
		for _, b := range builds(module) {
			if passes == "0" && b.sm == 90 {
				b.sm = 80 // without passes the code for sm_90 shows error 50
			}
			m := machine{a, b, make(map[[32]byte]program), from, passes}
			if err := m.assemble(t.Context(), ps); err != nil { // then each goes by itself, and says what is wrong
				t.Logf("programs from %d on together: %v", from, err)
			}
			ms = append(ms, m)
		}
		for i, r := range rs {
			made += len(ms)
			if r.Agree(t.Context(), ms...) == nil { // nearly all do
				judged += len(ms)
				continue
			}
			for _, m := range ms {
				err := r.Agree(t.Context(), m)
				var not *sass.UnknownError
				if errors.As(err, &not) {
					unknown.add(not.Text)
					continue
				}
				judged++
				if err != nil {
					t.Errorf("seed %d, passes %q: %v\n%s", from+uint64(i), passes, err, smallest(t.Context(), r, m.(machine)).Describe())
				}
			}
		}
	}
	t.Logf("%d programs from seed %d on", n, first)
	report(t, made, judged, unknown)
}

// smallest makes a program that differs small.
func smallest(ctx context.Context, r *conform.RandomProgram, m machine) *conform.RandomProgram {
	return conform.Shrink(ctx, r, 60, func(r *conform.RandomProgram) bool {
		clear(m.made)
		err := r.Agree(ctx, m)
		var not *sass.UnknownError
		return err != nil && !errors.As(err, &not)
	})
}
