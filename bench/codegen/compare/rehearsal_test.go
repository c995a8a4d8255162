package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/bench/codegen/toolkit"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
)

// Everything that happens on a GPU but for the times: what nvcc makes of the reference kernels runs on the simulated driver
// beside ours, and leaves the same.
func TestReferenceKernelsLeaveWhatOursDo(t *testing.T) {
	long.Only(t, "compiles and simulates all kernels")
	runtime.LockOSThread() // a context belongs to a thread
	defer runtime.UnlockOSThread()
	g, err := openGPU(cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}))
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	o := options{reference: references(t), samples: 2, unchecked: true, shapes: true}
	for i := range codegen.Cases {
		c := &codegen.Cases[i]
		row, err := g.measure(c, codegen.Launch, kernels, o)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for _, f := range row.Faults {
			t.Errorf("%s: %s", c.Name, f)
		}
		if row.Ratio <= 0 {
			t.Errorf("%s: the ratio is %v", c.Name, row.Ratio)
		}
	}
}

// references compiles the reference kernels and lays their PTX where compare looks for machine code: a driver loads both.
func references(t *testing.T) string {
	needs.Compiler(t)
	folder, err := toolkit.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		needs.Missing(t, "VYRE_PTXAS", "no toolkit: run .ci/ptxas, which unpacks one into "+folder)
	}
	tools := toolkit.Toolkit{Dir: folder, Sources: "../reference", Work: t.TempDir(), SM: target.SM}
	var names []string
	for _, c := range codegen.Cases {
		names = append(names, c.Reference)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	dir := t.TempDir()
	for build, contract := range map[string]bool{"default": true, "nofmad": false} {
		if err := os.Mkdir(filepath.Join(dir, build), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := tools.Text(name, contract)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, build, name+".cubin"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
