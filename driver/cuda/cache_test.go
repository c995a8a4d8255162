package cuda_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
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
