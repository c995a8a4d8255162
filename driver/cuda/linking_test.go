package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/ir"
)

// wasteful is a driver whose linker spends more registers than its compiler.
type wasteful struct {
	*watching
	linked map[cu.Module]bool
	more   map[cu.Function]bool
}

func (w *wasteful) ModuleLoadDataEx(image []byte, j *cu.JIT) (cu.Module, error) {
	m, err := w.watching.ModuleLoadDataEx(image, j)
	w.linked[m] = !isText(image)
	return m, err
}

func (w *wasteful) ModuleGetFunction(m cu.Module, name string) (cu.Function, error) {
	f, err := w.watching.ModuleGetFunction(m, name)
	w.more[f] = w.linked[m]
	return f, err
}

func (w *wasteful) FuncGetAttribute(a cu.FuncAttribute, f cu.Function) (int, error) {
	v, err := w.watching.FuncGetAttribute(a, f)
	if a == cu.FuncRegisters && w.more[f] {
		v += 5
	}
	return v, err
}

func isText(image []byte) bool { return len(image) > 8 && string(image[:8]) == ".version" }

// compileTwice compiles two programs on a device with a cache on disk.
func compileTwice(t *testing.T, drv cu.Driver, dir string) *driver.Stats {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: driver.OpenOptions{CacheDir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	adds(t, d, 1)
	adds(t, d, 2)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return d.Stats()
}

func TestCodeThatLinkingMakesWorseIsLoadedAsText(t *testing.T) {
	dir := t.TempDir()
	w := &wasteful{&watching{Driver: newSim()}, map[cu.Module]bool{}, map[cu.Function]bool{}}
	compileTwice(t, w, dir)
	if w.links != 1 {
		t.Errorf("%d links were made, want one, of the sample", w.links)
	}
	for i, image := range w.loads {
		if sample := i == 1; isText(image) == sample {
			t.Errorf("load %d is of text: %v", i, !sample)
		}
	}
	if kept, err := filepath.Glob(filepath.Join(dir, "cubin", "*", "*")); err != nil || len(kept) != 0 {
		t.Errorf("%v, %v are kept", kept, err)
	}
}

func TestCodeThatLinkingLeavesAloneIsKeptOnDisk(t *testing.T) {
	dir := t.TempDir()
	w := &watching{Driver: newSim()}
	compileTwice(t, w, dir)
	if w.links != 3 {
		t.Errorf("%d links were made, want one of the sample and two of programs", w.links)
	}
	again := &watching{Driver: newSim()}
	if st := compileTwice(t, again, dir); st.Get(driver.CompilesDisk) != 2 || again.links != 0 {
		t.Errorf("of two kept images %d were found, %d links were made", st.Get(driver.CompilesDisk), again.links)
	}
}

// Whatever call of a compilation fails that goes through the linker to the disk, or comes from there.
func TestAnyCallOfACompilationMayFail(t *testing.T) {
	p := parse(t, addOne)
	scenario := func(sim *cusim.Driver) error {
		dir, err := os.MkdirTemp("", "vyre-linking-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for range 2 {
			if err := compileOnce(sim, dir, p); err != nil {
				return err
			}
		}
		return nil
	}
	attempts := anyCallMayFail(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, scenario, cu.OutOfMemory, 1, 719)
	if attempts < 100 {
		t.Errorf("only %d calls failed", attempts)
	}
}

// compileOnce opens a device, compiles a program and closes both.
func compileOnce(drv cu.Driver, dir string, p *ir.Program) (err error) {
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: driver.OpenOptions{CacheDir: dir}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		return err
	}
	return k.Close()
}
