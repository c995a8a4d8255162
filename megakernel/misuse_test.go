package megakernel_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// TestMistakesWithPlansAreErrors that say what was wrong, and leave a plan as it was.
func TestMistakesWithPlansAreErrors(t *testing.T) {
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	fails := func(what string, err error, kind driver.Kind, says string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %v that says %q", what, err, kind, says)
		}
	}
	_, err := megakernel.Calibrate(t.Context(), nil)
	fails("costs of no device", err, driver.InvalidArgument, "the device is nil")
	fails("a history of no device", megakernel.KeepHistory(nil, "none", new(megakernel.History)), driver.InvalidArgument, "the device is nil")
	fails("no history", megakernel.KeepHistory(open(t, devices()[0]), "none", nil), driver.InvalidArgument, "the history is nil")
	if c, h, all := megakernel.KeptCosts(nil), megakernel.KeptHistory(nil, "none"), megakernel.KeptHistories(nil); c != nil || len(h.Ways) != 0 || len(all) != 0 {
		t.Errorf("of no device there are costs %v and histories %v, %v", c, h, all)
	}
	g := chain(12)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		waves, deps := forms[0].waves(g, m, 0)
		_, err := megakernel.New(t.Context(), nil, waves, deps, megakernel.Options{})
		fails("no device", err, driver.InvalidArgument, "the device is nil")
		_, err = megakernel.New(past, dev, waves, deps, megakernel.Options{})
		fails("too late", err, driver.Canceled, "nothing was started")
		fails("no history", megakernel.Trial(t.Context(), dev, waves, deps, megakernel.Options{}, nil, nil), driver.InvalidArgument, "history")
		for _, topology := range topologies {
			p, err := megakernel.New(t.Context(), dev, waves, deps, megakernel.Options{Topology: topology})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Resume(t.Context())
			fails("nothing to go on with", err, driver.InvalidArgument, "call Run")
			_, err = p.Run(past)
			fails("too late", err, driver.Canceled, "before anything was started")
			rec, err := p.Run(t.Context())
			if err != nil || rec.Status != megakernel.Converged {
				t.Errorf("%s, %v: after that: %v, %v", device, topology, rec, err)
			}
			_, err = p.Resume(t.Context())
			fails("nothing is left", err, driver.InvalidArgument, "call Run")
			if err := errors.Join(p.Close(), p.Close()); err != nil {
				t.Error(err)
			}
			_, err = p.Run(t.Context())
			fails("closed", err, driver.Closed, "the plan is closed; fix: make another one")
			if err := p.Settle(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
