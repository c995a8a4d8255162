package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

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
	files, err := filepath.Glob("testdata/*.vyre")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := text.ParseCode(file, string(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range codes {
			p, err := verify.Seal(c)
			if err != nil {
				note(err.(ir.Diags))
				continue
			}
			note(verify.Program(p, verify.Target{SM: 70, SharedBytes: 16}))
		}
	}
	for _, b := range broken {
		c := parseSound(t)
		b.do(c)
		if _, err := verify.Seal(c); err != nil {
			note(err.(ir.Diags))
		}
	}
	// VY015 is about bytes; the wire form's tests have it.
	seen["VY015"] = true
	for code := range finding.Rules {
		if !seen[code] {
			t.Errorf("no test program has %s", code)
		}
	}
}
