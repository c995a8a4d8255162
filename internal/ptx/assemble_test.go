package ptx_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
)

// assemble runs ptxas over the text of a module and returns its log. The end of ctx ends it.
func assemble(ctx context.Context, t testing.TB, ptxas string, m *ptx.Module) (string, error) {
	return assembleIn(ctx, t, ptxas, t.TempDir(), m)
}

// assembleIn leaves out.cubin in a directory.
func assembleIn(ctx context.Context, t testing.TB, ptxas, dir string, m *ptx.Module) (string, error) {
	in := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(in, []byte(m.Text), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, ptxas, "-v", "-arch", m.Target.String(), "-o", filepath.Join(dir, "out.cubin"), in)
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	if log.Len() == 0 && err != nil { // it did not even start
		return err.Error(), err
	}
	return strings.ReplaceAll(log.String(), in, "in.ptx"), err
}

// machineInstructions counts those that ptxas makes of a module, without the NOPs at ends.
func machineInstructions(ctx context.Context, t testing.TB, ptxas string, m *ptx.Module) (n int) {
	dir := t.TempDir()
	if log, err := assembleIn(ctx, t, ptxas, dir, m); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	copy(data[20:], []byte{1, 0, 0, 0}) // ptxas writes a version of its own, which debug/elf refuses
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		code, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		for ; len(code) >= 16; code = code[16:] {
			if nop := uint16(0x918); binary.LittleEndian.Uint16(code)&0xfff != nop {
				n++
			}
		}
	}
	return n
}
