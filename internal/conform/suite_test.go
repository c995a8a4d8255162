package conform_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

func TestCaseNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for _, cases := range suite() {
		for i := range cases {
			name := cases[i].String()
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
	}
}

// suite builds the cases once for all tests.
var suite = sync.OnceValue(func() map[string][]conform.Case {
	cases := make(map[string][]conform.Case)
	for _, f := range conform.Suite() {
		cases[f.Name] = f.Cases()
	}
	return cases
})

// needsNoDevice reports whether a family is about programs in themselves: trying it again on
// another device would do the same again.
func needsNoDevice(cases []conform.Case) bool {
	return !slices.ContainsFunc(cases, func(c conform.Case) bool { return c.Host == nil })
}

// pass tries cases on a device, reports the first failures, and counts what was skipped.
func pass(t *testing.T, d conform.Device, cases []conform.Case) (skipped int) {
	t.Helper()
	failed := 0
	for i := range cases {
		err := conform.Try(context.Background(), d, &cases[i])
		switch {
		case errors.Is(err, conform.ErrSkipped):
			skipped++
		case err != nil:
			if failed++; failed <= 5 {
				t.Errorf("%s: %s: %v", d.Name(), &cases[i], err)
			}
		}
	}
	if failed > 5 {
		t.Errorf("%s: %d of %d cases fail", d.Name(), failed, len(cases))
	}
	return skipped
}

func TestInterpreterPassesUnderEverySchedule(t *testing.T) {
	for _, f := range conform.Suite() {
		t.Run(f.Name, func(t *testing.T) {
			cases := suite()[f.Name]
			t.Parallel()
			if needsNoDevice(cases) {
				if !long.Enabled() { // thousands of constants a type: printing and reading has its own tests in package ir
					cases = slices.DeleteFunc(slices.Clone(cases), func(c conform.Case) bool { return strings.HasPrefix(c.Name, "constants.") })
				}
				pass(t, conform.Interp(interp.Options{}), cases)
				return
			}
			schedules := []interp.Schedule{interp.Forward, interp.Seeded(1)}
			if long.Enabled() {
				schedules = append(schedules, interp.Reversed, interp.Seeded(2), interp.Seeded(3))
			}
			for _, s := range schedules {
				skipped := pass(t, conform.Interp(interp.Options{Schedule: s}), cases)
				if s == interp.Forward {
					t.Logf("%d cases, %d need detectors", len(cases), skipped)
				}
			}
		})
	}
}

// Cases over single ops have no memory to speak of; detectors have nothing to find there.
func TestDetectorsReportWhatCasesExpect(t *testing.T) {
	for _, f := range conform.Suite() {
		if strings.HasPrefix(f.Name, "int-") || strings.HasPrefix(f.Name, "float-") || f.Name == "convert" || needsNoDevice(suite()[f.Name]) {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			schedules := []interp.Schedule{interp.Seeded(4)}
			if long.Enabled() {
				schedules = append(schedules, interp.Forward)
			}
			for _, s := range schedules {
				if n := pass(t, conform.Interp(interp.Options{Schedule: s, Detect: interp.Everything}), suite()[f.Name]); n > 0 {
					t.Errorf("%d cases skipped, with all detectors on", n)
				}
			}
		})
	}
}

// slow is a device whose runs end when the context does, as compilations do.
type slow struct {
	conform.Device
	cancel context.CancelFunc
}

func (d slow) Run(context.Context, *ir.Program, conform.Launch) (conform.Outcome, error) {
	d.cancel()
	return conform.Outcome{}, &driver.Error{Op: "compile", Kind: driver.Canceled}
}

func TestRunCountsNoCaseThatWasCutShort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := conform.Run(ctx, slow{conform.Interp(interp.Options{}), cancel}, conform.Options{Match: "ctl-if/"})
	if err == nil || s.Cases != 0 || s.Failed != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
}
