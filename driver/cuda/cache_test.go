package cuda_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// inspecting calls hook when the device asks about a function, which is the end of a compilation.
type inspecting struct {
	cu.Driver
	hook func()
}

func (d *inspecting) FuncGetAttribute(a cu.FuncAttribute, f cu.Function) (int, error) {
	if hook := d.hook; hook != nil {
		d.hook = nil
		hook()
	}
	return d.Driver.FuncGetAttribute(a, f)
}

// A module makes room for its successor at the end of a compilation. Close may have begun by then.
func TestCloseDuringCompilationUnloadsWhatMadeRoom(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	drv := &inspecting{Driver: sim}
	d, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		t.Fatal(err)
	}
	d.KeepModules(1)
	first, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	drv.hook = func() {
		go func() { closed <- d.Close() }()
		for d.Alive("compile", "") == nil {
			runtime.Gosched()
		}
	}
	if _, err := d.Compile(ctx, parse(t, strings.ReplaceAll(addOne, "1_u32", "2_u32")), driver.Options{}); err == nil {
		t.Error("a closed device gave a kernel")
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestAProgramIsEncodedOnceHoweverOftenItIsCompiled(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	p := parse(t, addOne)
	first := compiled(t, d, p)
	again := func() { closed(t, compiled(t, d, p)) }
	if n := testing.AllocsPerRun(10, again); n > 8 {
		t.Errorf("compiling again allocates %v times", n)
	}
	closed(t, first)
	counted(t, d, metric.CompilesFresh, 1)

	// What was unloaded is compiled anew.
	d.KeepModules(1)
	closed(t, compiled(t, d, parse(t, strings.ReplaceAll(addOne, "1_u32", "2_u32"))))
	d.AwaitCompilations()
	closed(t, compiled(t, d, p))
	counted(t, d, metric.CompilesFresh, 3)
}

func TestAPanicWhileCompilingIsAnErrorThatNamesTheKernel(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	panics := true
	d.OnEmit(func(*ptx.Module) {
		if panics {
			panic("a pass that panics")
		}
	})
	p := parse(t, addOne)
	var e *driver.Error
	if _, err := d.Compile(ctx, p, driver.Options{}); !errors.As(err, &e) || e.Kind != driver.Internal || e.Label != p.Name() || !strings.Contains(e.Log, "cache_test.go") {
		t.Errorf("compiling gives %v", err)
	}
	panics = false
	closed(t, compiled(t, d, p))
}

func compiled(t *testing.T, d *cuda.Device, p *ir.Program) driver.Kernel {
	t.Helper()
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}
