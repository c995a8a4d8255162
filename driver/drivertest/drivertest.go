// Package drivertest has the tests that every device must pass. They state the rules of package driver, such as refusals,
// byte counts and ownership.
//
//	func TestContract(t *testing.T) {
//		drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) {
//			return cpu.Open(cpu.Options{OpenOptions: o})
//		})
//	}
//
// Package conform tests the results of programs. The kernels here are the smallest that make a launch visible.
package drivertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// Run runs the tests. open returns a new device each time; the tests close it.
func Run(t *testing.T, open func(driver.OpenOptions) (driver.Device, error)) {
	groups := []group{
		{"Transfer", transferTests}, {"Fusion", fusionTests}, {"Launch", launchTests}, {"Loop", loopTests}, {"Starting", startingTests}, {"Refusal", refusalTests}, {"Identity", identityTests},
		{"Set", setTests}, {"Resident", residentTests}, {"Graph", graphTests}, {"Overlap", overlapTests}, {"Batch", batchTests}, {"Memo", memoTests}, {"Ownership", ownershipTests}, {"Borrow", borrowTests}, {"Context", contextTests},
		{"Order", orderTests}, {"Dispatch", dispatchTests}, {"Stats", statsTests}, {"Trap", trapTests}, {"CommandTimes", commandTimesTests}, {"Profile", profileTests}, {"Timeline", timelineTests}, {"Caches", cachesTests}, {"Pool", poolTests}, {"Tuning", tuningTests}, {"Costs", costsTests}, {"Hammer", hammerTests},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) { g.run(t, open) })
	}
	// Under a profile runs do the same.
	for _, g := range groups {
		if slices.Contains([]string{"Launch", "Loop", "Starting", "Set", "Resident", "Graph", "Overlap", "Batch", "Memo", "Borrow", "Context", "Order", "Trap"}, g.name) {
			t.Run("Profiled"+g.name, func(t *testing.T) { g.run(t, underProfile(open)) })
		}
	}
}

// group is tests about one matter.
type group struct {
	name  string
	tests []test
}

// run runs each test on a device of its own.
func (g group) run(t *testing.T, open func(driver.OpenOptions) (driver.Device, error)) {
	for _, c := range g.tests {
		t.Run(c.name, func(t *testing.T) {
			dev, err := open(driver.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e := &env{T: t, dev: dev, open: open}
			defer func() {
				if err := dev.Close(); err != nil {
					t.Errorf("closing the device: %v", err)
				}
				e.nothingLeft(dev)
			}()
			c.run(e)
		})
	}
}

// underProfile opens devices whose profile nobody stops.
func underProfile(open func(driver.OpenOptions) (driver.Device, error)) func(driver.OpenOptions) (driver.Device, error) {
	return func(o driver.OpenOptions) (driver.Device, error) {
		dev, err := open(o)
		if err == nil {
			_, err = driver.Profile(dev, io.Discard)
		}
		return dev, err
	}
}

// test is one statement about a device.
type test struct {
	name string
	run  func(*env)
}

// env is what a test works with.
type env struct {
	*testing.T
	dev  driver.Device
	open func(driver.OpenOptions) (driver.Device, error)
}

var ctx = context.Background()

// nothingLeft checks that a closed device accounts for nothing any more.
func (e *env) nothingLeft(d driver.Device) {
	e.Helper()
	s := d.Stats()
	for _, m := range []driver.Metric{metric.LiveBytes, metric.ReservedBytes, metric.IdleBytes, metric.InternalBytes, metric.DriverBytes,
		metric.PinnedBytes, metric.Buffers, metric.Kernels, metric.Sequences, metric.Graphs, metric.RunsInFlight} {
		if n := s.Get(m); n != 0 {
			e.Errorf("%v is %d after Close", m, int64(n))
		}
	}
}

// sub runs a part of a test that has a name of its own, on the same device.
func (e *env) sub(name string, f func(*env)) {
	e.Run(name, func(t *testing.T) { f(&env{T: t, dev: e.dev, open: e.open}) })
}

// compile makes a kernel of one of the programs.
func (e *env) compile(text string) driver.Kernel {
	e.Helper()
	k, err := e.dev.Compile(ctx, e.program(text), driver.Options{})
	e.must(err)
	return k
}

func (e *env) program(source string) *ir.Program {
	e.Helper()
	ps, err := text.Parse("drivertest", "vyre 1\n"+source)
	e.must(err)
	return ps[0]
}

// buffer allocates n bytes of value fill.
func (e *env) buffer(label string, n int64, fill byte) driver.Buffer {
	e.Helper()
	b, err := e.dev.Alloc(n, driver.AllocOptions{Label: label})
	e.must(err)
	e.write(b, bytes.Repeat([]byte{fill}, int(n)))
	return b
}

// words allocates a buffer holding the words.
func (e *env) words(label string, v ...uint32) driver.Buffer {
	e.Helper()
	b, err := e.dev.Alloc(int64(4*len(v)), driver.AllocOptions{Label: label})
	e.must(err)
	e.write(b, le(v...))
	return b
}

func (e *env) write(b driver.Buffer, src []byte) {
	e.Helper()
	e.must(driver.Write(ctx, driver.All(b), src))
}

func (e *env) read(b driver.Buffer) []byte {
	e.Helper()
	dst := make([]byte, b.Len())
	e.must(driver.ReadInto(ctx, driver.All(b), dst))
	return dst
}

func (e *env) run(p driver.Prepared) driver.Result {
	e.Helper()
	res, err := p.Run(ctx)
	e.must(err)
	return res
}

// counted returns how far f moved the metrics.
func (e *env) counted(f func()) *driver.Stats {
	before := e.dev.Stats()
	f()
	return e.dev.Stats().Sub(before)
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// fails checks that err is of the kind and says all of the texts.
func (e *env) fails(err error, kind driver.Kind, texts ...string) {
	e.Helper()
	if !errors.Is(err, kind) {
		e.Fatalf("got error %v, want one of kind %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			e.Errorf("error does not say %q: %v", text, err)
		}
	}
}

func (e *env) equal(what string, got, want []byte) {
	e.Helper()
	if !bytes.Equal(got, want) {
		e.Errorf("%s is\n\t% x, want\n\t% x", what, got, want)
	}
}

func (e *env) same(what string, got, want uint64) {
	e.Helper()
	if got != want {
		e.Errorf("%s is %d, want %d", what, int64(got), int64(want))
	}
}

// le is the words as bytes.
func le(v ...uint32) []byte {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
