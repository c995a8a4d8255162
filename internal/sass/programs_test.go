package sass_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/internal/needs"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/ir"
)

// tools are the assembler and the disassembler that .ci/ptxas gets.
type tools struct{ ptxas, nvdisasm string }

// machine is a device of the conformance suite: a program is assembled for sm_80, and its machine code is run.
type machine struct {
	tools
	dir  string
	made map[[32]byte]assembled // by digest of the program
}

// assembled is a kernel in machine code, with the constants that the assembler made for it.
type assembled struct {
	ptx.Kernel
	listing  string
	literals []byte
}

func (machine) Name() string { return "machine code" }

func (m machine) Run(ctx context.Context, p *ir.Program, l conform.Launch) (out conform.Outcome, err error) {
	if _, ok := m.made[p.Digest()]; !ok {
		if err := m.assemble(ctx, []*ir.Program{p}); err != nil {
			return out, err
		}
	}
	k := m.made[p.Digest()]
	code, err := sass.Parse(k.listing)
	if err != nil {
		return out, err
	}
	launch := sass.Launch{Literals: k.literals, Groups: int(l.Grid[0] * l.Grid[1] * l.Grid[2]), Group: int(p.GroupSize()), Constants: make([]byte, parameters+k.Params.Bytes)}
	binary.LittleEndian.PutUint32(launch.Constants[stackAt:], 1<<12)
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
		if prm.IsBuffer() && prm.Type.Size() == 0 {
			return out, &sass.UnknownError{Text: "a buffer of what has no size"}
		}
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
		binary.LittleEndian.PutUint64(launch.Constants[parameters+slot.Len:], uint64(len(a.Data)/prm.Type.Size()))
		launch.Memory = append(launch.Memory, sass.Segment{At: at, Data: out.Buffers[i]})
	}
	return out, code.Run(launch)
}

// stackAt is where bank 0 has the end of local memory, below which arrays are put.
const stackAt = 0x28

// parameters is where a kernel's parameters begin in bank 0, for sm_80.
const parameters = 0x160

// assemble makes machine code of programs in one module: nvdisasm takes half a second to start.
func (m machine) assemble(ctx context.Context, ps []*ir.Program) error {
	module, err := compile.Programs(ps, ptx.Target{SM: 80}, compile.Options{})
	if err != nil {
		return err
	}
	in, out := filepath.Join(m.dir, "in.ptx"), filepath.Join(m.dir, "out.cubin")
	if err := os.WriteFile(in, []byte(module.Text), 0o666); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, m.ptxas, "-arch=sm_80", "-o", out, in).CombinedOutput(); err != nil {
		return fmt.Errorf("ptxas: %w: %s", err, said)
	}
	said, err := exec.CommandContext(ctx, m.nvdisasm, "-c", out).Output()
	if err != nil {
		return fmt.Errorf("nvdisasm: %w", err)
	}
	listings, literals := make(map[string]string), make(map[string][]byte)
	for _, s := range strings.Split(string(said), "\t.section\t.text.")[1:] {
		entry, _, _ := strings.Cut(s, ",")
		listings[entry] = s
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	copy(data[20:], []byte{1, 0, 0, 0}) // ptxas writes a version of its own, which debug/elf refuses
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, s := range file.Sections {
		if entry, ok := strings.CutPrefix(s.Name, ".nv.constant2."); ok {
			if literals[entry], err = s.Data(); err != nil {
				return err
			}
		}
	}
	for i, k := range module.Kernels {
		m.made[ps[i].Digest()] = assembled{k, listings[k.Entry], literals[k.Entry]}
	}
	return nil
}

// together is how many programs make one module.
const together = 25

// TestMachineCodeOfIntegersIsRight: what ptxas makes of shapes on integers gives what the interpreter gives.
// VYRE_SASS_SEED names the first program, for a search that goes on where another one ended.
func TestMachineCodeOfIntegersIsRight(t *testing.T) {
	m := machine{tools{needs.PTXAS(t), needs.Disassembler(t)}, t.TempDir(), make(map[[32]byte]assembled)}
	first := uint64(1)
	if s := os.Getenv("VYRE_SASS_SEED"); s != "" {
		var err error
		if first, err = strconv.ParseUint(s, 0, 64); err != nil {
			t.Fatal("VYRE_SASS_SEED is no number: ", err)
		}
	}
	n := uint64(long.Count(6, 100, 10_000))
	skipped := 0
	var why error
	for seed := first; seed < first+n; seed++ {
		if (seed-first)%together == 0 {
			var ps []*ir.Program
			for s := seed; s < min(seed+together, first+n); s++ {
				ps = append(ps, conform.RandomIntegers(s).Program)
			}
			clear(m.made)
			if err := m.assemble(t.Context(), ps); err != nil { // then each goes by itself, and says what is wrong
				t.Logf("programs from %d on together: %v", seed, err)
			}
		}
		r := conform.RandomIntegers(seed)
		err := r.Agree(t.Context(), m)
		var unknown *sass.UnknownError
		switch {
		case errors.As(err, &unknown):
			skipped, why = skipped+1, err
		case err != nil:
			small := conform.Shrink(t.Context(), r, 60, func(r *conform.RandomProgram) bool {
				err := r.Agree(t.Context(), m)
				return err != nil && !errors.As(err, &unknown)
			})
			t.Errorf("seed %d: %v\n%s", seed, err, small.Describe())
		}
	}
	t.Logf("%d programs, of which %d use instructions that are not known, such as: %v", n, skipped, why)
	if skipped == int(n) {
		t.Error("no program was judged")
	}
}
