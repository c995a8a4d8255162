package front_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/kernel"
)

const quiet = `package kernels

import "github.com/govyre/vyre/gpu"

const verbose = false

//vyre:kernel workgroup=64
func K(t gpu.Thread, x []float32, y []uint32, limit float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	say(t, i, limit)
	sum := uint32(0)
	for k := i; k < uint32(len(x)); k += 64 {
		if x[k] > limit {
			sum++
		}
		if verbose {
			gpu.Printf(t, "x[%d] = %v, so far %d\n", k, x[k], y[i])
		}
	}
	y[i] = sum
}

func say(t gpu.Thread, i uint32, limit float32) {
	if !verbose {
		return
	}
	if i == 0 {
		gpu.Printf(t, "limit %v\n", limit)
		gpu.Trace(t, "begun", uint64(i))
	}
}
`

// Texts are switched off by a constant: nothing of them is left then, so the PTX is that of the kernel without the calls, to
// the byte and at every level. On, they are there.
func TestTextsThatAreSwitchedOffLeaveNothing(t *testing.T) {
	var bare []string
	for line := range strings.Lines(quiet) {
		if !strings.Contains(line, "gpu.Printf") && !strings.Contains(line, "gpu.Trace") {
			bare = append(bare, line)
		}
	}
	emit := func(source string, level compile.Level) string {
		p, err := kernel.Program(source, "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Compile(p, ptx.Target{SM: 90}, ptx.Options{Passes: compile.Choice{Level: level}})
		if err != nil {
			t.Fatal(err)
		}
		return m.Text
	}
	for _, level := range []compile.Level{compile.O0, compile.O1, compile.O2} {
		without := emit(strings.Join(bare, ""), level)
		if off := emit(quiet, level); off != without {
			t.Errorf("at O%d switched off\n%s\nwithout the calls\n%s", level-compile.O0, off, without)
		}
		if on := emit(strings.Replace(quiet, "verbose = false", "verbose = true", 1), level); on == without || !strings.Contains(on, "vy_trace") {
			t.Errorf("at O%d switched on\n%s", level-compile.O0, on)
		}
	}
}
