package ir_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestEveryCodeHasOneMessage(t *testing.T) {
	rules := ir.Rules()
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&b, "%s %s\n", code, rules[code])
	}
	const golden = "testdata/verify/codes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		var g, o string
		if i < len(got) {
			g = got[i]
		}
		if i < len(old) {
			o = old[i]
		}
		if g != o {
			t.Fatalf("%s, line %d:\ngot  %s\nwant %s\nif that is meant: go test ./ir -run EveryCodeHasOneMessage -update", golden, i+1, g, o)
		}
	}
}

// Every code comes up in some test program, with all operands of its message filled in.
func TestEveryCodeOccurs(t *testing.T) {
	seen := map[string]bool{}
	note := func(ds ir.Diags) {
		for _, d := range ds {
			seen[d.Code] = true
			if strings.Contains(d.Msg, "%!") || d.Fix == "" {
				t.Errorf("%s: message %q, advice %q", d.Code, d.Msg, d.Fix)
			}
		}
	}
	files, err := filepath.Glob("testdata/verify/*.vyre")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := ir.ParseCode(file, string(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range codes {
			p, err := c.Seal()
			if err != nil {
				note(err.(ir.Diags))
				continue
			}
			note(p.Verify(ir.Target{SM: 70, SharedBytes: 16}))
		}
	}
	for _, b := range broken {
		c := parseSound(t)
		b.do(c)
		if _, err := c.Seal(); err != nil {
			note(err.(ir.Diags))
		}
	}
	// VY015 is about bytes; the wire form's tests have it.
	seen["VY015"] = true
	for code := range ir.Rules() {
		if !seen[code] {
			t.Errorf("no test program has %s", code)
		}
	}
}
