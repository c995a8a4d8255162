package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// TestTheHostActsBetweenLaunches takes what a stage put out and gives the next one something of it.
func TestTheHostActsBetweenLaunches(t *testing.T) {
	for _, dev := range devices(t) {
		x, mid, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...), dev.buffer(make([]uint32, n)...)
		var saw []uint32
		stages := []pipeline.Stage{
			stage("Scale", n, x, temp(1, n), driver.U32(3)),
			stage("Shift", n, temp(1, n), mid, driver.U32(1)),
			stage("Scale", n, mid, temp(2, n), driver.U32(5)),
			stage("Shift", n, temp(2, n), temp(3, n), driver.U32(1)),
			stage("Neighbour", n, temp(3, n), y),
		}
		stages[1].Take = func(context.Context) error { saw = dev.read(mid); return nil }
		stages[3].Feed = func(context.Context) error { dev.write(x, make([]uint32, n)); return nil }
		p := dev.run(pipeline.Options{}, stages...).p
		says := p.Explain()
		if p.Launches() != 3 || !strings.Contains(says, "stage 2 Scale (300 items): launch 1; another launch: the host takes what stage 1 Shift puts out [take]") ||
			!strings.Contains(says, "stage 3 Shift (300 items): launch 2; another launch: the host gives it something [feed]") {
			t.Errorf("%s: %d launches\n%s", dev.Name(), p.Launches(), says)
		}
		// The second of the two runs began with zeros.
		if want := slices.Repeat([]uint32{1}, n); !slices.Equal(saw, want) || !slices.Equal(dev.read(x), make([]uint32, n)) {
			t.Errorf("%s: the host saw %v, want %v", dev.Name(), saw, want)
		}
		if want := append(slices.Repeat([]uint32{12}, n-1), 6); !slices.Equal(dev.read(y), want) {
			t.Errorf("%s: got %v, want %v", dev.Name(), dev.read(y), want)
		}
	}
}

// TestARunThatWasGivenUpCanBeRepeated after an error of the host's and after a context that ended.
func TestARunThatWasGivenUpCanBeRepeated(t *testing.T) {
	dev := open(t, "cuda-sim")
	x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
	broken := errors.New("broken")
	var fails error
	stages := []pipeline.Stage{stage("Copy", n, x, temp(1, n)), stage("Neighbour", n, temp(1, n), temp(2, n)), stage("Scale", n, temp(2, n), y, driver.U32(3))}
	stages[2].Feed = func(context.Context) error { return fails }
	p, err := pipeline.New(context.Background(), dev, stages, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	fails = broken
	if err := p.Run(context.Background()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	fails = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Run(ctx); !errors.Is(err, driver.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := p.Run(context.Background()); err != nil {
		t.Error(err)
	}
	want := numbers(n)
	for k := range want {
		if k+1 < n {
			want[k] += want[k+1]
		}
		want[k] *= 3
	}
	if got := dev.read(y); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestARunAllocatesNothing on the device.
func TestARunAllocatesNothing(t *testing.T) {
	dev := open(t, "cuda-sim")
	x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
	p := dev.run(pipeline.Options{}, stage("Copy", n, x, temp(1, n)), stage("Neighbour", n, temp(1, n), y)).p
	before := dev.Stats()
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	after := dev.Stats()
	if got := after.Get(metric.AllocRequests) - before.Get(metric.AllocRequests); got != 0 {
		t.Errorf("%d allocations", got)
	}
}
