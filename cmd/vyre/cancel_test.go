package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interrupt"
	"github.com/govyre/vyre/internal/testing/underway"
	"go.uber.org/goleak"
)

// TestEveryCommandCanBeInterrupted: the class is a command whose context ends before it begins, while it works and just before it
// is done. It ends with the status for that, says so, writes nothing and leaves nothing: no file, no goroutine. Then it is run
// again, and does its work.
func TestEveryCommandCanBeInterrupted(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	t.Chdir(dir)
	kernel := `package k

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Inc(t gpu.Thread, x []uint32) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i]++
	}
}
`
	for name, text := range map[string]string{"k.go": kernel, "g.el": "0 1\n1 2\n2 0\n", "src": "0\n", "snk": "2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("%v: status %d\n%s", args, status, errOut.Bytes())
		}
	}
	must("graph", "gen", "grid:50x50", "-o", "in.vyg")
	for _, command := range []string{
		"check k.go", "ir k.go -o OUT", "ptx k.go -o OUT", "asm k.go -o OUT", "explain k.go -o OUT", "gen k.go -o OUT.go",
		"run k.go --device cpu --grid 4 --arg x=zeros:256 --out x=OUT", "bench k.go --device cpu --runs 3 --grid 4 --arg x=zeros:256", "conform --device cpu --match ctl-if/",
		"graph gen grid:300x300 -o OUT.vyg", "graph convert g.el OUT.vyg", "graph convert in.vyg OUT.el", "graph info in.vyg --device cpu",
		"reach in.vyg --device cpu --from 0 -o OUT", "components in.vyg --device cpu -o OUT", "dominators in.vyg --device cpu --root 0 -o OUT", "taint in.vyg --device cpu --sources src --sinks snk", "serve in.vyg --device cpu",
	} {
		args := strings.Fields(command)
		before := listing(t)
		interrupted := func(at int) (looks int) {
			ctx, cancel := underway.At(at, 0)
			defer cancel()
			var out, errOut bytes.Buffer
			status := run(ctx, args, strings.NewReader(""), &out, &errOut)
			if looks = ctx.Times(); looks < at {
				return looks // it was done before
			}
			if status != interrupt.Status || !strings.HasSuffix(errOut.String(), "vyre: interrupted\n") || listing(t) != before {
				t.Errorf("%s, interrupted at look %d: status %d, files %s; before %s\n%s", command, at, status, listing(t), before, errOut.Bytes())
			}
			if looks > at+2000 {
				t.Errorf("%s, interrupted at look %d: %d more looks", command, at, looks-at)
			}
			return looks
		}
		switch args[0] {
		case "conform": // which takes a second to make its cases
			interrupted(1)
			continue
		case "serve": // which does not end by itself
			for _, at := range []int{1, 2, 5, 10} {
				interrupted(at)
			}
			continue
		}
		counting, cancel := underway.Counting()
		var out, errOut bytes.Buffer
		if status := run(counting, args, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Errorf("%s: status %d\n%s", command, status, errOut.Bytes())
		}
		cancel()
		all := counting.Times()
		made, _ := filepath.Glob("OUT*")
		for _, name := range made {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if all == 0 {
			t.Errorf("%s looks at no context", command)
		}
		interrupted(1)
		interrupted(max(all/2, 1))
	}
}

// listing is what the folder has.
func listing(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintf(&b, "%s %d; ", path, info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
