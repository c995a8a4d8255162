package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/drivertest"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// onSim opens a device on a simulated driver, which is closed, and left with nothing, when the test ends.
func onSim(t *testing.T, c cusim.Config) (*cuda.Device, *cusim.Driver) {
	t.Helper()
	sim := cusim.New(c)
	d, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
	})
	return d, sim
}

//ci:race !^TestGPU|DevicesPassTheConformanceSuite|AgreementTells|AgreeOnRandom|Occupancy|NoFaultBreaks|SmallTransfersOfAGraph|TwoProcesses
func TestContractOnTheSimulatedDriver(t *testing.T) {
	type config struct {
		name  string
		seed  uint64
		lacks []cu.Group
	}
	configs := []config{
		{"in order", 0, nil},
		{"seed 1", 1, nil},
		{"an old driver", 0, []cu.Group{cu.MemOp, cu.Pool, cu.Graphing, cu.Cond, cu.Loading, cu.Pointer}},
	}
	for seed := range long.Seeds(t, 0, 8, 8) {
		configs = append(configs, config{fmt.Sprint("seed ", 2+seed), 2 + seed, nil})
	}
	if testing.Short() { // as under race: streams in any order say more
		configs = configs[1:]
	}
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: c.seed, Lacks: c.lacks, Memory: 1 << 30})
			drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) {
				return cuda.Open(cuda.Options{OpenOptions: o, Driver: sim})
			})
			if left := sim.Left(); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestSimulatedDevicesPassTheConformanceSuite(t *testing.T) {
	configs := []cusim.Config{{Models: []cusim.Model{cusim.Hopper}}, {Models: []cusim.Model{cusim.Tiny}, Seed: 5}}
	if long.Enabled() {
		configs = append(configs, cusim.Config{Models: []cusim.Model{cusim.Ampere}, Seed: 6}, cusim.Config{Models: []cusim.Model{cusim.Blackwell}, Seed: 7})
	}
	for _, c := range configs {
		t.Run(c.Models[0].Name, func(t *testing.T) {
			t.Parallel()
			c.Fetches = true
			d, sim := onSim(t, c)
			every, i := long.Count(3, 1, 1), 0
			if c.Seed > 0 && !long.Enabled() {
				every = 5
			}
			for c := range conform.Cases("") {
				if i++; i%every != 0 {
					continue
				}
				if c.Host != nil {
					continue // no device's business
				}
				if err := conform.Try(context.Background(), conform.On(d), c); err != nil && !errors.Is(err, conform.ErrSkipped) && !lacksAnOp(err) {
					t.Errorf("%s: %v", c, err)
				}
			}
			fetchesWhatWasWritten(t, sim)
		})
	}
}

// fetchesWhatWasWritten fails the test if a copy to the host took bytes along that nothing wrote.
func fetchesWhatWasWritten(t *testing.T, sim *cusim.Driver) {
	t.Helper()
	for _, f := range sim.Report().Findings {
		if f.Kernel == "a copy" || f.Kernel == "vy_move" {
			t.Error(f.Msg)
		}
	}
}

// lacksAnOp reports whether a program was refused for an op that came with a later architecture.
func lacksAnOp(err error) bool {
	var diags ir.Diags
	return errors.As(err, &diags) && len(diags) > 0 && diags[0].Code == "VY506"
}

func TestSimulatedDevicesAgreeOnRandomPrograms(t *testing.T) {
	n, first := uint64(long.Count(100, 1_500, 20_000)), long.Seed(t, 500_000)
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 3, Strict: true})
	var s conform.Summary
	if err := conform.RunRandom(context.Background(), first, n, 2, &s, func() {}, conform.On(d)); err != nil {
		t.Fatal(err)
	}
	for _, makes := range []func(uint64) *conform.RandomProgram{conform.RandomShapes, conform.RandomWide} {
		shapes := conform.RandomRun{Seed: first, N: n / 10, Make: makes, Workers: 2}
		if err := shapes.Run(t.Context(), &s, conform.On(d)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
	if uint64(s.Shapes) < n/10 || s.Values < s.Shapes {
		t.Errorf("%d shapes over %d values", s.Shapes, s.Values)
	}
}
