package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tool of Go shows kernels by name, with the file of their function.
func TestProfileIsForGoToolPprof(t *testing.T) {
	for _, device := range []string{"cpu", "cuda-sim"} {
		file := filepath.Join(t.TempDir(), "p")
		for _, args := range [][]string{
			{"run", "../../examples/saxpy/kernel.go", "--grid", "4", "--arg", "a=2", "--arg", "x=iota:1024", "--arg", "y=zeros:1024"},
			{"reach", "../../examples/programs/shop/shop.vyg.gz", "--from", "0", "--count", "--topology", "device-loop"},
			{"reach", "../../examples/programs/shop/shop.vyg.gz", "--from", "0", "--to", "5", "--between"},
		} {
			var out, errs bytes.Buffer
			if code := run(context.Background(), append(args, "--device", device, "--profile", file), strings.NewReader(""), &out, &errs); code != 0 {
				t.Fatalf("%v on %s: %d: %s", args, device, code, errs.String())
			}
			top, err := exec.Command("go", "tool", "pprof", "-top", "-lines", "-nodefraction=0", file).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, top)
			}
			want := []string{"sequence ", device}
			if args[0] == "run" {
				want = append(want, "Saxpy", "kernel.go:", "transfers in", "sequence Saxpy")
			} else if device == "cuda-sim" {
				want = append(want, "reach")
			}
			for _, w := range want {
				if len(want) > 2 && !strings.Contains(string(top), w) {
					t.Errorf("%v on %s: no %q in the profile:\n%s", args, device, w, top)
				}
			}
		}
	}
}

// A profile that cannot be written is refused before anything runs, and one of work that fails is there.
func TestProfileOfWhatFails(t *testing.T) {
	var out, errs bytes.Buffer
	saxpy := []string{"run", "../../examples/saxpy/kernel.go", "--grid", "1", "--arg", "a=2", "--arg", "x=iota:1", "--arg", "y=zeros:1", "--device", "cpu"}
	dir := t.TempDir()
	if code := run(context.Background(), append(saxpy, "--profile", filepath.Join(dir, "none", "p")), strings.NewReader(""), &out, &errs); code == 0 || !strings.Contains(errs.String(), "--profile") {
		t.Errorf("%d: %s", code, errs.String())
	}
	traps := filepath.Join(dir, "traps.vyre")
	text := "vyre 1\nkernel @traps workgroup(1) {\n  param @x: buf<u32> rw\n  %v = load @x[0_u32]\n  %bad = eq.u32 %v, 0_u32\n  %w = cvt.u64.u32 %v\n  trap %bad, %w, #7\n  store @x[0_u32], %v\n}\n"
	if err := os.WriteFile(traps, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "p")
	if code := run(context.Background(), []string{"run", traps, "--grid", "1", "--arg", "x=zeros:1", "--device", "cuda-sim", "--profile", file}, strings.NewReader(""), &out, &errs); code == 0 {
		t.Error("the kernel did not trap")
	}
	if top, err := exec.Command("go", "tool", "pprof", "-top", file).CombinedOutput(); err != nil || !strings.Contains(string(top), "traps") {
		t.Errorf("%v: %s", err, top)
	}
}
