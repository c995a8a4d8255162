package main

import (
	"testing"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
)

// Machine code leaves what plain Go does, and what the reference kernels of the third lot do as programs in C.
func TestProgramsInCLeaveWhatOursDo(t *testing.T) {
	long.Only(t, "compiles programs in C")
	needs.Compiler(t)
	needs.MachineCode(t, native.Available())
	d, err := cpu.Open(cpu.Options{Engine: cpu.Native})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	for i := range codegen.Cases {
		c := &codegen.Cases[i]
		if c.Group != codegen.Third {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if _, err := turns(d, kernels, c, codegen.Launch, t.TempDir()); err != nil {
				t.Error(err)
			}
		})
	}
}
