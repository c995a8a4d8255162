package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/ir"
)

func isText(image []byte) bool { return bytes.HasPrefix(image, []byte(".version")) }

// Whether an image is kept is decided for each text, and noted for the processes that come after.
func TestImagesAreKeptWhereTheyAreAsGoodAsTheirTexts(t *testing.T) {
	run := func(d *cuda.Device) { adds(t, d, 1); adds(t, d, 2) }
	for _, c := range []struct {
		name        string
		spends      int
		fresh, disk uint64 // of the next process
	}{{"equal", 0, 0, 2}, {"worse", 5, 2, 0}} {
		o := driver.OpenOptions{CacheDir: t.TempDir()}
		open := func() *watching {
			return &watching{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, LinkSpends: c.spends})}
		}
		first, second := open(), open()
		counts(t, c.name+", first", session(t, first, o, run), 0, 0, 2, 0, 0, 0)
		if first.links != 2 || !isText(first.loads[0]) || len(files(t, o.CacheDir)) != 2 {
			t.Errorf("%s: %d links were made of two texts, %d files are kept", c.name, first.links, len(files(t, o.CacheDir)))
		}
		counts(t, c.name+", second", session(t, second, o, run), 0, c.disk, c.fresh, 0, 0, 0)
		if second.links != 0 || len(second.loads) != 2 || isText(second.loads[0]) != (c.fresh > 0) {
			t.Errorf("%s: the next process makes %d links and %d loads", c.name, second.links, len(second.loads))
		}
	}
}

// An artifact says what runs, and where that came from.
func TestAnArtifactSaysWhatIsLoaded(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	for _, origin := range []string{"link", "disk"} {
		session(t, newSim(), o, func(d *cuda.Device) {
			k, err := d.Compile(ctx, adding(t, 1), driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			a := k.Artifact()
			if a.Origin != origin || !strings.HasPrefix(a.Text, ".version") || a.Key == [32]byte{} || (a.Image != nil) != (origin == "disk") || a.Registers == 0 {
				t.Errorf("%s: %+v", origin, a)
			}
			if b, err := d.Compile(ctx, adding(t, 1), driver.Options{}); err != nil || b.Artifact().Origin != "memory" {
				t.Errorf("compiled again it is from %+v, %v", b, err)
			}
		})
	}
}

// blocking is a driver whose links begin only when they may.
type blocking struct {
	*watching
	begun, may chan struct{}
}

func (b *blocking) LinkCreate(j *cu.JIT) (cu.LinkState, error) {
	b.begun <- struct{}{}
	<-b.may
	return b.watching.LinkCreate(j)
}

// Results come while a link goes on, the queue is bounded, and Close waits for the link under way alone.
func TestNobodyWaitsForALink(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	b := &blocking{&watching{Driver: newSim()}, make(chan struct{}), make(chan struct{})}
	d, err := cuda.Open(cuda.Options{Driver: b, OpenOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	adds(t, d, 0)
	<-b.begun
	for n := 1; n < 80; n++ {
		adds(t, d, n)
	}
	closed := make(chan error)
	go func() { closed <- d.Close() }()
	select {
	case err := <-closed:
		t.Errorf("Close did not wait for the link under way: %v", err)
	default:
	}
	go func() { b.may <- struct{}{} }()
	for open := true; open; {
		select {
		case err := <-closed:
			if open = false; err != nil {
				t.Error(err)
			}
		case <-b.begun: // Close had not come so far yet
			go func() { b.may <- struct{}{} }()
		}
	}
	if n := len(files(t, o.CacheDir)); n == 0 || n > 65 {
		t.Errorf("%d images are kept of 80, one linked and 64 queued", n)
	}
}

func TestNoMoreThan64TextsWaitForALink(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	b := &blocking{&watching{Driver: newSim()}, make(chan struct{}), make(chan struct{})}
	var all sync.WaitGroup
	session(t, b, o, func(d *cuda.Device) {
		adds(t, d, 0)
		<-b.begun
		for n := 1; n < 80; n++ {
			adds(t, d, n)
			adds(t, d, n)
		}
		all.Go(func() {
			b.may <- struct{}{}
			for range 64 {
				<-b.begun
				b.may <- struct{}{}
			}
		})
	})
	all.Wait()
	if n := len(files(t, o.CacheDir)); n != 65 || b.links != 65 {
		t.Errorf("%d links, %d images are kept of 80", b.links, n)
	}
}

// A device that keeps nothing on disk links nothing.
func TestWithoutACacheNothingIsLinked(t *testing.T) {
	w := &watching{Driver: newSim()}
	session(t, w, driver.OpenOptions{CacheDir: driver.CacheOff}, func(d *cuda.Device) { adds(t, d, 1) })
	if w.links != 0 || len(w.loads) != 1 {
		t.Errorf("%d links, %d loads", w.links, len(w.loads))
	}
}

// A link, a load or a write that fails behind the caller is counted, and costs the image alone.
func TestAnImageThatCannotBeMadeIsNotMissed(t *testing.T) {
	for _, call := range []string{"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuModuleUnload"} {
		for _, result := range []cu.Result{1, cu.OutOfMemory} {
			o := driver.OpenOptions{CacheDir: t.TempDir()}
			nth := map[string]int{"cuModuleLoadDataEx": 2, "cuModuleGetFunction": 2, "cuFuncGetAttribute": 7}[call]
			sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Faults: cusim.Faults{{Call: call, Nth: max(nth, 1), Result: result}}})
			st := session(t, sim, o, func(d *cuda.Device) {
				adds(t, d, 1)
				d.Settle()
				adds(t, d, 2)
			})
			kept := 1
			if call == "cuLinkDestroy" || call == "cuModuleUnload" {
				kept = 2 // what was made is good
			}
			if n := len(files(t, o.CacheDir)); n != kept || failures(st) != 1 {
				t.Errorf("%s failing with %v: %d images are kept, want %d; %d errors were counted", call, result, n, kept, failures(st))
			}
			counts(t, call+", the next process", session(t, newSim(), o, func(d *cuda.Device) { adds(t, d, 1); adds(t, d, 2) }), 0, uint64(kept), 2-uint64(kept), 0, 0, 0)
		}
	}
}

// failures is how many errors a device has counted.
func failures(st *driver.Stats) (n uint64) {
	for m, v := range st.All() {
		if m.Name() == "errors" {
			n += v
		}
	}
	return n
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

// compileOnce opens a device, compiles a program, runs it when its image is decided on, and closes both.
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
	d.Settle()
	x := make([]byte, 128)
	if _, err := driver.Dispatch(context.Background(), k, driver.Groups(1), driver.InOut(x)); err != nil {
		return err
	}
	if !slices.Equal(x, bytes.Repeat([]byte{1, 0, 0, 0}, 32)) {
		return fmt.Errorf("%w: % x", faults.ErrWrong, x[:8])
	}
	return k.Close()
}
