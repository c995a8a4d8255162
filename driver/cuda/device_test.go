package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

var ctx = context.Background()

func TestADeviceIsGivenWhatItsDriverTakes(t *testing.T) {
	for _, c := range []struct {
		sm, version int
		target      string
		reduced     bool
	}{
		{90, 13000, "sm_90a", false},
		{90, 11080, "sm_90", false},
		{120, 12080, "sm_120a", false},
		{120, 12040, "sm_90", true},
		{103, 12080, "sm_100", true},
		{87, 11040, "sm_87", false},
		{88, 12090, "sm_86", true},
		{88, 13000, "sm_88", false},
		{100, 12060, "sm_90", true},
		{100, 12070, "sm_100a", false},
		{101, 12070, "sm_101a", false},
		{101, 13000, "sm_100", true},
		{103, 12090, "sm_103a", false},
		{110, 12090, "sm_103", true},
		{110, 13000, "sm_110a", false},
		{121, 12080, "sm_120", true},
		{121, 12090, "sm_121a", false},
		{75, 13000, "sm_75", false},
		{140, 14000, "sm_121", true},
	} {
		got, reduced, err := cuda.ChooseTarget(c.sm, c.version)
		if err != nil || got != c.target || reduced != c.reduced {
			t.Errorf("capability %d under %d gets %s, reduced %v, %v; want %s, %v", c.sm, c.version, got, reduced, err, c.target, c.reduced)
		}
	}
	if _, _, err := cuda.ChooseTarget(61, 13000); err == nil {
		t.Error("capability 6.1 gets a target")
	}
}

// TestEveryTargetIsSomeDevices: what package ptx writes for, a device of that capability gets under some driver.
func TestEveryTargetIsSomeDevices(t *testing.T) {
	for _, target := range ptx.Targets() {
		given := make(map[string]bool)
		for version := 11040; version <= 13000; version += 10 {
			got, reduced, err := cuda.ChooseTarget(target.SM, version)
			if err != nil {
				t.Fatal(err)
			}
			if !reduced {
				given[got] = true
			}
		}
		if !given[target.String()] && (target.Suffix != "" || !given[target.String()+"a"]) {
			t.Errorf("no driver takes %s on its own device, which gets %v", target, given)
		}
	}
}

func TestMemorySpeedIsClockTimesWidth(t *testing.T) {
	for _, c := range [][3]int{{14_000_000, 512, 1792}, {3_201_000, 6144, 4916}, {0, 512, 0}} {
		if got := cuda.Bandwidth(c[0], c[1]); got != c[2] {
			t.Errorf("%d kHz over %d bits is %d GB/s, want %d", c[0], c[1], got, c[2])
		}
	}
}

// described is a driver whose devices have these properties and no other.
type described struct {
	cu.Driver
	attrs map[cu.Attribute]int
}

func (d described) DeviceGetAttribute(a cu.Attribute, _ cu.Device) (int, error) {
	return d.attrs[a], nil
}

func hopper() *cusim.Driver { return cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}) }

