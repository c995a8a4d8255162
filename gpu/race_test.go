//go:build race

package gpu_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// Kernels with one race each, of a kind that synchronisation inside Run could hide.
var racy = map[string]func(){
	"lanes of a warp": func() {
		x := make([]uint32, 1)
		gpu.Run(grid(1, 2), func(t gpu.Thread) { x[0] = t.Lane() })
	},
	"groups that follow each other": func() {
		runtime.GOMAXPROCS(1)
		x := make([]uint32, 1)
		gpu.Run(grid(8, 1), func(t gpu.Thread) { x[0] = t.Group().X })
	},
	"warps that each have a barrier between": func() {
		x := make([]uint32, 1)
		gpu.Run(grid(1, 64), func(t gpu.Thread) {
			if t.LocalIndex() == 0 {
				x[0] = 1
			}
			t.WarpBarrier()
			if t.LocalIndex() == 40 {
				x[0] = 2
			}
		})
	},
	"groups that each have a barrier between": func() {
		x := make([]uint32, 1)
		gpu.Run(cooperative(2, 32), func(t gpu.Thread) {
			if t.GlobalIndex() == 0 {
				x[0] = 1
			}
			t.Barrier()
			if t.GlobalIndex() == 40 {
				x[0] = 2
			}
		})
	},
	"an invocation that has returned": func() {
		x, n := make([]uint32, 1), 0
		gpu.Run(grid(1, 2), func(t gpu.Thread) {
			if t.Lane() == 0 {
				x[0] = 1
				return
			}
			for range 1 << 16 { // the other is likely to be gone
				n++
			}
			x[0] = 2
		})
	},
	"a missing barrier": func() {
		gpu.Run(grid(1, 64), func(t gpu.Thread) {
			s, l := gpu.Shared[uint32](t, 64), t.LocalIndex()
			s[l] = l
			t.Barrier()
			l = s[63-l]
			s[t.LocalIndex()] = l
		})
	},
}

func init() {
	if kernel := racy[os.Getenv("VYRE_TEST_RACY")]; kernel != nil {
		kernel()
		os.Exit(0) // the detector makes it 66 if it saw a race
	}
}

func TestDetectorSeesTheRacesOfAKernel(t *testing.T) {
	for name := range racy {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "VYRE_TEST_RACY="+name, "GORACE=atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			if err == nil || cmd.ProcessState.ExitCode() != 66 || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("no race found: %v\n%s", err, out)
			}
		})
	}
}

func TestCooperativeGridBeyondTheDetector(t *testing.T) {
	wantMatch(t, panicOf(t, func() { gpu.Run(cooperative(8, 1024), func(gpu.Thread) {}) }), "8192 invocations; the race detector allows 8000")
}

func TestLargeGroupsFitTheDetector(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	gpu.Run(grid(32, 1024), func(t gpu.Thread) { t.Barrier() })
}
