package vyre_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/trace"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/ir/text"
)

const fillOnes = `vyre 1
kernel @ones workgroup(32) {
  param @y: buf<u32> wo
  %i = global.x
  store @y[%i], 1_u32
}`

// observed runs one kernel twice and makes one mistake, and returns what the observer was told.
func observed(t *testing.T, open func(driver.OpenOptions) (driver.Device, error)) (told []string) {
	t.Helper()
	note := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	d, err := open(driver.OpenOptions{Observer: &driver.Observer{
		RunStart: func(label string) { note("start %s", label) },
		RunEnd:   func(label string, r *driver.Result, err error) { note("end %s, %v, timed %v", label, err, r.Wall > 0) },
		Compile:  func(label string, took time.Duration, err error) { note("compile %s, %v", label, err) },
		Alloc:    func(label string, bytes int64, err error) { note("alloc %s %d, failed %v", label, bytes, err != nil) },
		Error:    func(err *driver.Error) { note("error in %s", err.Op) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	ps, err := text.Parse("ones", fillOnes)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	k, err := d.Compile(ctx, ps[0], driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(128, driver.AllocOptions{Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(-1, driver.AllocOptions{Label: "z"}); err == nil {
		t.Error("a negative size was taken")
	}
	s := d.NewSequence("seq")
	s.Launch(k, driver.Groups(1), driver.All(b))
	if _, err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return told
}

func TestObserverIsToldWhatHappens(t *testing.T) {
	for name, open := range map[string]func(driver.OpenOptions) (driver.Device, error){
		"cpu":      func(o driver.OpenOptions) (driver.Device, error) { return cpu.Open(cpu.Options{OpenOptions: o}) },
		"cuda-sim": func(o driver.OpenOptions) (driver.Device, error) { return driver.Open(cudasim.Name, o) },
	} {
		t.Run(name, func(t *testing.T) {
			told := observed(t, open)
			want := []string{
				"compile ones, <nil>",
				"alloc y 128, failed false",
				"alloc z -1, failed true",
				"error in alloc",
				"start seq",
				"end seq, <nil>, timed true",
				"start seq",
				fmt.Sprintf("end seq, vyre: wait \"seq\" on %s: closed: sequence was closed before anyone waited for its run, timed false", deviceName(name)),
			}
			if !slices.Equal(told, want) {
				t.Errorf("told\n%q\nwant\n%q", told, want)
			}
		})
	}
}

func deviceName(kind string) string {
	if kind == "cpu" {
		return kind
	}
	return kind + ":0"
}

func TestTraceShowsRuns(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is being taken already")
	}
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		t.Fatal(err)
	}
	observed(t, func(o driver.OpenOptions) (driver.Device, error) { return cpu.Open(cpu.Options{OpenOptions: o}) })
	trace.Stop()
	for _, name := range []string{"vyre.compile", "vyre.prepare", "vyre.run", "vyre.enqueue", "vyre.wait"} {
		if !bytes.Contains(buf.Bytes(), []byte(name)) {
			t.Errorf("the trace has no %s", name)
		}
	}
}
