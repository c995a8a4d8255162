package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

var measured = flag.String("measured", "", "one part of what -measure does, for the process that does it alone")

// largeProgram is what is measured, in a folder of the Go tree.
const largeProgram = "cmd/..."

// TestWhatALargeProgramTakes prints the processor's time and the peak of resident memory, of processes one after the other:
// loading and SSA as golang.org/x/tools has them, and each graph from source to file.
func TestWhatALargeProgramTakes(t *testing.T) {
	if !*measure && *measured == "" {
		t.Skip("only with -measure")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder, file := filepath.Join(strings.TrimSpace(string(root)), "src", "cmd"), filepath.Join(t.TempDir(), "large.vyg")
	switch *measured {
	case "":
	case "ssa":
		initial, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: folder}, largeProgram)
		if err != nil {
			t.Fatal(err)
		}
		prog, _ := ssautil.AllPackages(initial, ssa.InstantiateGenerics)
		prog.Build()
		return
	default:
		collectLess() // as main does
		if status := run(context.Background(), []string{"--graph", *measured, "-C", folder, "-o", file, largeProgram}, os.Stdout, os.Stderr); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		return
	}
	alone := func(part string) (s, peak float64) {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-measured="+part)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", part, err, out)
		}
		took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		return took.Round(time.Millisecond).Seconds(), float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1e3
	}
	for _, graph := range []string{"calls", "icfg", "dataflow"} {
		s0, peak0 := alone("ssa")
		s, peak := alone(graph)
		t.Logf("%-8s %.1f s beside %.1f: %.2f; %.0f MB beside %.0f: %.2f", graph, s, s0, s/s0, peak, peak0, peak/peak0)
	}
}
