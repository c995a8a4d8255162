package evidence_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/evidence"
)

// TestCommittedFilePasses holds the file that the documents quote against the gate, and faults of each kind in it.
func TestCommittedFilePasses(t *testing.T) {
	text, err := os.ReadFile("../../docs/evidence/h200.csv")
	if err != nil {
		t.Fatal(err)
	}
	g := evidence.Gate{Require: map[evidence.Protocol]float64{evidence.Naive: 10, evidence.Strong: 3.5, evidence.BestOther: 2}}
	proof, err := g.Check(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if proof.Repetitions != 512 || proof.Samples != 8 {
		t.Errorf("%d repetitions of %d samples", proof.Repetitions, proof.Samples)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	names := strings.Split(lines[0], ",")
	for field, value := range map[string]string{
		"schema": "2", "device": "simulated cuda:0", "sm": "75", "memory_bytes": "1000", "nodes": "9999", "edges": "79999", "rounds": "1", "repetitions": "63",
		"naive_ns": "NaN", "strong_ns": "-1", "best_other_ns": "0", "resident_ns": "1", "resident_device_ns": "99999999999999", "naive_allocs": "191",
		"naive_uploads": "1", "naive_waits": "1", "strong_waits": "1", "resident_launches": "63", "resident_uploads": "1", "resident_allocs": "1",
		"resident_heap_allocs": "1", "resident_waits": "1", "resident_fallbacks": "1", "digest": "00000000000000000000000000000000", "digest_mismatches": "1", "sample": "2",
	} {
		at := slices.Index(names, field)
		if at < 0 {
			t.Fatalf("there is no field %s", field)
		}
		row := strings.Split(lines[1], ",")
		row[at] = value
		faulty := slices.Clone(lines)
		faulty[1] = strings.Join(row, ",")
		if _, err := g.Check(strings.NewReader(strings.Join(faulty, "\n") + "\n")); err == nil {
			t.Errorf("%s %s passes", field, value)
		}
	}
}
