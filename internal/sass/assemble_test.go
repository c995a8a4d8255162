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

	"github.com/govyre/vyre/internal/needs"
	"github.com/govyre/vyre/internal/sass"
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

// assembled is a kernel in machine code, with the constants that the assembler made for it.
type assembled struct {
	listing  string
	literals []byte
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
	made := make(map[string]assembled)
	for _, s := range strings.Split(string(said), "\t.section\t.text.")[1:] {
		entry, _, _ := strings.Cut(s, ",")
		k := assembled{listing: s}
		if s := file.Section(".nv.constant2." + entry); s != nil {
			if k.literals, err = s.Data(); err != nil {
				return nil, err
			}
		}
		made[entry] = k
	}
	return made, nil
}
