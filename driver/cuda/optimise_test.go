package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
)

// checkAll fails in the third round of a loop that is unrolled, and calls a function that could fail twice.
const checkAll = `package k

import "github.com/govyre/vyre/gpu"

func small(v uint32) uint32 {
	gpu.Assert(v < 1000, "v is very large")
	return v * 8
}

//vyre:kernel workgroup=32
func CheckAll(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[i] = small(uint32(i) & 7)
	for j := uint32(0); j < 4; j++ {
		v := x[i*4+j] + 0
		gpu.Assert(v < 100, "v is large")
		y[i] += small(v)
	}
}
`

func TestATrapNamesItsLineWhateverThePassesDid(t *testing.T) {
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "check.go", Src: []byte(checkAll)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	texts := map[string]bool{}
	d.OnEmit(func(m *ptx.Module) { texts[m.Text] = true })
	x := make([]byte, 32*4*4)
	x[(5*4+2)*4] = 200 // of invocation 5, in round 2
	y := make([]byte, 32*4)
	for _, level := range []string{"0", "1", "2", "2,-unroll"} {
		k, err := d.Compile(ctx, pkg.Kernels()[0].Program, driver.Options{Optimise: level})
		if err != nil {
			t.Fatal(err)
		}
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.In(x), driver.Out(y))
		var e *driver.Error
		var trap *driver.TrapError
		if !errors.As(err, &e) || !errors.As(err, &trap) || !strings.HasPrefix(e.Pos, "check.go:16:") ||
			trap.Message != "v is large" || trap.Local != [3]uint32{5, 0, 0} {
			t.Errorf("at %s: got %v", level, err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(texts) != 4 {
		t.Errorf("four choices of passes made %d texts", len(texts))
	}
}

func TestAKernelIsCompiledOncePerChoiceOfPasses(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	p := parse(t, addOne)
	for _, c := range []struct {
		choice string
		fresh  uint64
	}{{"", 1}, {"2", 1}, {"0", 2}, {"2,-licm,-dce", 3}, {"-dce,-licm", 3}} {
		k, err := d.Compile(ctx, p, driver.Options{Optimise: c.choice})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Stats().Get(metric.CompilesFresh); got != c.fresh {
			t.Errorf("behind %q %d compilations were made, want %d", c.choice, got, c.fresh)
		}
		if k.Digest() != p.Digest() {
			t.Errorf("behind %q the kernel's digest is not the program's", c.choice)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What a target lacks is refused even where the passes would find that nothing uses it.
func TestPassesDoNotDecideWhatIsRefused(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	p := parse(t, `vyre 1
kernel @unused workgroup(32) {
  param @x: buf<f32> rw
  %i = global.x
  %v = load @x[%i]
  %w = fast_tanh.f32 %v
  store @x[%i], %v
}`)
	for _, level := range []string{"0", "2"} {
		_, err := d.Compile(ctx, p, driver.Options{Optimise: level, Target: "sm_70"})
		if !errors.Is(err, driver.Unsupported) || !lacksAnOp(err) {
			t.Errorf("at %s: got %v", level, err)
		}
	}
}

// choices are levels, and n random ways to leave out passes.
func choices(n int) []string {
	list := []string{"0", "1", "2"}
	rng := rand.New(rand.NewPCG(7, 8))
	for range n {
		choice := fmt.Sprint(1 + rng.IntN(2))
		for _, name := range compile.Optional() {
			if rng.IntN(3) == 0 {
				choice += ",-" + name
			}
		}
		list = append(list, choice)
	}
	return list
}

func TestSimulatedDevicesAgreeOnRandomProgramsBehindAnyPasses(t *testing.T) {
	n := uint64(long.Count(20, 1_000, 20_000))
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 4, Strict: true})
	var devices []conform.Device
	for _, choice := range choices(3) {
		devices = append(devices, conform.OnWith(d, driver.Options{Optimise: choice}))
	}
	var s conform.Summary
	if err := conform.RunRandom(context.Background(), long.Seed(t, 900_000), n, runtime.GOMAXPROCS(0), &s, func() {}, devices...); err != nil {
		t.Fatal(err)
	}
	products := conform.RandomRun{Seed: long.Seed(t, 910_000), N: n, Make: conform.RandomMatrices, Workers: runtime.GOMAXPROCS(0)}
	if err := products.Run(t.Context(), &s, devices...); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
}
