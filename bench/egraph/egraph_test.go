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
	// A line of all cores, and one of the device.
	if n := strings.Count(string(text), ",candidates of 64 inputs,"); n != 2 || strings.Count(string(text), "\nterms of 2 ops,") != 2 {
		t.Errorf("%d lines of terms in\n%s", n, text)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if n := strings.Count(line, ","); n != 10 && line != "" && line[0] != '#' {
			t.Errorf("%d commas in %q", n, line)
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
