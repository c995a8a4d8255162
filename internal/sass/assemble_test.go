package sass_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/internal/testing/needs"
)

// assembler makes machine code of PTX, by the tools that .ci/ptxas gets.
type assembler struct{ ptxas, nvdisasm, dir string }

func newAssembler(t testing.TB) assembler {
	return assembler{needs.PTXAS(t), needs.Disassembler(t), t.TempDir()}
}

// build is for whom, and how: -O0 or -O3.
type build struct{ sm, level int }

func (b build) String() string { return fmt.Sprintf("sm_%d -O%d", b.sm, b.level) }

// parameters is where a kernel's parameters begin in bank 0.
func (b build) parameters() int {
	if b.sm >= 90 {
		return 0x210
	}
	return 0x160
}

// sharedAt is where a group's shared memory begins: on sm_90 behind what is the system's.
func (b build) sharedAt() int {
	if b.sm >= 90 {
		return 0x400
	}
	return 0
}

// assembled is a kernel in machine code, with the constants that the assembler made for it, and the module's variables.
type assembled struct {
	listing  string
	literals []byte
	tables   []byte            // in constant memory
	globals  []byte            // in global memory
	symbols  map[string]uint64 // where in globals
}

// parse reads the listing.
func (a assembled) parse() (*sass.Code, error) { return sass.Parse(a.listing) }

// constants is bank 0 of a launch, for so many bytes of parameters: the launch's own words are zero, but the stack's end.
func (b build) constants(params int) []byte {
	bank := make([]byte, b.parameters()+params)
	binary.LittleEndian.PutUint32(bank[0x28:], sass.StackEnd)
	return bank
}

// assemble makes machine code of a module, by entry: nvdisasm takes half a second to start.
func (a assembler) assemble(ctx context.Context, text string, b build) (map[string]assembled, error) {
	name := fmt.Sprintf("%d-%d", b.sm, b.level)
	in, out := filepath.Join(a.dir, name+".ptx"), filepath.Join(a.dir, name+".cubin")
	if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, a.ptxas, fmt.Sprintf("-arch=sm_%d", b.sm), fmt.Sprintf("-O%d", b.level), "-o", out, in).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ptxas: %w: %s", err, said)
	}
	said, err := exec.CommandContext(ctx, a.nvdisasm, "-c", "-hex", "-ndf", out).Output()
	if err != nil {
		return nil, fmt.Errorf("nvdisasm: %w", err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	copy(data[20:], []byte{1, 0, 0, 0}) // ptxas writes a version of its own, which debug/elf refuses
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var of assembled
	if of.tables, err = section(file, ".nv.constant3"); err != nil {
		return nil, err
	}
	if of.globals, err = section(file, ".nv.global.init"); err != nil {
		return nil, err
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	of.symbols = make(map[string]uint64)
	for _, s := range symbols {
		if int(s.Section) < len(file.Sections) && file.Sections[s.Section].Name == ".nv.global.init" {
			of.symbols[s.Name] = s.Value
		}
	}
	made := make(map[string]assembled)
	for _, s := range strings.Split(string(said), "\t.section\t.text.")[1:] {
		entry, _, _ := strings.Cut(s, ",")
		k := of
		k.listing = s
		if k.literals, err = section(file, ".nv.constant2."+entry); err != nil {
			return nil, err
		}
		made[entry] = k
	}
	return made, nil
}

// section is the contents of a section, nil if it is not there.
func section(f *elf.File, name string) ([]byte, error) {
	s := f.Section(name)
	if s == nil {
		return nil, nil
	}
	return s.Data()
}