func TestMissingAttributesDoNotStopADevice(t *testing.T) {
	d, err := cuda.Open(cuda.Options{Driver: described{hopper(), map[cu.Attribute]int{cu.CapabilityMajor: 9}}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if c := d.Caps(); c.GridBarrier || c.MaxThreadsPerGroup != 1024 || c.Units != 1 || c.BandwidthGBs != 0 {
		t.Errorf("capabilities are %+v", *c)
	}
}

func TestOpenSaysWhyThereIsNoDevice(t *testing.T) {
	for _, c := range []struct {
		name, selector, says string
		drv                  cu.Driver
	}{
		{"old driver", "", "11.4 is the oldest", cusim.New(cusim.Config{Version: 11000})},
		{"old GPU", "", "below 7.0", described{hopper(), map[cu.Attribute]int{cu.CapabilityMajor: 6}}},
		{"ordinal beyond the last", "3", "there are 1 GPUs", hopper()},
		{"unknown identity", "GPU-00000000-0000-0000-0000-000000000000", "none of 1 GPUs", hopper()},
		{"neither", "first", "neither a number nor an identity", hopper()},
	} {
		_, err := cuda.Open(cuda.Options{Driver: c.drv, Selector: c.selector})
		if !errors.Is(err, driver.Unavailable) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want one that says %q", c.name, err, c.says)
		}
	}
}

func TestADeviceOpensByIdentity(t *testing.T) {
	sim := hopper()
	if err := sim.Init(); err != nil {
		t.Fatal(err)
	}
	id, err := sim.DeviceGetUuid(0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := cuda.Open(cuda.Options{Driver: sim, Selector: id.String()})
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "cuda:0" {
		t.Errorf("it is %s", d.Name())
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

const addOne = `vyre 1
kernel @add_one workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, 1_u32
  store @x[%i], %w
}`

func parse(t testing.TB, source string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", source)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func TestARefusedTextNamesItsLine(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	spoilt := 0
	d.OnEmit(func(m *ptx.Module) {
		if spoilt > 0 {
			return
		}
		lines := strings.Split(m.Text, "\n")
		for i, line := range lines {
			if strings.Contains(line, "add.u32") {
				spoilt, lines[i] = i+1, strings.Replace(line, "add.u32", "add.u31", 1)
			}
		}
		m.Text = strings.Join(lines, "\n")
	})
	_, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.Compile || e.Line != spoilt || e.Label != "add_one" || !strings.Contains(e.Log, fmt.Sprintf("%6d | ", spoilt)) {
		t.Fatalf("got %v\n%+v", err, e)
	}
	if _, err = d.Compile(ctx, parse(t, addOne), driver.Options{}); err != nil {
		t.Errorf("a failure was kept: %v", err)
	}
}

func TestALostDeviceSaysSoAndReopens(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Recovers: true})
	d, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4, driver.AllocOptions{Label: "b"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("fatal")
	s.Launch(k, driver.Groups(1), driver.All(b))
	p, err := s.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sim.Fail(cusim.Rule{Call: "cuStreamQuery", Nth: 1, Result: 719})
	// Whoever only polls learns the end of a run that faulted, too.
	for !p.Done() {
	}
	_, err = p.Wait(ctx)
	if !errors.Is(err, driver.DeviceFault) || !errors.Is(err, driver.DeviceLost) || !strings.Contains(err.Error(), `"add_one"`) || !strings.Contains(err.Error(), "CUDA_ERROR_LAUNCH_FAILED 719") {
		t.Errorf("the run gave %v", err)
	}
	before := sim.Count("")
	_, err = d.Alloc(4, driver.AllocOptions{})
	if !errors.Is(err, driver.DeviceLost) || sim.Count("") != before {
		t.Errorf("afterwards: %v, after %d calls", err, sim.Count("")-before)
	}
	if !errors.Is(d.Err(), driver.DeviceLost) {
		t.Errorf("Err is %v", d.Err())
	}
	if err := d.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	again, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		t.Fatalf("reopening: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// Two devices of one GPU have one context, which the first open of a third may find broken.
func TestAResetIsKnownToWhoSharesTheContext(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper, cusim.Hopper}, Recovers: true})
	open := func(which string) *cuda.Device {
		d, err := cuda.Open(cuda.Options{Driver: sim, Selector: which})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first, other := open("0"), open("1")
	kept, err := other.Alloc(64, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Compile(ctx, parse(t, mix), driver.Options{}); err != nil {
		t.Fatal(err)
	}
	sim.Fail(cusim.Rule{Call: "cuStreamQuery", Nth: 1, Result: 719})
	third := open("0")
	_, err = first.Alloc(64, driver.AllocOptions{})
	fails(t, err, driver.DeviceLost, "its context was reset, for it did not work: cuStreamQuery failed")
	closed(t, first) // in silence: what it had went with the context
	for _, d := range []*cuda.Device{third, other} {
		b, err := d.Alloc(64, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := driver.Write(ctx, driver.All(b), make([]byte, 64)); err != nil {
			t.Error(err)
		}
	}
	if err := driver.Write(ctx, driver.All(kept), make([]byte, 64)); err != nil {
		t.Errorf("memory of another GPU: %v", err)
	}
	closed(t, third)
	closed(t, other)
}

func TestAContextThatDoesNotWorkIsReset(t *testing.T) {
	const retain, query, set = "cuDevicePrimaryCtxRetain", "cuStreamQuery", "cuCtxSetCurrent"
	for _, c := range []struct {
		name   string
		call   string
		times  int
		result cu.Result
		kind   driver.Kind // of the error; 0 if it opens
		says   string
		resets int
	}{
		{"none is made at first", retain, 1, 700, 0, "", 1},
		{"none is ever made", retain, 2, 700, driver.Unavailable, "cuDevicePrimaryCtxRetain failed [CUDA_ERROR_ILLEGAL_ADDRESS 700]; fix: restart the process", 1},
		{"it is broken at first", query, 1, 719, 0, "", 1},
		{"it is ever broken", query, 2, 719, driver.Unavailable, "restart the process", 1},
		{"it is not taken by a thread", set, 2, 716, driver.Unavailable, "restart the process", 1},
		{"there is no memory for one", retain, 1, cu.OutOfMemory, driver.OutOfMemory, retain, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Recovers: true})
			for n := range c.times {
				sim.Fail(cusim.Rule{Call: c.call, Nth: n + 1, Result: c.result})
			}
			d, err := cuda.Open(cuda.Options{Driver: sim})
			if c.kind != 0 {
				fails(t, err, c.kind, c.says)
			} else if err != nil {
				t.Error(err)
			} else {
				closed(t, d)
			}
			if n := sim.Count("cuDevicePrimaryCtxReset_v2"); n != c.resets {
				t.Errorf("it was reset %d times, want %d", n, c.resets)
			}
			if left := sim.Left(); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}
