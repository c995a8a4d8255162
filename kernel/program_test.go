package kernel_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

const two = `package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func One(t gpu.Thread, x []uint32) { x[t.Global().X] = 1 }

//vyre:kernel workgroup=32
func Two(t gpu.Thread, x []uint32) { x[t.Global().X] = 2 }
`

func TestProgramTakesAKernelByName(t *testing.T) {
	p, err := kernel.Program(two, "Two")
	if err != nil || p.Name() != "Two" {
		t.Errorf("got %v, %v", p, err)
	}
	for _, name := range []string{"", "Three"} {
		if _, err := kernel.Program(two, name); err == nil || !strings.Contains(err.Error(), "One, Two") {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if _, err := kernel.Program("package none\n", ""); err == nil || !strings.Contains(err.Error(), "//vyre:kernel") {
		t.Errorf("no kernel: got %v", err)
	}
}

func TestProgramReportsTheSourcesFindings(t *testing.T) {
	_, err := kernel.Program(strings.ReplaceAll(two, "= 2", "= uint32(len(map[int]int{}))"), "Two")
	var found ir.Diags
	if !errors.As(err, &found) || len(found) == 0 || !strings.Contains(err.Error(), "kernel.go:9") {
		t.Errorf("got %v", err)
	}
}

func TestLoadProgramReadsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.go")
	if err := os.WriteFile(path, []byte(two), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := kernel.LoadProgram(t.Context(), path, "One"); err != nil || p.Name() != "One" {
		t.Errorf("got %v, %v", p, err)
	}
	if _, err := kernel.LoadProgram(t.Context(), path+"x", "One"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
