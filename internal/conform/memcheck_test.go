package conform_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/interp"
	machine "github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// memchecked opens every kind of device with memcheck.
func memchecked(t *testing.T) (devices []conform.Device) {
	t.Helper()
	debug := driver.OpenOptions{Debug: "memcheck"}
	for _, e := range append([]string{string(cpu.Interp)}, machine.HostTargets()...) {
		d, err := cpu.Open(cpu.Options{OpenOptions: debug, Engine: cpu.Engine(e)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		devices = append(devices, conform.On(d))
	}
	d, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), OpenOptions: debug})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return append(devices, conform.On(d))
}

// place is a finding without what depends on the order in which the detector meets invocations, if there are several.
// A vector is one access, of which the detector counts elements.
func place(line string) string {
	where, rest, _ := strings.Cut(line, ", by ")
	_, times, several := strings.Cut(rest, "; ")
	switch {
	case strings.Contains(where, ".v2") || strings.Contains(where, ".v4"):
		times, several = "some times", true
	case !several:
		return line
	}
	at := strings.IndexByte(where, '[') // of a record's field that is an array there are two
	return where[:max(at, 0)] + " " + times
}

func places(rs []conform.Report) (list []string) {
	for _, r := range rs {
		list = append(list, place(r.Text))
	}
	return list
}

// checking is a device with memcheck whose findings have to be those of the interpreter's detector.
type checking struct {
	conform.Device
	detector conform.Device
	places   *atomic.Int64 // found so far
}

func (d checking) Run(ctx context.Context, p *ir.Program, l conform.Launch) (conform.Outcome, error) {
	got, err := d.Device.Run(ctx, p, l)
	if err != nil {
		return got, err
	}
	want, err := d.detector.Run(ctx, p, l)
	if err != nil {
		return got, nil // a launch that is too large for it
	}
	if len(got.Reports) > 0 {
		got.Trap = want.Trap // of one launch, an error tells an access out of bounds before a trap
	}
	if !slices.Equal(places(got.Reports), places(want.Reports)) {
		return got, fmt.Errorf("it finds\n\t%swant\n\t%s%s", lines(got.Reports), lines(want.Reports), text.Of(p))
	}
	d.places.Add(int64(len(got.Reports)))
	return got, nil
}

// The checks that memcheck puts into a program find the same accesses as the interpreter's detector, which does not know of
// them: at the same places, with the same index, on every device, and with unchanged results. The class is every access of
// the language, from the conformance suite and from random programs: loads, stores and atomics of buffers, records, shared
// and local arrays and tables, of vectors, with indices of all integer types.
func TestMemcheckFindsWhatTheDetectorFinds(t *testing.T) {
	devices := memchecked(t)
	var found atomic.Int64
	for i, d := range devices {
		devices[i] = checking{d, conform.Interp(interp.Options{Detect: interp.Bounds}), &found}
	}
	n, stride := 0, long.Count(30, 1, 1)
	for c := range conform.Cases("") {
		if n++; c.Program == nil || c.Flawed() || n%stride != 0 {
			continue
		}
		for _, d := range devices {
			if err := conform.Try(t.Context(), d, c); err != nil && !errors.Is(err, conform.ErrSkipped) &&
				!(c.Form != 0 && errors.Is(err, driver.Unsupported)) { // machine code has no products of matrices
				t.Errorf("%s on %s: %v", c, d.Name(), err)
			}
		}
	}
	var s conform.Summary
	r := conform.RandomRun{Seed: long.Seed(t, 0), N: uint64(long.Count(10, 2_000, 20_000)), Make: conform.Random, Workers: runtime.GOMAXPROCS(0)}
	if err := r.Run(t.Context(), &s, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
	if t.Logf("%d places out of bounds", found.Load()); found.Load() < 100 {
		t.Errorf("there are %d findings, which are too few to tell", found.Load())
	}
}

func lines(rs []conform.Report) string {
	var b strings.Builder
	for _, r := range rs {
		fmt.Fprintf(&b, "%s\n\t", r.Text)
	}
	return b.String()
}
