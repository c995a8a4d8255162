package machine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
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

// Launches that a device must refuse are a driver's business. The machine sees the races of the suite and no
// others. Two it cannot see: lanes of a warp go in step here, and scopes change nothing.
func TestEmittedProgramsPassTheSuite(t *testing.T) {
	unseen := []string{"race/lanes-of-one-warp", "race/scopes-that-exclude-each-other"}
	targets := []string{"sm_90a"}
	if long.Enabled() {
		targets = append(targets, "sm_70", "sm_75", "sm_80")
	}
	every := long.Count(4, 2, 1) // races all the same
	for i, name := range targets {
		found, n := "", 0
		d := device{target: target(t, name), seed: uint64(1 + i), saw: func(r machine.Report) {
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
			if n++; n%every != 0 && c.Reports == nil {
				continue
			}
			found = ""
			err := conform.Try(context.Background(), d, c)
			var diags ir.Diags
			switch {
			case errors.As(err, &diags):
				continue // the target lacks an op
			case errors.Is(err, conform.ErrSkipped): // the outcome may be any, the reports not
				_, _ = d.Run(context.Background(), c.Program, c.Launch)
			case err != nil:
				t.Errorf("%s: %s: %v", d.Name(), c, err)
			}
			racy := c.Reports != nil && *c.Reports&conform.Racy != 0
			if c.Family == "copy-async" && targets[i] < "sm_80" && found == "" { // copies arrive at once
				racy = false
			}
			if (found != "") != racy && !slices.Contains(unseen, c.String()) {
				t.Errorf("%s: %s: races %v, found %q", d.Name(), c, racy, found)
			}
		}
	}
}

func TestRandomProgramsAgreeWithTheInterpreter(t *testing.T) {
	n := uint64(long.Count(100, 1_000, 20_000))
	var s conform.Summary
	devices := []conform.Device{device{target: target(t, "sm_70"), findings: true}, device{target: target(t, "sm_90a"), seed: 7, findings: true}}
	if err := conform.RunRandom(context.Background(), long.Seed(t, 1), n, 2, &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures[:min(3, len(s.Failures))] {
		t.Error(f)
	}
}
