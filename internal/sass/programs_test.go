package sass_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/ir"
)

// machine is a device of the conformance suite: a program is assembled, and its machine code is run.
type machine struct {
	assembler
	build
	made map[[32]byte]program // by digest
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
	launch := sass.Launch{Literals: k.literals, Groups: int(l.Grid[0] * l.Grid[1] * l.Grid[2]), Group: int(p.GroupSize()), Constants: m.constants(k.Params.Bytes)}
	parameters := m.parameters()
	wg := p.Workgroup()
	for axis := range 3 {
		binary.LittleEndian.PutUint32(launch.Constants[4*axis:], wg[axis])
		binary.LittleEndian.PutUint32(launch.Constants[12+4*axis:], l.Grid[axis])
	}
	if k.Params.Trap >= 0 || k.Params.Grid >= 0 || k.Params.Trace >= 0 || l.Grid[1]*l.Grid[2]*wg[1]*wg[2] != 1 {
		return out, &sass.UnknownError{Text: "a launch with more than buffers and numbers, or more than one axis"}
	}
	out.Buffers = make([][]byte, len(l.Args))
	for i, a := range l.Args {
		slot, prm := k.Params.Slots[i], p.Params()[i]
		to := launch.Constants[parameters+slot.Offset:]
		if !prm.IsBuffer() {
			if slot.Size == 8 {
				binary.LittleEndian.PutUint64(to, a.Bits)
			} else {
				binary.LittleEndian.PutUint32(to, uint32(a.Bits))
			}
			continue
		}
		at := uint64(i+1) << 32
		out.Buffers[i] = bytes.Clone(a.Data)
		binary.LittleEndian.PutUint64(to, at)
		binary.LittleEndian.PutUint64(launch.Constants[parameters+slot.Len:], uint64(len(a.Data)/prm.Bytes()))
		launch.Memory = append(launch.Memory, sass.Segment{At: at, Data: out.Buffers[i]})
	}
	return out, code.Run(launch)
}

// assemble makes machine code of programs in one module.
func (m machine) assemble(ctx context.Context, ps []*ir.Program) error {
	module, err := compile.Programs(ps, ptx.Target{SM: m.sm}, compile.Options{})
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
const together = 25

// TestMachineCodeOfShapesIsRight: what ptxas makes of programs of shapes, as the emitter writes them, gives what the
// interpreter gives: with optimisation and without it, of integers alone and of floats too.
func TestMachineCodeOfShapesIsRight(t *testing.T) {
	a := newAssembler(t)
	first := long.Seed(t, 1)
	for name, random := range map[string]func(uint64) *conform.RandomProgram{"integers": conform.RandomIntegers, "floats": conform.RandomAlone} {
		t.Run(name, func(t *testing.T) { shapesAreRight(t, a, random, first, uint64(long.Count(6, 50, 10_000))) })
	}
}

// shapesAreRight takes n programs.
func shapesAreRight(t *testing.T, a assembler, random func(uint64) *conform.RandomProgram, first, n uint64) {
	unknown := make(tally)
	made, judged := 0, 0
	for from := first; from < first+n && !timeUp(t); from += together {
		var rs []*conform.RandomProgram
		var ps []*ir.Program
		for seed := from; seed < min(from+together, first+n); seed++ {
			r := random(seed)
			rs, ps = append(rs, r), append(ps, r.Program)
		}
		for _, b := range buildsNow() {
			m := machine{a, b, make(map[[32]byte]program)}
			if err := m.assemble(t.Context(), ps); err != nil { // then each goes by itself, and says what is wrong
				t.Logf("programs from %d on together: %v", from, err)
			}
			made += len(rs)
			for i, r := range rs {
				err := r.Agree(t.Context(), m)
				var not *sass.UnknownError
				if errors.As(err, &not) {
					unknown.add(not.Text)
					continue
				}
				judged++
				if err != nil {
					small := conform.Shrink(t.Context(), r, 60, func(r *conform.RandomProgram) bool {
						clear(m.made)
						err := r.Agree(t.Context(), m)
						return err != nil && !errors.As(err, &not)
					})
					t.Errorf("seed %d: %v\n%s", from+uint64(i), err, small.Describe())
				}
			}
		}
	}
	report(t, made, judged, unknown)
}
