package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
)

// shopTaint asks for what comes to the shop's queries.
var shopTaint = []string{"taint", "../../examples/programs/shop/shop.vyg.zst", "--sources", "../../examples/programs/shop/shop.sources", "--sinks", "../../examples/programs/shop/shop.sql.sinks"}

// The tool of Go shows kernels by name, with the file of their function.
func TestProfileIsForGoToolPprof(t *testing.T) {
	for _, device := range []string{"cpu", "cuda-sim"} {
		file := filepath.Join(t.TempDir(), "p")
		for _, args := range [][]string{
			{"run", "../../examples/saxpy/kernel.go", "--grid", "4", "--arg", "a=2", "--arg", "x=iota:1024", "--arg", "y=zeros:1024"},
			{"reach", "../../examples/programs/shop/shop.vyg.zst", "--from", "0", "--count", "--topology", "device-loop"},
			{"reach", "../../examples/programs/shop/shop.vyg.zst", "--from", "0", "--to", "5", "--between"},
			shopTaint,
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
				want = append(want, args[0])
			}
			for _, w := range want {
				if len(want) > 2 && !strings.Contains(string(top), w) {
					t.Errorf("%v on %s: no %q in the profile:\n%s", args, device, w, top)
				}
			}
		}
	}
}

// The file of --trace has the waves of the command, and the profile beside it their rounds. Trials for it take longer, so what they took
// is not kept.
func TestTraceHasWhatWavesDid(t *testing.T) {
	dir := t.TempDir()
	trace, profile := filepath.Join(dir, "t.json"), filepath.Join(dir, "p")
	t.Setenv(driver.EnvCacheDir, filepath.Join(dir, "cache"))
	vyre := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(context.Background(), append(args, "--device", "cuda-sim"), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: %d: %s", args, code, errs.String())
		}
		return out.String(), errs.String()
	}
	var tried string
	for _, args := range [][]string{
		{"reach", "../../examples/programs/shop/shop.vyg.zst", "--from", "0", "--count"},
		{"reach", "../../examples/programs/shop/shop.vyg.zst", "--from", "0", "--to", "5", "--between"}, // into files that are there
		shopTaint,
		{"evidence", "explain", "--try", "grid:4x4"},
	} {
		out, errs := vyre(append(args, "--trace", trace, "--profile", profile)...)
		tried = out
		made, err := os.ReadFile(trace)
		if err != nil || !json.Valid(made) || !bytes.Contains(made, []byte(`"cat":"round"`)) || !strings.Contains(errs, "wrote "+trace+": ") || !strings.Contains(errs, " spans") {
			t.Errorf("%v: %v, %s\n%s", args, err, errs, made)
		}
		for _, way := range []string{"host loop", "back-to-back", "captured graph", "device loop", "cooperative, no tail", "cooperative", "drained"} {
			if args[0] == "evidence" && !bytes.Contains(made, []byte(`"name":"trial (`+way+`) on cuda-sim`)) {
				t.Errorf("the timeline has no %s", way)
			}
		}
	}
	top, err := exec.Command("go", "tool", "pprof", "-top", "-nodefraction=0", profile).CombinedOutput()
	if err != nil || !strings.Contains(string(top), " round 0\n") || !strings.Contains(string(top), " wave ") {
		t.Errorf("%v\n%s", err, top)
	}
	if kept, _ := vyre("evidence", "explain"); kept != tried || !strings.Contains(kept, " 10 ") {
		t.Errorf("kept were\n%s\nand are\n%s", tried, kept)
	}
}

func TestTraceThatCannotBe(t *testing.T) {
	reach := []string{"reach", "../../examples/programs/shop/shop.vyg.zst", "--from", "0", "--count", "--device", "cpu", "--trace"}
	dir := t.TempDir()
	for _, c := range []struct {
		args       []string
		code       int
		out, wants string
	}{
		{append(slices.Clone(reach), filepath.Join(dir, "none", "t")), 1, "", "--trace "},
		{append(slices.Clone(reach), dir), 1, "", "--trace "},
		{append(slices.Clone(reach), filepath.Join(dir, "t")), 0, "1\n", "no spans, since the device ran no waves"},
		{[]string{"evidence", "explain", "--device", "cpu", "--trace", filepath.Join(dir, "e")}, 2, "", "go with --try"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), c.args, strings.NewReader(""), &out, &errs); code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.wants) {
			t.Errorf("%v: %d, %q, %s", c.args, code, out.String(), errs.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "e")); err == nil {
		t.Error("a refused command has left a file")
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
