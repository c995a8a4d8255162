package conform_test

import (
	"context"
	"strings"
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/interp"
)

func TestCaseNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for c := range conform.Cases("") {
		name := c.Family + "/" + c.Name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
	}
}

// pass runs the cases that match on a device and reports the first failures.
func pass(t *testing.T, d conform.Device, match string) conform.Summary {
	t.Helper()
	s, err := conform.Run(context.Background(), d, conform.Options{Match: match})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range s.Failures {
		if i == 10 {
			t.Errorf("%d failures in all", s.Failed)
			break
		}
		t.Errorf("%s: %v", d.Name(), f)
	}
	return s
}

func TestInterpreterPassesUnderEverySchedule(t *testing.T) {
	for _, s := range []interp.Schedule{interp.Forward, interp.Reversed, interp.Seeded(1), interp.Seeded(2), interp.Seeded(3)} {
		t.Run(s.String(), func(t *testing.T) {
			sum := pass(t, conform.Interp(interp.Options{Schedule: s}), "")
			t.Logf("%d cases, %d need detectors", sum.Cases, sum.Skipped)
		})
	}
}

// Cases over single ops have no memory to speak of; detectors have nothing to find there.
func TestDetectorsReportWhatCasesExpect(t *testing.T) {
	for _, f := range conform.Suite() {
		if strings.HasPrefix(f.Name, "int-") || strings.HasPrefix(f.Name, "float-") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for _, s := range []interp.Schedule{interp.Forward, interp.Seeded(4)} {
				pass(t, conform.Interp(interp.Options{Schedule: s, Detect: interp.Everything}), f.Name+"/")
			}
		})
	}
}
