package gpu_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/gpu"
)

func TestAssertPanicsWithItsMessage(t *testing.T) {
	gpu.Run(grid(1, 2), func(t gpu.Thread) { gpu.Assert(true, "fine") })
	wantMatch(t, panicOf(t, func() {
		gpu.Run(grid(1, 2), func(t gpu.Thread) { gpu.Assert(t.Lane() == 0, "only lane 0") })
	}), `local \(1,0,0\): assertion failed: only lane 0`)
}

func TestTracePrintsOneLineACall(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	gpu.Run(grid(2, 2), func(t gpu.Thread) {
		if t.Lane() == 1 {
			gpu.Trace(t, "odd", t.GlobalIndex(), 7)
		}
	})
	os.Stderr = stderr
	w.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	if want := []string{"trace odd 1: 1 7", "trace odd 3: 3 7"}; !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
	wantMatch(t, panicOf(t, func() {
		gpu.Run(grid(1, 1), func(t gpu.Thread) { gpu.Trace(t, "many", 1, 2, 3, 4) })
	}), `Trace "many" of 4 values; it takes at most 3`)
}
