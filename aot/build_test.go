package aot_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
)

func TestEqualInputsGiveEqualFiles(t *testing.T) {
	o := aot.Options{Targets: []string{"sm_80", "sm_90a", "sm_80"}}
	first, err := aot.Build(ctx, parsed(t, programs), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Targets = []string{"sm_90a", "sm_80"}
	if again, err := aot.Build(ctx, parsed(t, programs), o); err != nil || !bytes.Equal(again, first) {
		t.Errorf("the same targets in another order give another file, %v", err)
	}
}

func TestPtxasMakesTheMachineCode(t *testing.T) {
	o := aot.Options{Targets: []string{"sm_80", "sm_90", "sm_90a"}, Assembler: needs.PTXAS(t)}
	first, err := aot.Build(ctx, parsed(t, programs), o)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := aot.Build(ctx, parsed(t, programs), o); err != nil || !bytes.Equal(again, first) {
		t.Errorf("the same again gives another file, %v", err)
	}
	b, err := aot.Open(string(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range b.Kernels() {
		// An assembler of CUDA 11.8 does not know sm_90a.
		if !strings.HasPrefix(k.Listed(), "PTX for sm_80, cubin for sm_80, PTX for sm_90, cubin for sm_90, PTX for sm_90a") {
			t.Errorf("%s has %s", k.Label(), k.Listed())
		}
		if image, err := k.Forms[1].Payload(); err != nil || !bytes.HasPrefix(image, []byte("\x7fELF")) {
			t.Errorf("the cubin of %s begins with %q, %v", k.Label(), image[:min(8, len(image))], err)
		}
	}
	d := opened(t, devices[1].open, driver.OpenOptions{}) // which has no use for it, and takes the text
	k, err := b.Load(ctx, d, "add", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	adds(t, k)
}

func TestWhatCannotBeBuiltSaysWhy(t *testing.T) {
	script := filepath.Join(t.TempDir(), "ptxas")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncase $1 in --help) echo \"'sm_80'\";; *) echo out of order >&2; exit 3;; esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	left, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		o    aot.Options
		ps   map[string]*ir.Program
		kind driver.Kind
		says string
	}{
		"no such target":      {ctx, aot.Options{Targets: []string{"sm_81"}}, parsed(t, programs), driver.InvalidArgument, "sm_81"},
		"no such passes":      {ctx, aot.Options{Optimise: "9"}, parsed(t, programs), driver.InvalidArgument, "9"},
		"no such assembler":   {ctx, aot.Options{Assembler: "/nowhere/ptxas"}, parsed(t, programs), driver.Unavailable, "/nowhere/ptxas"},
		"no assembler":        {ctx, aot.Options{Assembler: "true"}, parsed(t, programs), driver.Unavailable, "not a ptxas that works"},
		"one that fails":      {ctx, aot.Options{Targets: []string{"sm_80"}, Assembler: script}, parsed(t, programs), driver.Compile, "out of order"},
		"no program":          {ctx, aot.Options{}, map[string]*ir.Program{"k": nil}, driver.InvalidArgument, "holds nothing"},
		"a caller who leaves": {left, aot.Options{Targets: []string{"sm_80"}}, parsed(t, programs), driver.Canceled, ""},
	} {
		if _, err := aot.Build(c.ctx, c.ps, c.o); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.kind, c.says)
		}
	}
}

// A device makes machine code for its own architecture, where its linker's is as good, and takes that afterwards.
func TestADeviceMakesTheMachineCodeForItself(t *testing.T) {
	for _, spends := range []int{0, 3} {
		open := func() driver.Device {
			d, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, LinkSpends: spends})})
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d := open()
		b := built(t, parsed(t, programs), aot.Options{Targets: []string{"sm_80", "sm_90a"}, Device: d})
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		want := "PTX for sm_80, PTX for sm_90a, cubin for sm_90a, the program"
		if spends > 0 {
			want = "PTX for sm_80, PTX for sm_90a, the program"
		}
		if got := b.Kernels()[0].Listed(); got != want {
			t.Errorf("a linker that spends %d registers more: %s, want %s", spends, got, want)
		}
		d = open()
		k, err := b.Load(ctx, d, "add", driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		adds(t, k)
		if a := k.Artifact(); (a.Image != nil) != (spends == 0) || a.Target != "sm_90a" || a.Text == "" {
			t.Errorf("it is loaded as %+v", a.Resources)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
