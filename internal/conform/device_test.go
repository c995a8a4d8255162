package conform_test

import (
	"context"
	"testing"

	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
)

func TestCPUDevicePasses(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range conform.Suite() {
		if cases := suite()[f.Name]; !needsNoDevice(cases) {
			t.Run(f.Name, func(t *testing.T) { pass(t, conform.On(d), cases) })
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestCPUDeviceRunsAsManyGroupsAtOnceAsItPromises(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := conform.Residency(context.Background(), d); err != nil {
		t.Error(err)
	}
}

// Passes keep every bit: the suite runs after each of them.
func TestSuitePassesAfterEveryPass(t *testing.T) {
	d := conform.Through(conform.Interp(interp.Options{}), "expand", opt.Expand)
	for _, f := range conform.Suite() {
		if cases := suite()[f.Name]; !needsNoDevice(cases) {
			t.Run(f.Name, func(t *testing.T) { pass(t, d, cases) })
		}
	}
}

// The suite has a tenth of the rounds, so that it stays quick.
func TestMillionMessagesArriveInOrder(t *testing.T) {
	long.Only(t, "takes seconds")
	const rounds = 1_000_000
	for c := range conform.Cases("mismatch/atomic-order-kept") {
		c.Launch.Args = []conform.Arg{{Data: make([]byte, 4*rounds)}, {Data: make([]byte, 4)}, {Data: make([]byte, 4)}, {Bits: rounds}}
		c.Want = [][]byte{nil, nil, make([]byte, 4), nil}
		for _, s := range []interp.Schedule{interp.Forward, interp.Reversed, interp.Seeded(1)} {
			if err := conform.Try(context.Background(), conform.Interp(interp.Options{Schedule: s}), c); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
	}
}
