package cuda_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/imagecache"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
)

func TestImagesHaveTheKeysThatAreStored(t *testing.T) {
	const text = ".version 7.8\n.target sm_90\n"
	for target, want := range map[int]string{
		90:    "1b95aba798d598cb4484abb64d0ed00f8ecae113c78bab479975e77b0f20233c",
		65626: "7cdc7c6a5415b5eca2d7234bcf8edf29ff1803204ce9923119751b3b94d6eafc",
	} {
		if got := cuda.ImageKey(13000, target, text, 0, nil); hex.EncodeToString(got[:]) != want {
			t.Errorf("for %d: %x, want %s", target, got, want)
		}
	}
	seen := map[[32]byte]bool{}
	for _, key := range [][32]byte{
		cuda.ImageKey(13000, 90, text, 0, nil), cuda.ImageKey(12080, 90, text, 0, nil), cuda.ImageKey(13000, 90, text+" ", 0, nil),
		cuda.ImageKey(13000, 90, text, 1, nil), cuda.ImageKey(13000, 90, text, 0, []byte("580")),
	} {
		seen[key] = true
	}
	if len(seen) != 5 {
		t.Errorf("five images have %d keys", len(seen))
	}
}

// watching is a driver that says what it is asked to load, and may refuse images.
type watching struct {
	cu.Driver
	mu     sync.Mutex
	links  int
	loads  [][]byte
	refuse func(image []byte) error
}

func (w *watching) LinkCreate(j *cu.JIT) (cu.LinkState, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links++
	return w.Driver.LinkCreate(j)
}

func (w *watching) ModuleLoadDataEx(image []byte, j *cu.JIT) (cu.Module, error) {
	w.mu.Lock()
	w.loads = append(w.loads, bytes.Clone(image))
	refuse := w.refuse
	w.mu.Unlock()
	if refuse != nil {
		if err := refuse(image); err != nil {
			return 0, err
		}
	}
	return w.Driver.ModuleLoadDataEx(image, j)
}

// session opens a device with its images below root, calls f, and returns what was counted.
func session(t *testing.T, drv cu.Driver, o driver.OpenOptions, f func(d *cuda.Device)) *driver.Stats {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	f(d)
	d.Settle()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return d.Stats()
}

func newSim() *cusim.Driver { return cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}) }

// adding is a program that adds n to 32 numbers.
func adding(t *testing.T, n int) *ir.Program {
	return parse(t, strings.ReplaceAll(addOne, "1_u32", fmt.Sprintf("%d_u32", n)))
}

// adds compiles a program that adds n, runs it, and checks what it gives.
func adds(t *testing.T, d *cuda.Device, n int) {
	t.Helper()
	k, err := d.Compile(ctx, adding(t, n), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, want := make([]byte, 128), bytes.Repeat([]byte{byte(n), 0, 0, 0}, 32)
	if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x)); err != nil || !bytes.Equal(x, want) {
		t.Errorf("adding %d gives % x, %v", n, x[:8], err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

// counts checks counters of compilations, in the order memory, disk, link, corrupt, write errors, evictions.
func counts(t *testing.T, what string, st *driver.Stats, want ...uint64) {
	t.Helper()
	var got []uint64
	for _, m := range []driver.Metric{metric.CompilesMemory, metric.CompilesDisk, metric.CompilesFresh, metric.CacheCorrupt, metric.CacheWriteErrors, metric.CacheEvictions} {
		got = append(got, st.Get(m))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: memory, disk, link, corrupt, write errors, evictions are %v, want %v", what, got, want)
	}
}

// files returns the files below root.
func files(t *testing.T, root string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, "cubin", "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnImageOfTheLastProcessIsNotLinkedAgain(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	first, second := &watching{Driver: newSim()}, &watching{Driver: newSim()}
	run := func(d *cuda.Device) { adds(t, d, 3); adds(t, d, 3); adds(t, d, 4) }
	st := session(t, first, o, run)
	counts(t, "first", st, 1, 0, 2, 0, 0, 0)
	if st.CacheDir != o.CacheDir {
		t.Errorf("images are kept in %q", st.CacheDir)
	}
	counts(t, "second", session(t, second, o, run), 1, 2, 0, 0, 0, 0)
	if first.links != 2 || second.links != 0 {
		t.Errorf("%d and %d links were made, want 2 and 0", first.links, second.links)
	}
	if !slices.EqualFunc(slices.DeleteFunc(first.loads, isText), second.loads, bytes.Equal) {
		t.Error("what was loaded from disk is not what was stored")
	}
}

func TestWhatDecidesTheCodeDecidesTheImage(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	p := adding(t, 3)
	compile := func(options ...driver.Options) func(*cuda.Device) {
		return func(d *cuda.Device) {
			for _, o := range options {
				if _, err := d.Compile(ctx, p, o); err != nil {
					t.Error(err)
				}
			}
		}
	}
	all := []driver.Options{{}, {MaxRegisters: 32}, {LineInfo: true}, {Label: "other"}, {Target: "sm_80"}}
	named := []driver.Options{{Label: "one", Entry: "other"}, {Label: "two", Entry: "other"}}
	counts(t, "each once", session(t, newSim(), o, compile(all...)), 0, 0, 5, 0, 0, 0)
	counts(t, "each again", session(t, newSim(), o, compile(all...)), 0, 5, 0, 0, 0, 0)
	counts(t, "labels alone", session(t, newSim(), o, compile(named...)), 1, 1, 0, 0, 0, 0)
	older := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Version: 12040})
	counts(t, "another driver", session(t, older, o, compile(all[0])), 0, 0, 1, 0, 0, 0)
	// The same text, compiled for an architecture that takes it too.
	blackwell := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Blackwell}})
	counts(t, "another device", session(t, blackwell, o, compile(all[4])), 0, 0, 1, 0, 0, 0)
}

