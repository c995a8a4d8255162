package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryWorkloadIsMeasuredOnSmallGraphs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "egraph.csv")
	if err := run(t.Context(), "cpu", 1_000, 1, 2, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"device", "cpu, "} {
		if !strings.Contains(string(text), "\nterms of 2 ops,") || !strings.Contains(string(text), ","+form) {
			t.Errorf("no terms on %s in\n%s", form, text)
		}
	}
	for _, w := range workloads(1_000) {
		for _, form := range []string{"device,resident image to finished read-back", "device,a round in which one row changes", "one core,rebuild"} {
			if !strings.Contains(string(text), "\n"+w.name+",1000,"+form+",") {
				t.Errorf("%s: no %s in\n%s", w.name, form, text)
			}
		}
	}
	if n := strings.Count(string(text), "\nsum of 5,95,"); n != 4 {
		t.Errorf("%d lines of the sum of 5 in\n%s", n, text)
	}
}
