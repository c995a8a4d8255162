package ptx_test

import (
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// parse returns the only program of a text.
func parse(t testing.TB, source string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func TestLayoutPlacesParameters(t *testing.T) {
	const saxpyParams = "kernel @k workgroup(32) { param %a: f32\nparam @x: buf<f32> ro\nparam @y: buf<f32> rw\n%g = global.x\n"
	rows := []struct {
		name, program      string
		offsets            []int // of addresses and scalars
		counts             []int // of element counts, -1 for scalars
		grid, trap, traces int
		bytes              int
	}{
		{"scalar and buffers", saxpyParams + "}", []int{0, 8, 24}, []int{-1, 16, 32}, -1, -1, -1, 40},
		{"barrier and trap", saxpyParams + "barrier.grid\ntrap true, 1_u64, #3\n}", []int{0, 8, 24}, []int{-1, 16, 32}, 40, 48, -1, 56},
		{"and trace", saxpyParams + "barrier.grid\ntrap true, 1_u64, #3\ntrace %g, #7\n}",
			[]int{0, 8, 24}, []int{-1, 16, 32}, 40, 48, 56, 64},
		{"narrow scalars are widened", "kernel @k workgroup(1) { param %a: u8\nparam %b: bool\nparam %c: f16\nparam %d: i64\nparam %e: i16\n}",
			[]int{0, 4, 8, 16, 24}, []int{-1, -1, -1, -1, -1}, -1, -1, -1, 28},
		{"none", "kernel @k workgroup(1) { }", nil, nil, -1, -1, -1, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			l := ptx.Layout(parse(t, row.program))
			if len(l.Slots) != len(row.offsets) {
				t.Fatalf("%d slots, want %d", len(l.Slots), len(row.offsets))
			}
			for i, s := range l.Slots {
				if s.Offset != row.offsets[i] || s.Len != row.counts[i] {
					t.Errorf("slot %d at %d, count at %d; want %d, %d", i, s.Offset, s.Len, row.offsets[i], row.counts[i])
				}
			}
			if l.Grid != row.grid || l.Trap != row.trap || l.Trace != row.traces || l.Bytes != row.bytes {
				t.Errorf("grid %d, trap %d, trace %d, %d bytes; want %d, %d, %d, %d",
					l.Grid, l.Trap, l.Trace, l.Bytes, row.grid, row.trap, row.traces, row.bytes)
			}
		})
	}
}
