package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestTuningOfTheSuite rehearses on the simulated driver, whose clock is exact: no choice is slower.
func TestTuningOfTheSuite(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "cuda-sim", "^(Saxpy|CRC32|Lookup|Particles|SGEMM)$", true, 3); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if kernels := regexp.MustCompile(`(?m)^vyrebench v=1 name=P15 kernel=.* verdict=pass$`).FindAllString(out.String(), -1); len(kernels) != 4 { // SGEMM can tell its group
		t.Errorf("%d kernels are measured:\n%s", len(kernels), out.String())
	}
}
