package gpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/gpu"
)

func TestCopiesArriveAtTheirWaits(t *testing.T) {
	x := []uint16{1, 2, 3, 4, 5, 6}
	var before, half, after []uint16
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 1}}, func(t gpu.Thread) {
		s := gpu.Shared[uint16](t, 10)
		for i := range s {
			s[i] = 9
		}
		gpu.CopyAsync(t, s, 0, x, 0, 4)
		gpu.CopyCommit(t)
		gpu.CopyAsync(t, s, 1, x, 1, 4) // the last two are zero
		gpu.CopyAsync(t, s, 2, x, 0, 4) // not there whole
		gpu.CopyAsync(t, s, 1<<31, x, 0, 4)
		gpu.CopyCommit(t)
		gpu.CopyWait(t, 2)
		before = slices.Clone(s)
		gpu.CopyWait(t, 1)
		half = slices.Clone(s)
		gpu.CopyAsync(t, s, 2, x, 1<<31, 2)
		gpu.CopyWait(t, 0) // its batch is open
		after = slices.Clone(s)
		gpu.CopyCommit(t)
		gpu.CopyWait(t, 0)
		if s[4] != 0 || s[5] != 0 {
			panic("beyond the end is not zero")
		}
	})
	for _, c := range []struct{ got, want []uint16 }{
		{before, []uint16{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}},
		{half, []uint16{1, 2, 3, 4, 9, 9, 9, 9, 9, 9}},
		{after, []uint16{1, 2, 3, 4, 5, 6, 0, 0, 9, 9}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestCopiesThatCannotBe(t *testing.T) {
	for want, kernel := range map[string]func(gpu.Thread){
		"3 elements of uint16": func(t gpu.Thread) { gpu.CopyAsync(t, make([]uint16, 8), 0, make([]uint16, 8), 0, 3) },
		"without waiting": func(t gpu.Thread) {
			gpu.CopyAsync(t, make([]uint16, 8), 0, make([]uint16, 8), 0, 4)
			gpu.CopyCommit(t)
		},
	} {
		func() {
			defer func() {
				if v := recover(); !strings.Contains(fmt.Sprint(v), want) {
					t.Errorf("got %v, want something about %q", v, want)
				}
			}()
			gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 1}}, kernel)
		}()
	}
}
