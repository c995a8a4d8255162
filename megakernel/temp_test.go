package megakernel_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/megakernel"
)

// temps makes a tangle's waves with their results in temps, of which the last few are kept.
func (g *tangle) temps(start driver.Range, kept int) []megakernel.Wave {
	return g.of(start, func(w int) driver.Arg {
		return megakernel.Temp{ID: w, Bytes: 4 * int64(g.size), Kept: w >= g.waves-kept}
	})
}

// TestTempsShareAnArena runs waves whose results stand in an arena, where what is dead makes room for
// what comes, and compares what is kept. Nothing is left of what the arena had before.
func TestTempsShareAnArena(t *testing.T) {
	for _, name := range devices() {
		for _, c := range []struct{ waves, deps, rows int }{{40, 100, 0}, {300, 1000, 0}} {
			g := newTangle(9, c.waves, c.deps)
			for _, top := range topologies {
				if c.waves > 100 && name == "cuda-sim" && top != megakernel.Cooperative {
					continue // hundreds of launches, each simulated
				}
				t.Run(fmt.Sprintf("%s/%d/%v", name, c.waves, top), func(t *testing.T) {
					dev := open(t, name)
					start, host := startOf(t, dev, g.size)
					before := dev.Stats().Get(metric.LiveBytes)
					const kept = 10
					p, err := megakernel.New(t.Context(), dev, g.temps(start, kept), g.deps, megakernel.Options{Topology: top})
					if err != nil {
						t.Fatal(err)
					}
					defer p.Close()
					if live, want := dev.Stats().Get(metric.LiveBytes)-before, p.Predicted(megakernel.Record{}).DeviceBytes; live != want {
						t.Errorf("%d bytes are live, %d were predicted", live, want)
					}
					var arena, temps uint64
					for _, line := range strings.Split(p.Explain(), "\n") {
						fmt.Sscanf(line, "arena: %d bytes for %d of temps", &arena, &temps)
					}
					if temps != uint64(c.waves)*4*uint64(g.size) || arena == 0 || arena > temps || c.waves > 100 && arena*10 > temps*9 {
						t.Errorf("an arena of %d bytes for %d of temps", arena, temps)
					}
					for range 2 {
						if rec, err := p.Run(t.Context()); err != nil || rec.Status != megakernel.Converged {
							t.Fatalf("%+v, %v", rec, err)
						}
						for w, want := range g.results(host)[c.waves-kept:] {
							r, ok := p.Memory(c.waves - kept + w)
							if !ok {
								t.Fatalf("no memory of temp %d", c.waves-kept+w)
							}
							if got := (&memory{t: t}).read(r); !slices.Equal(got, want) {
								t.Fatalf("wave %d: got %v, want %v", c.waves-kept+w, got[:4], want[:4])
							}
						}
					}
					if _, ok := p.Memory(0); ok {
						t.Error("there is memory of a temp that is not kept")
					}
				})
			}
		}
	}
}

// TestDeadMemoryDoesNotMatter: whatever stands in what no temp needs, results are the same; and they are not if a temp is
// taken to be dead before the last group that reads it.
func TestDeadMemoryDoesNotMatter(t *testing.T) {
	g := newTangle(11, 60, 150)
	const kept = 20
	for _, early := range []int{0, 1} {
		dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Detect: cpu.Everything}})
		if err != nil {
			t.Fatal(err)
		}
		start, host := startOf(t, dev, g.size)
		p, err := megakernel.New(t.Context(), dev, g.temps(start, kept), g.deps, megakernel.Options{Topology: megakernel.HostLoop})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := p.RunPoisoned(t.Context(), early); err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for w, want := range g.results(host)[g.waves-kept:] {
			if r, _ := p.Memory(g.waves - kept + w); !slices.Equal((&memory{t: t}).read(r), want) {
				wrong++
			}
		}
		if (wrong > 0) != (early > 0) {
			t.Errorf("%d results are wrong with memory overwritten %d groups before it is dead", wrong, early)
		}
	}
}

