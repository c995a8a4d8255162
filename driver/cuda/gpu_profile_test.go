package cuda_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/pprofs"
)

// TestGPUProfileSaysWhatEventsSay: a kernel that takes a while takes as long in a profile as between two events, in a stream and in a graph.
func TestGPUProfileSaysWhatEventsSay(t *testing.T) {
	profiledSpin(t, gpu(t), 1<<20)
}

// TestProfileOfTheSimulatedDriverSaysWhatEventsSay rehearses it.
func TestProfileOfTheSimulatedDriverSaysWhatEventsSay(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	profiledSpin(t, d, 1<<14)
}

// spinning goes round n times.
const spinning = `vyre 1
kernel @spin workgroup(1) {
  param @x: buf<u32> rw
  param %n: u32
  %end = loop ^l (%i: u32 = 0_u32) -> (u32) {
    %done = le.u32 %n, %i
    if %done { break ^l (%i) }
    %next = add.u32 %i, 1_u32
    %v = load @x[0_u32]
    store @x[0_u32], %next
    continue ^l (%next)
  }
  store @x[0_u32], %end
}`

func profiledSpin(t *testing.T, d *cuda.Device, n uint32) {
	t.Helper()
	k, x := compiled(t, d, parse(t, spinning)), alloc(t, d, 4)
	s := d.NewSequence("spins")
	s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(n))
	ways := []struct {
		name string
		p    driver.Prepared
	}{{"stream", s}}
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if d.Caps().Graphs {
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ways = append(ways, struct {
			name string
			p    driver.Prepared
		}{"graph", g})
	}
	for _, w := range ways {
		run(t, w.p)
		event := run(t, w.p).Device
		var made bytes.Buffer
		stop, err := driver.Profile(d, &made)
		if err != nil {
			t.Fatal(err)
		}
		run(t, w.p)
		whole := run(t, w.p).Device
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		p, err := pprofs.Read(&made)
		if err != nil {
			t.Fatal(err)
		}
		var kernel time.Duration
		for _, s := range p.Samples {
			if s.Stack[0].Name == "spin" {
				kernel += time.Duration(s.Values[1]) / 2
			}
		}
		if off := kernel - event; off < -event/20-10*time.Microsecond || off > event/20+10*time.Microsecond {
			t.Errorf("in a %s the kernel takes %v by events and %v in the profile", w.name, event, kernel)
		}
		total(t, "profile", "%s events=%v profile=%v run=%v", w.name, event, kernel, whole)
	}
	for _, c := range []interface{ Close() error }{s, x, k} {
		closed(t, c)
	}
}