func TestADamagedImageIsMadeAnew(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	run := func(d *cuda.Device) { adds(t, d, 3) }
	session(t, newSim(), o, run)
	stored := files(t, o.CacheDir)
	if len(stored) != 1 {
		t.Fatalf("there are %v", stored)
	}
	whole, err := os.ReadFile(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, file := range map[string][]byte{"flipped": flipped, "cut off": whole[:len(whole)-1], "longer": append(bytes.Clone(whole), 0), "empty": {}} {
		if err := os.WriteFile(stored[0], file, 0o600); err != nil {
			t.Fatal(err)
		}
		counts(t, name, session(t, newSim(), o, run), 0, 0, 1, 1, 0, 0)
		if again, err := os.ReadFile(stored[0]); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: it was not made anew: %v", name, err)
		}
	}
}

// What the cache takes for an image may be none to the driver.
func TestAnImageThatTheDriverRefusesIsMadeAnewOnce(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	run := func(d *cuda.Device) { adds(t, d, 3) }
	session(t, newSim(), o, run)
	stored := files(t, o.CacheDir)[0]
	key, err := hex.DecodeString(strings.TrimSuffix(filepath.Base(stored), ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	disk, err := imagecache.Open(o.CacheDir, 0)
	if err != nil {
		t.Fatal(err)
	}
	other := func() []byte { // an image of another program, which has no such function
		w := &watching{Driver: newSim()}
		session(t, w, driver.OpenOptions{CacheDir: t.TempDir()}, func(d *cuda.Device) { adds(t, d, 5) })
		return w.loads[1]
	}
	for name, image := range map[string][]byte{"no image": []byte("CUBIN"), "nothing": {}, "image of another program": other()} {
		if _, err := disk.Store([32]byte(key), image); err != nil {
			t.Fatal(err)
		}
		w := &watching{Driver: newSim()}
		counts(t, name, session(t, w, o, run), 0, 0, 1, 1, 0, 0)
		if w.links != 1 || len(w.loads) != 3 || !isText(w.loads[1]) {
			t.Errorf("%s: %d links, %d loads", name, w.links, len(w.loads))
		}
		counts(t, name+", after that", session(t, newSim(), o, run), 0, 1, 0, 0, 0, 0)
	}
	// A driver that refuses the text as well is asked for no image.
	w := &watching{Driver: newSim(), refuse: func([]byte) error { return &cu.CallError{Call: "cuModuleLoadDataEx", Result: 200} }}
	st := session(t, w, o, func(d *cuda.Device) {
		if _, err := d.Compile(ctx, adding(t, 3), driver.Options{}); !errors.Is(err, driver.Compile) {
			t.Errorf("got %v", err)
		}
	})
	counts(t, "always refused", st, 0, 0, 1, 1, 0, 0)
	if w.links != 0 || len(w.loads) != 2 || len(files(t, o.CacheDir)) != 0 {
		t.Errorf("%d links, %d loads, %v are kept", w.links, len(w.loads), files(t, o.CacheDir))
	}
}

// Without memory the image is as good as ever.
func TestAnImageIsKeptWhenMemoryRunsOut(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	session(t, newSim(), o, func(d *cuda.Device) { adds(t, d, 3) })
	w := &watching{Driver: newSim(), refuse: func([]byte) error { return &cu.CallError{Call: "cuModuleLoadDataEx", Result: cu.OutOfMemory} }}
	st := session(t, w, o, func(d *cuda.Device) {
		if _, err := d.Compile(ctx, adding(t, 3), driver.Options{}); !errors.Is(err, driver.OutOfMemory) {
			t.Errorf("got %v", err)
		}
	})
	if st.Get(metric.CacheCorrupt) != 0 || w.links != 0 || len(files(t, o.CacheDir)) != 1 {
		t.Errorf("%d corrupt, %d links, %d files", st.Get(metric.CacheCorrupt), w.links, len(files(t, o.CacheDir)))
	}
}

func TestTheEnvironmentAndOptionsSayWhereImagesAre(t *testing.T) {
	named, env := t.TempDir(), t.TempDir()
	run := func(d *cuda.Device) { adds(t, d, 3) }
	for _, c := range []struct {
		name     string
		env      string
		o        driver.OpenOptions
		kept, at string
	}{
		{"nobody says anything of a driver handed in", "", driver.OpenOptions{}, "", ""},
		{"environment", env, driver.OpenOptions{}, env, env},
		{"environment, off", "off", driver.OpenOptions{}, "", ""},
		{"option over environment", env, driver.OpenOptions{CacheDir: named}, named, named},
		{"option off over environment", env, driver.OpenOptions{CacheDir: "off"}, "", ""},
	} {
		t.Setenv(driver.EnvCacheDir, c.env)
		before := len(files(t, env)) + len(files(t, named))
		st := session(t, newSim(), c.o, run)
		if st.CacheDir != c.at || st.Get(metric.CacheWriteErrors) != 0 {
			t.Errorf("%s: images are kept in %q, want %q", c.name, st.CacheDir, c.at)
		}
		if after := len(files(t, env)) + len(files(t, named)); (after > before) != (c.kept != "" && before < 2) {
			t.Errorf("%s: %d files, %d before", c.name, after, before)
		}
	}
	t.Setenv(driver.EnvCacheDir, "off")
	t.Setenv(driver.EnvCacheBytes, "plenty")
	var e *driver.Error
	if _, err := cuda.Open(cuda.Options{Driver: newSim()}); !errors.As(err, &e) || e.Kind != driver.InvalidArgument || !strings.Contains(e.Msg, "VYRE_CACHE_BYTES=plenty") {
		t.Errorf("got %v", err)
	}
}

func TestACacheThatCannotBeUsedIsCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(d *cuda.Device) { adds(t, d, 3) }
	counts(t, "a file for a root", session(t, newSim(), driver.OpenOptions{CacheDir: file}, run), 0, 0, 1, 0, 1, 0)
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "cubin"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	counts(t, "a root that takes nothing", session(t, newSim(), driver.OpenOptions{CacheDir: root}, run), 0, 0, 1, 0, 1, 0)
}

func TestTheDiskCacheStaysWithinItsBound(t *testing.T) {
	o := driver.OpenOptions{CacheDir: t.TempDir(), CacheBytes: 8000}
	st := session(t, newSim(), o, func(d *cuda.Device) {
		for n := range 40 {
			adds(t, d, n)
		}
	})
	if st.Get(metric.CacheEvictions) == 0 {
		t.Error("nothing was removed")
	}
	total := int64(0)
	for _, f := range files(t, o.CacheDir) {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total == 0 || total > 8000 {
		t.Errorf("%d bytes are kept", total)
	}
}

// childEnv makes the test binary compile programs with the cache that it names, and do nothing else.
const childEnv = "VYRE_TEST_CACHE_CHILD"

func TestChildCompilesWithASharedCache(t *testing.T) {
	root := os.Getenv(childEnv)
	if root == "" {
		t.Skip("it is run by TestProcessesShareACache")
	}
	st := session(t, newSim(), driver.OpenOptions{CacheDir: root}, func(d *cuda.Device) {
		for n := range 20 {
			adds(t, d, n)
		}
	})
	if found, made := st.Get(metric.CompilesDisk), st.Get(metric.CompilesFresh); found+made != 20 || st.Get(metric.CacheCorrupt)+st.Get(metric.CacheWriteErrors) != 0 {
		t.Errorf("%d found, %d made, %d corrupt, %d not written", found, made, st.Get(metric.CacheCorrupt), st.Get(metric.CacheWriteErrors))
	}
}

func TestProcessesShareACache(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			child := exec.Command(binary, "-test.run=^TestChildCompilesWithASharedCache$")
			child.Env = append(os.Environ(), childEnv+"="+root)
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	st := session(t, newSim(), driver.OpenOptions{CacheDir: root}, func(d *cuda.Device) {
		for n := range 20 {
			adds(t, d, n)
		}
	})
	counts(t, "after both", st, 0, 20, 0, 0, 0, 0)
	if n := len(files(t, root)); n != 20 {
		t.Errorf("%d files are left", n)
	}
}

func TestADeviceLeavesTheEnvironmentAlone(t *testing.T) {
	before := os.Environ()
	session(t, newSim(), driver.OpenOptions{CacheDir: t.TempDir(), CacheBytes: 1 << 20}, func(d *cuda.Device) { adds(t, d, 3) })
	if after := os.Environ(); !slices.Equal(before, after) {
		t.Errorf("the environment is %v, was %v", after, before)
	}
}

func TestModulesUsedLongestAgoAreUnloadedOneAtATime(t *testing.T) {
	sim := newSim()
	w := &watching{Driver: sim}
	session(t, w, driver.OpenOptions{}, func(d *cuda.Device) {
		for n := range 3 {
			adds(t, d, n)
		}
		d.KeepImageBytes(len(w.loads[0]) + len(w.loads[1]) + len(w.loads[2]))
		held, err := d.Compile(ctx, adding(t, 1), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		adds(t, d, 0) // used later than 2
		adds(t, d, 3)
		d.AwaitCompilations() // a module goes behind the one that it makes room for
		if st := d.Stats(); st.Get(metric.ModulesUnloaded) != 1 {
			t.Errorf("%d modules were unloaded for one too many bytes", st.Get(metric.ModulesUnloaded))
		}
		made := d.Stats().Get(metric.CompilesFresh)
		for _, n := range []int{0, 1, 3} {
			adds(t, d, n)
		}
		if again := d.Stats().Get(metric.CompilesFresh) - made; again != 0 {
			t.Errorf("%d of the modules used last were unloaded", again)
		}
		d.KeepImageBytes(1) // everything but what is held goes, at the next compilation
		adds(t, d, 4)
		d.AwaitCompilations()
		if st := d.Stats(); st.Get(metric.ModulesUnloaded) != 3 {
			t.Errorf("%d modules were unloaded", st.Get(metric.ModulesUnloaded))
		}
		x := make([]byte, 128)
		if _, err := driver.Dispatch(ctx, held, driver.Groups(1), driver.InOut(x)); err != nil || x[0] != 1 {
			t.Errorf("a kernel that is held gives %d, %v", x[0], err)
		}
		if err := held.Close(); err != nil {
			t.Error(err)
		}
	})
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// Who asks first may leave; the compilation goes on, and the next finds it done, in memory and on disk.
func TestACompilationOutlivesItsCaller(t *testing.T) {
	root := t.TempDir()
	hold, held := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(held); <-hold })
	w := &watching{Driver: newSim(), refuse: func([]byte) error { first(); return nil }}
	st := session(t, w, driver.OpenOptions{CacheDir: root}, func(d *cuda.Device) {
		leaving, leave := context.WithCancel(ctx)
		gone := make(chan error)
		go func() {
			_, err := d.Compile(leaving, adding(t, 3), driver.Options{})
			gone <- err
		}()
		<-held
		leave()
		if err := <-gone; !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that left got %v", err)
		}
		close(hold)
		adds(t, d, 3)
	})
	counts(t, "the next caller", st, 1, 0, 1, 0, 0, 0)
	counts(t, "the next process", session(t, newSim(), driver.OpenOptions{CacheDir: root}, func(d *cuda.Device) { adds(t, d, 3) }), 0, 1, 0, 0, 0, 0)
}
