package cuda_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
)

// A sequence does the same on every device, whatever its runs consist of, whatever setters change between them:
// it leaves the same bytes, traps and traces alike, and counts alike.
func TestDevicesAgreeOnWhatASequenceDoes(t *testing.T) {
	n := uint64(long.Count(120, 1_000, 6_000))
	plain := func(*cuda.Device) {}
	for i, c := range []struct {
		name    string
		options driver.OpenOptions
		adjust  func(*cuda.Device)
		sim     cusim.Config
	}{
		{"in order", driver.OpenOptions{}, plain, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Races: true, Fetches: true}},
		{"in any order", driver.OpenOptions{PreserveThreadContext: true}, plain, cusim.Config{Models: []cusim.Model{cusim.Ampere}, Seed: 11}},
		{"fast, on one stream, without pools", driver.OpenOptions{}, func(d *cuda.Device) { d.KeepStreams(1) }, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: true, Lacks: []cu.Group{cu.Pool}}},
		{"without loops and stores", driver.OpenOptions{}, plain, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Seed: 12, Lacks: []cu.Group{cu.Cond, cu.MemOp, cu.Pool, cu.Loading, cu.Pointer}}},
		{"guarded, in chunks", driver.OpenOptions{Debug: "memcheck"}, func(d *cuda.Device) { d.SetTransfers(2000, 1024, 0) }, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 13}},
		{"watched", driver.OpenOptions{Debug: "sync"}, plain, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Seed: 14}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sim := cusim.New(c.sim)
			d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: c.options})
			if err != nil {
				t.Fatal(err)
			}
			c.adjust(d)
			ref, err := cpu.Open(cpu.Options{OpenOptions: driver.OpenOptions{Debug: c.options.Debug}}) // memcheck finds the same
			if err != nil {
				t.Fatal(err)
			}
			a := &agreement{t: t, sim: sim, d: d, ref: ref}
			if a.kernels, err = compileHistory(d); err != nil {
				t.Fatal(err)
			}
			if a.refKernels, err = compileHistory(ref); err != nil {
				t.Fatal(err)
			}
			n := n / 6
			if c.sim.Races {
				n /= 5 // each takes ten times as long
			}
			for j := range n {
				a.seed(uint64(i) + 6*j)
				if t.Failed() {
					break
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if err := ref.Close(); err != nil {
				t.Error(err)
			}
			if left := sim.Left(); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// agreement compares histories of a simulated device with those of another one.
type agreement struct {
	t                   *testing.T
	sim                 *cusim.Driver
	d, ref              driver.Device
	kernels, refKernels historyKernels
	found               int
}

func (a *agreement) seed(seed uint64) {
	t := a.t
	want, err := live(seed, a.ref, a.refKernels, way{plain: true, always: true})
	if err != nil {
		t.Fatalf("seed %d on %s: %v", seed, a.ref.Name(), err)
	}
	for _, w := range []way{
		{name: "plain", plain: true},
		{name: "captured", capture: true},
		{name: "captured, overlapping", capture: true, overlap: true},
		{name: "both in turn", plain: true, capture: true, overlap: seed%4 == 0},
	} {
		got, err := live(seed, a.d, a.kernels, w)
		if err != nil {
			t.Errorf("seed %d, %s: %v", seed, w.name, err)
			return
		}
		for i := range want {
			a.compare(seed, w, i, &got[i], &want[i])
		}
		if f := a.sim.Report().Findings; len(f) > a.found {
			t.Errorf("seed %d, %s: the simulated GPU found %v", seed, w.name, f[a.found])
			a.found = len(f)
		}
		if t.Failed() {
			return
		}
	}
}

func (a *agreement) compare(seed uint64, w way, round int, got, want *kept) {
	t := a.t
	if got.said != want.said {
		t.Errorf("seed %d, %s, round %d says\n%s\nwant\n%s", seed, w.name, round, got.said, want.said)
	}
	if !bytes.Equal(got.bytes, want.bytes) {
		at := 0
		for got.bytes[at] == want.bytes[at] {
			at++
		}
		t.Errorf("seed %d, %s, round %d: byte %d of what is read is %#x, want %#x", seed, w.name, round, at, got.bytes[at], want.bytes[at])
	}
	if !slices.Equal(got.counts, want.counts) {
		t.Errorf("seed %d, %s, round %d counts %d, want %d", seed, w.name, round, got.counts, want.counts)
	}
	if w.plain && !w.capture && !slices.Equal(got.reads, want.reads) {
		t.Errorf("seed %d, %s, round %d counts reads %d, want %d", seed, w.name, round, got.reads, want.reads)
	}
}
