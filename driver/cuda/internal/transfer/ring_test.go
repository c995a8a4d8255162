package transfer

import (
	"errors"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cusim"
)

func TestMostProcessorsHelpToCopy(t *testing.T) {
	for procs, want := range map[int]int{1: 0, 2: 1, 4: 3, 7: 5, 16: 12, 128: 12} {
		if got := copierCount(procs); got != want {
			t.Errorf("of %d processors %d help, want %d", procs, got, want)
		}
	}
}

// A piece of an upload that is not in its input stands for any mistake that lets a copier panic.
func TestACopierThatPanicsFailsTheTransferAndNoOther(t *testing.T) {
	core, err := driver.NewCore(nil, "sim", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gpu := &primary.Context{Core: core, Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), Caps: driver.Caps{DeviceMemory: driver.DeviceMemory{MaxBuffer: 1 << 20}}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(gpu.Driver.Init())
	must(gpu.Retain())
	pool := pinned.NewPool(gpu)
	heap := memory.NewHeap(gpu, nil, pool, timeline.NewDeferred(gpu), driver.OpenOptions{})
	b, err := heap.Alloc(4096, "b")
	must(err)
	must(gpu.Enter("test", ""))
	defer gpu.Leave()
	streams := timeline.NewStreams(gpu, pool)
	s, err := streams.Get()
	must(err)
	for _, copiers := range []int{0, 2} {
		rings := NewRings(gpu, pool)
		rings.Chunk, rings.Slots, rings.Batch, rings.Copiers = 64, 4, 2, copiers
		by := &timeline.Submitter{Stream: s, Quit: make(chan struct{})}
		for round := range 3 {
			up := &driver.UploadCmd{Dst: driver.All(b), Pieces: []driver.Piece{{Input: &driver.Input{}, From: 1, Len: 4096}}}
			if err := rings.Up.Upload(by, up); !errors.Is(err, driver.Internal) {
				t.Errorf("%d copiers, round %d: a panic gives %v", copiers, round, err)
			}
			up.Pieces = nil // nothing to be copied by the host
			if err := rings.Up.Upload(by, up); err != nil {
				t.Errorf("%d copiers, round %d: the next transfer gives %v", copiers, round, err)
			}
		}
		rings.Drop(must)
	}
}
