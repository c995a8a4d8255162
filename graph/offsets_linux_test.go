package graph_test

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestMoreArcsThan32BitsCount has 2³²+3 of them, nearly all in memory that nobody has written: the system has one page for it.
func TestMoreArcsThan32BitsCount(t *testing.T) {
	if !long.Turn(0, 0) {
		t.Skip("it looks at 16 GiB, and with a share of long tests in turn; run with -long")
	}
	const arcs = 1<<32 + 3
	b, err := syscall.Mmap(-1, 0, 4*arcs, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("no addresses for it here:", err)
	}
	defer func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	}()
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) // a page of 2 MiB is looked at faster than 512
	targets := unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), arcs)
	copy(targets[arcs-3:], []uint32{1, 2, 3})
	g, err := graph.New(t.Context(), []uint64{0, 1 << 31, 1 << 32, 1 << 32, 1 << 32, arcs}, targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row, _ := g.Row(4); g.Arcs() != arcs || g.First(4) != 1<<32 || !slices.Equal(row, []uint32{1, 2, 3}) {
		t.Errorf("%d arcs, the last row is %v", g.Arcs(), row)
	}
	want := []uint32{2, 1, 1, 1, 0}
	levels, err := graph.Levels(t.Context(), g, []uint32{4}, graph.AllKinds)
	if err != nil || !slices.Equal(levels, want) {
		t.Errorf("levels are %v, want %v; %v", levels, want, err)
	}
	e := cpu.New(cpu.Graph{Wide: g.WideOffsets(), Targets: targets}, cpu.Graph{}, cpu.Options{})
	if _, err := e.Levels(t.Context(), []uint32{4}, graph.AllKinds, levels); err != nil || !slices.Equal(levels, want) {
		t.Errorf("levels of the host's cores are %v, want %v; %v", levels, want, err)
	}
}
