package cuda_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cusim"
)

func TestSyncNamesTheCommandThatFailed(t *testing.T) {
	for _, c := range []struct {
		debug, path string
	}{{"sync", "1.body.0"}, {"off", ""}} {
		sim := hopper()
		d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{Debug: c.debug}})
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(128, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence("s")
		s.NoDeviceTime()
		s.Launch(k, driver.Groups(1), driver.All(b))
		s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(b)) })
		if err := s.Prepare(); err != nil {
			t.Fatal(err)
		}
		sim.Fail(cusim.Rule{Call: "cuStreamSynchronize", Nth: 2, Result: 700})
		sim.Fail(cusim.Rule{Call: "cuEventSynchronize", Nth: 1, Result: 700})
		_, err = s.Run(ctx)
		var e *driver.Error
		if !errors.As(err, &e) || e.Kind != driver.DeviceFault || e.Path != c.path {
			t.Errorf("with %s: %v", c.debug, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLogSaysWhatHappens(t *testing.T) {
	var out bytes.Buffer
	d, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Blackwell}, Version: 12040}), OpenOptions: driver.OpenOptions{Debug: "log", DebugOutput: &out}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("told")
	s.Fill(driver.All(b), 1, 4)
	if _, err := s.Capture(driver.CaptureOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"vyre: cuda:0: simulated 12.0, target sm_90, below its own 12.0, driver 12.4: stream flag true", `prepared "told"`, `captured "told"`} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("there is no %q in\n%s", line, out.String())
		}
	}
}

func TestThreadsKeepTheirContext(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper, cusim.Tiny}})
	if err := sim.Init(); err != nil {
		t.Fatal(err)
	}
	own, err := sim.DevicePrimaryCtxRetain(1)
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := sim.CtxSetCurrent(own); err != nil {
		t.Fatal(err)
	}
	d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{PreserveThreadContext: true}})
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(128, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("s")
	s.Launch(k, driver.Groups(1), driver.All(b))
	s.Read(driver.All(b), make([]byte, 128))
	for range 2 {
		if _, err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if now := sim.Current(); now != own {
		t.Errorf("the thread has context %#x; it had %#x", now, own)
	}
	if err := sim.CtxSetCurrent(0); err != nil {
		t.Fatal(err)
	}
	if err := sim.DevicePrimaryCtxRelease(1); err != nil {
		t.Fatal(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}