// TestBudgetPutsWavesIntoMoreGroups gives less memory than all waves of a layer need.
func TestBudgetPutsWavesIntoMoreGroups(t *testing.T) {
	dev := open(t, "cpu")
	g := newTangle(3, 9, 0) // nine waves that depend on nothing
	start, host := startOf(t, dev, g.size)
	const each = 4 * 128
	for _, c := range []struct {
		room   uint64 // temps that fit beside what is resident
		groups int
	}{{9, 1}, {4, 3}, {1, 9}} {
		waves := g.temps(start, 0)
		out := words(t, dev, make([]uint32, 9*g.size))
		for w := range waves {
			// A second wave takes each result out of its temp.
			waves = append(waves, megakernel.Wave{Program: mixes()[0], Domain: megakernel.Fixed(g.size),
				Args: []driver.Arg{driver.U32(0), megakernel.Temp{ID: w, Bytes: each}, start, driver.Part(out.Buffer, int64(w)*each, each)}})
		}
		var deps []megakernel.Dependency
		for w := range 9 {
			deps = append(deps, megakernel.Dependency{Before: w, After: 9 + w})
		}
		resident := uint64(each + 9*each)
		p, err := megakernel.New(t.Context(), dev, waves, deps, megakernel.Options{Topology: megakernel.Cooperative, Budget: resident + c.room*each})
		if c.room < 9 {
			// What waits to be taken out has to be somewhere, so all nine live at a time unless they alternate.
			if e := (*driver.Error)(nil); err != nil && errors.As(err, &e) && e.Kind == driver.OutOfMemory {
				if e.Requested <= e.Available {
					t.Errorf("%v: %d of %d", err, e.Requested, e.Available)
				}
				continue
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := (&memory{t: t}).read(out)
		for w, r := range g.results(host) {
			for i, v := range r {
				if want := v*3 + host[i]>>1 + g.size; got[w*int(g.size)+i] != want {
					t.Fatalf("%d temps at a time, wave %d: got %d, want %d", c.room, w, got[w*int(g.size)+i], want)
				}
			}
		}
		p.Close()
	}
}

func TestTempsThatCannotBeAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	start, _ := startOf(t, dev, 128)
	temp := func(id int, bytes int64, kept bool) driver.Arg {
		return megakernel.Temp{ID: id, Bytes: bytes, Kept: kept}
	}
	wave := func(a, b, to driver.Arg) megakernel.Wave {
		return megakernel.Wave{Program: mixes()[0], Domain: megakernel.Fixed(128), Args: []driver.Arg{driver.U32(1), a, b, to}}
	}
	for _, c := range []struct {
		name, want string
		budget     uint64
		waves      []megakernel.Wave
	}{
		{"half an element", "temp 1 has 6 bytes, its elements 4 each", 0, []megakernel.Wave{wave(start, start, temp(1, 6, false))}},
		{"two sizes", "temp 1 has 8 bytes here and 512 in another wave", 0, []megakernel.Wave{wave(start, start, temp(1, 512, false)), wave(start, temp(1, 8, false), temp(2, 512, false))}},
		{"kept here, not there", "or is kept in one of them only", 0, []megakernel.Wave{wave(start, start, temp(1, 512, false)), wave(start, temp(1, 512, true), temp(2, 512, false))}},
		{"read before it is written", "no wave of the phase has written it when this one first looks at it", 0, []megakernel.Wave{wave(temp(1, 512, false), start, temp(2, 512, false)), wave(start, start, temp(1, 512, false))}},
		{"a budget below what is resident", "needs 512 bytes", 100, []megakernel.Wave{wave(start, start, temp(1, 512, false))}},
		{"a budget below one wave", "wave 0", 700, []megakernel.Wave{wave(start, start, temp(1, 512, false))}},
		{"two ranges of a wave that overlap", "it shares bytes with another argument of the wave", 0,
			[]megakernel.Wave{wave(driver.Part(start.Buffer, 0, 256), start, driver.Part(start.Buffer, 128, 256))}},
		{"two waves of a group on ranges that overlap", "nothing says which comes first", 0,
			[]megakernel.Wave{wave(driver.Part(start.Buffer, 0, 256), driver.Part(start.Buffer, 0, 256), temp(1, 512, false)),
				wave(temp(2, 512, true), temp(2, 512, true), driver.Part(start.Buffer, 128, 256))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			deps := []megakernel.Dependency{}
			if strings.HasPrefix(c.name, "read before") {
				deps = append(deps, megakernel.Dependency{Before: 0, After: 1})
			}
			before := dev.Stats().Get(metric.LiveBytes)
			p, err := megakernel.New(t.Context(), dev, c.waves, deps, megakernel.Options{Budget: c.budget})
			if err == nil {
				p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if n := dev.Stats().Get(metric.LiveBytes); n != before {
				t.Errorf("%d bytes live, %d before", n, before)
			}
		})
	}
}
