package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryOperationIsMeasuredOnSmallInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prim.csv")
	if err := run("cpu", 1<<10, "", "", file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if !strings.Contains(string(text), "\n"+c.name+",1024,") {
			t.Errorf("%s was not measured:\n%s", c.name, text)
		}
	}
}

// The page quotes what has been measured.
func TestThePageHasTheTableOfTheEvidence(t *testing.T) {
	measured, err := os.ReadFile("../../docs/evidence/prim-h200.csv")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/prim.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := table(&want, string(measured)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(want.String()) {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/prim.md has no line %s", line)
		}
	}
	if err := table(&want, "reduce-u32,1024,1,2,3,4,2.0,equal,0,0\n"); err == nil || !strings.Contains(err.Error(), "65536 elements was not measured") {
		t.Errorf("a table of one size: %v", err)
	}
	if err := table(&want, "reduce-u32,1024,1,2\n"); err == nil || !strings.Contains(err.Error(), "no reference") {
		t.Errorf("a table without a reference: %v", err)
	}
}
