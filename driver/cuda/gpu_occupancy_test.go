package cuda_test

import (
	"context"
	"errors"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// TestGPUOccupancyIsThatOfTheModel: the driver's answer, for every program of the conformance suite.
func TestGPUOccupancyIsThatOfTheModel(t *testing.T) {
	d := gpu(t)
	ctx, cancel := limited()
	defer cancel()
	kernels, answers := occupancies(ctx, t, d, 1)
	cut := ""
	if ctx.Err() != nil {
		cut = " cut short"
	}
	total(t, "occupancy", "kernels=%d answers=%d%s", kernels, answers, cut)
}

// TestOccupancyOfTheSimulatedDriverIsThatOfTheModel rehearses it.
func TestOccupancyOfTheSimulatedDriverIsThatOfTheModel(t *testing.T) {
	models := []cusim.Model{cusim.Hopper, cusim.Ampere}
	for _, m := range models[:long.Count(1, 2, 2)] {
		d, _ := onSim(t, cusim.Config{Models: []cusim.Model{m}})
		if kernels, answers := occupancies(t.Context(), t, d, long.Count(131, 1, 1)); kernels == 0 || answers <= kernels {
			t.Errorf("%d kernels, %d answers", kernels, answers)
		}
	}
}

// occupancies compares what the driver and the model say of every so manieth program of the suite, and of all with an
// array of launch-time length: in its own group
// size, in others if it cannot tell them, and with several lengths of its last shared array.
func occupancies(ctx context.Context, t *testing.T, d driver.Device, every int) (kernels, answers int) {
	t.Helper()
	seen, i := make(map[[32]byte]bool), 0
	for c := range conform.Cases("") {
		if c.Host != nil || c.Program == nil || seen[c.Program.Digest()] {
			continue
		}
		seen[c.Program.Digest()] = true
		if i++; i%every != 0 && !c.Program.Traits().SharedRest {
			continue
		}
		for _, threads := range groupSizesOf(c.Program) {
			k, err := d.Compile(ctx, c.Program, driver.Options{Workgroup: threads})
			switch {
			case ctx.Err() != nil:
				if err == nil {
					err = k.Close()
				} else if errors.Is(err, driver.Canceled) {
					err = nil
				}
				if err != nil {
					t.Error(err)
				}
				return kernels, answers
			case errors.Is(err, driver.Unsupported), lacksAnOp(err): // by this device
				continue
			case err != nil:
				t.Errorf("%s, group %v: %v", c, threads, err)
				continue
			}
			kernels++
			answers += compareOccupancies(t, c.String(), k)
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	return kernels, answers
}

// groupSizesOf are the sizes that a program is tried in; the zero one is its own.
func groupSizesOf(p *ir.Program) [][3]uint32 {
	sizes := [][3]uint32{{}}
	if _, err := driver.Resize(p, p.Workgroup()); err == nil {
		for _, n := range []uint32{1, 32, 33, 96, 256, 480, 1024} {
			sizes = append(sizes, [3]uint32{n, 1, 1})
		}
	}
	return sizes
}

// compareOccupancies compares the answers about a kernel, and returns how many there are.
func compareOccupancies(t *testing.T, name string, k driver.Kernel) (n int) {
	t.Helper()
	rests := []int{0}
	r, caps, g := k.Resources(), k.Device().Caps(), k.Workgroup()
	if r.RestElem > 0 {
		most := (caps.SharedOptin - r.Shared) / r.RestElem
		rests = append(rests, 1, 1000, most/3, most/2, most-1, most, most+1)
	}
	for _, rest := range rests {
		n++
		got := k.Occupancy(rest)
		want := driver.Occupy(caps, r.Registers, r.Shared+rest*r.RestElem, int(g[0]*g[1]*g[2]))
		if got != want {
			t.Errorf("%s, group %v, rest %d, %d registers, %d bytes shared: the driver says %+v, the model %+v", name, g, rest, r.Registers, r.Shared+rest*r.RestElem, got, want)
		}
	}
	return n
}
