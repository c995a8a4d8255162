package cuda_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cusim"
)

// A graph makes small transfers by a kernel, a plain run by calls of the driver: what both leave is the same, for
// every alignment, length, width and order.
func TestSmallTransfersOfAGraphAreThoseOfARun(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 17))
		const size = 40 << 10
		var bufs []driver.Buffer
		for range 2 {
			b, err := d.Alloc(size, driver.AllocOptions{})
			if err != nil {
				t.Fatal(err)
			}
			bufs = append(bufs, b)
		}
		s := d.NewSequence("small")
		for _, b := range bufs {
			s.Fill(driver.All(b), 0xaa, 1)
		}
		part := func(width int64) driver.Range {
			most := []int64{7, 100, 5000, size / 2}[rng.IntN(4)]
			n := (1 + rng.Int64N(most) + width - 1) / width * width
			at := rng.Int64N((size-n)/width+1) * width
			return driver.Part(bufs[rng.IntN(2)], at, n)
		}
		for range 3 + rng.IntN(20) {
			switch rng.IntN(4) {
			case 0, 1:
				r := part([]int64{1, 4, 16}[rng.IntN(3)])
				src := make([]byte, r.Len)
				for i := range src {
					src[i] = byte(rng.Uint32())
				}
				s.Upload(r, src, []driver.Mode{driver.Always, driver.IfChanged, driver.Static}[rng.IntN(3)])
			case 2:
				width := 1 << rng.IntN(4)
				s.Fill(part(int64(width)), rng.Uint64(), width)
			case 3:
				from := driver.Part(bufs[0], rng.Int64N(100), 64)
				s.Copy(driver.Part(bufs[1], rng.Int64N(100), 64), from)
			}
		}
		var outs [][]byte
		for _, b := range bufs {
			for range 3 {
				from, n := rng.Int64N(1000), 1+rng.Int64N(3000)
				out := make([]byte, n)
				outs = append(outs, out)
				s.Read(driver.Part(b, from, n), out)
			}
			all := make([]byte, size)
			outs = append(outs, all)
			s.Read(driver.All(b), all)
		}
		if _, err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for _, out := range outs {
			want = append(want, bytes.Clone(out))
		}
		for _, overlap := range []bool{false, true} {
			g, err := s.Capture(driver.CaptureOptions{Overlap: overlap})
			if err != nil {
				t.Fatal(err)
			}
			for round := range 2 {
				for _, out := range outs {
					clear(out)
				}
				if _, err := g.Run(ctx); err != nil {
					t.Fatal(err)
				}
				for i, out := range outs {
					if !bytes.Equal(out, want[i]) {
						t.Fatalf("seed %d, overlap %v, round %d: read %d differs from a plain run's", seed, overlap, round, i)
					}
				}
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, b := range bufs {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r := sim.Report(); len(r.Findings) > 0 {
		t.Errorf("the simulated GPU found %v", r.Findings[0])
	}
}

func TestAGraphTakesItsTimesFromTheGPU(t *testing.T) {
	d, sim := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, transfers := range []bool{false, true} {
		s := d.NewSequence("timed")
		s.TimeTransfers(transfers)
		b := s.Scratch(4096)
		s.Upload(driver.All(b), make([]byte, 4096), driver.Always)
		s.Launch(k, driver.Groups(4), driver.All(b))
		s.Read(driver.All(b), make([]byte, 4096))
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before := sim.Count("cuEventRecord")
		res, err := g.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !res.HasDevice || res.Device <= 0 || res.HasTransfers != transfers || transfers && (res.TransferIn <= 0 || res.TransferOut <= 0) {
			t.Errorf("transfers timed %v: %+v", transfers, res.Timing)
		}
		if n := sim.Count("cuEventRecord") - before; n != 0 {
			t.Errorf("a replay records %d events", n)
		}
		for run := range 5 { // of which the later ones launch a graph
			res, err := s.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !res.HasDevice || res.Device <= 0 || res.HasTransfers != transfers {
				t.Errorf("run %d, transfers timed %v: %+v", run, transfers, res.Timing)
			}
		}
	}
}

// A run without work has no device time, not even that of a sequence that was here before.
func TestARunOfNothingHasNoDeviceTime(t *testing.T) {
	d, _ := onSim(t, eager)
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("before")
	s.TimeTransfers(true)
	s.Launch(k, driver.Groups(1), driver.All(s.Scratch(128)))
	if res, err := s.Run(ctx); err != nil || !res.HasDevice {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = d.NewSequence("nothing")
	s.TimeTransfers(true)
	for range 4 {
		if res, err := s.Run(ctx); err != nil || res.HasDevice || res.HasTransfers {
			t.Errorf("%+v, %v", res.Timing, err)
		}
	}
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := g.Run(ctx); err != nil || res.HasDevice || res.HasTransfers {
		t.Errorf("captured: %+v, %v", res.Timing, err)
	}
}
