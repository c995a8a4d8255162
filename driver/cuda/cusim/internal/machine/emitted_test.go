package machine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/driver/cuda/cusim/internal/machine"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

func target(t testing.TB, name string) ptx.Target {
	t.Helper()
	x, err := ptx.ParseTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Launches that a device must refuse are a driver's business.
func TestEmittedProgramsPassTheSuite(t *testing.T) {
	devices := []device{{target: target(t, "sm_70")}, {target: target(t, "sm_90a"), seed: 1}}
	if long.Enabled() {
		devices = append(devices, device{target: target(t, "sm_75"), seed: 2}, device{target: target(t, "sm_80"), seed: 3})
	}
	for _, d := range devices {
		for c := range conform.Cases("") {
			if c.Host != nil || c.Refused != "" {
				continue
			}
			err := conform.Try(context.Background(), d, c)
			var diags ir.Diags
			if errors.As(err, &diags) || errors.Is(err, conform.ErrSkipped) {
				continue // the target lacks an op, or the case is about reports
			}
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), c, err)
			}
		}
	}
}

func TestRandomProgramsAgreeWithTheInterpreter(t *testing.T) {
	n := uint64(300)
	if long.Enabled() {
		n = 20000
	}
	var s conform.Summary
	devices := []conform.Device{device{target: target(t, "sm_70"), findings: true}, device{target: target(t, "sm_90a"), seed: 7, findings: true}}
	if err := conform.RunRandom(context.Background(), 1, n, 2, &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures[:min(3, len(s.Failures))] {
		t.Error(f)
	}
}

// The machine sees the races of the suite and no others. Two it cannot see: lanes of a warp go in step here, and
// scopes change nothing.
func TestRacesOfTheSuiteAreFound(t *testing.T) {
	unseen := []string{"race/lanes-of-one-warp", "race/scopes-that-exclude-each-other"}
	found := ""
	d := device{target: target(t, "sm_90a"), seed: 1, saw: func(r machine.Report) {
		for _, f := range r.Findings {
			if f.Kind == machine.Race {
				found = f.String()
			}
		}
	}}
	for c := range conform.Cases("") {
		if c.Host != nil || c.Refused != "" {
			continue
		}
		found = ""
		if err := conform.Try(context.Background(), d, c); errors.Is(err, conform.ErrSkipped) {
			_, _ = d.Run(context.Background(), c.Program, c.Launch) // whose outcome is any
		}
		racy := c.Reports != nil && *c.Reports&conform.Racy != 0
		if (found != "") != racy && !slices.Contains(unseen, c.String()) {
			t.Errorf("%s: races %v, found %q", c, racy, found)
		}
	}
}
