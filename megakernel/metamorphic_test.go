package megakernel_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// how is one of the ways to run a set of waves that must leave the same.
type how struct {
	device   string
	schedule cpu.Schedule // of the interpreter, with all detectors
	size     uint32       // of groups
	o        megakernel.Options
}

func (h how) String() string {
	return fmt.Sprintf("%s %v, groups of %d, %+v", h.device, h.schedule, h.size, h.o)
}

// pick is one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomHow draws from all topologies, tails, passes, sizes of blocks, numbers of blocks, slices, polls, devices and orders.
func randomHow(r *rand.Rand, rows int) how {
	h := how{device: pick(r, append(devices(), "interp", "interp")...), size: pick(r, uint32(32), 64, 128, 256, 512, 1024)}
	h.schedule = pick(r, cpu.Forward, cpu.Reversed, cpu.Seeded(r.Uint64()))
	h.o = megakernel.Options{Topology: pick(r, append(slices.Clone(topologies), megakernel.Cooperative, megakernel.Cooperative)...), Threads: h.size, Optimise: pick(r, "", "0"),
		Blocks: pick(r, uint32(0), 1, 2, 7), SliceRounds: pick(r, uint32(0), 1, 3), PollRounds: pick(r, uint32(0), 1, 4), MaxRows: pick(r, 0, rows)}
	if h.o.Topology == megakernel.Cooperative {
		h.o.Tail, h.o.TailEnter = pick(r, megakernel.TailAuto, megakernel.TailNever, megakernel.TailAlways), pick(r, uint32(0), 1, 40)
	}
	if h.device == "cuda-sim" && h.size*max(h.o.Blocks, 4) > 1024 { // each thread is simulated
		h.o.Blocks = 1
	}
	return h
}

// opened holds the devices that were opened, since a schedule is a property of one.
type opened map[string]driver.Device

func (o opened) get(t *testing.T, h how) driver.Device {
	if h.device != "interp" {
		if o[h.device] == nil {
			o[h.device] = open(t, h.device)
		}
		return o[h.device]
	}
	dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: h.schedule, Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// differs runs a web in a way, twice, and says in what it is not what the host computed; "" if it is.
func (w *web) differs(t *testing.T, dev driver.Device, h how) string {
	t.Helper()
	want, record := w.run(h.size)
	mem := make([]driver.Range, len(want))
	for k := range mem {
		mem[k] = words(t, dev, make([]uint32, len(want[k])))
	}
	p, err := megakernel.New(t.Context(), dev, w.waves(t, mem, h.size), w.deps, h.o)
	var why *megakernel.Reason
	if errors.As(err, &why) && (why.Code == "F13" || why.Code == "F11") { // too many rows even if waves share bodies, or blocks
		h.o.MaxRows, h.o.Blocks = 0, 1
		p, err = megakernel.New(t.Context(), dev, w.waves(t, mem, h.size), w.deps, h.o)
	}
	if err != nil {
		return err.Error()
	}
	defer p.Close()
	for range 2 {
		for k, host := range w.start() {
			bytes := make([]byte, 0, 4*len(host))
			for _, v := range host {
				bytes = append(bytes, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
			}
			if err := driver.Write(t.Context(), mem[k], bytes); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := p.Run(t.Context())
		if err != nil {
			return err.Error()
		}
		for _, r := range p.Result().Reports {
			return r.Text
		}
		if rec.Barriers, rec.TailRounds, rec.TailStays = 0, 0, 0; rec != record {
			return fmt.Sprintf("record %+v, want %+v", rec, record)
		}
		for k := range mem {
			if got := (&memory{t: t}).read(mem[k]); !slices.Equal(got, want[k]) {
				return fmt.Sprintf("buffer %d is\n%v, want\n%v", k, got, want[k])
			}
		}
	}
	return ""
}

// TestRandomWavesAreTheSameHoweverTheyRun draws sets of waves, and for each some of the ways to run them. What goes wrong is
// made smaller, a wave at a time, before it is printed.
func TestRandomWavesAreTheSameHoweverTheyRun(t *testing.T) {
	devs := opened{}
	ways := map[string]int{}
	for seed := range long.Seeds(t, 12, 40, 4000) {
		w := randomWeb(seed)
		r := rand.New(rand.NewPCG(seed, 15))
		rows := 0
		for _, p := range w.programs(t, 64) {
			rows += 2 * p.Rows()
		}
		for range 4 {
			h := randomHow(r, rows)
			ways[h.o.Topology.String()]++
			dev := devs.get(t, h)
			said := w.differs(t, dev, h)
			if said == "" {
				continue
			}
			for k := 0; k < len(w.nodes) && len(w.nodes) > 1; {
				if less := w.without(k); less != nil {
					if s := less.differs(t, dev, h); s != "" {
						w, said, k = less, s, 0
						continue
					}
				}
				k++
			}
			t.Fatalf("seed %d, %v: %s\nwaves %+v\ndependencies %v\n%s", seed, h, said, w.nodes, w.deps, w.bodies[0].text("Body0", h.size))
		}
	}
	for _, top := range topologies {
		if ways[top.String()] == 0 {
			t.Errorf("no web ran as %v: %v", top, ways)
		}
	}
}
