package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/doctor"
	"github.com/govyre/vyre/internal/testing/long"
)

// examine returns the lines of a report.
func examine(t *testing.T, s doctor.Subject) (device string, lines []string) {
	t.Helper()
	device, err := doctor.Examine(context.Background(), s, func(c doctor.Check) {
		if c.State == doctor.OK && c.Fix != "" || c.Found == "" {
			t.Errorf("%+v", c)
		}
		lines = append(lines, c.String())
	})
	if err != nil {
		t.Fatal(err)
	}
	return device, lines
}

// alone takes the machine's own variables out of a test.
func alone(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		name, was, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "VYRE_") || strings.HasPrefix(name, "CUDA_") {
			t.Setenv(name, was) // which sets it back at the end
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// names are those of the checks of a GPU, in their order.
var names = []string{"library", "devices", "driver", "target", "compute mode", "context", "memory", "pinned", "compile", "images", "launch + wait",
	"word", "graph", "while node", "grid barrier", "copies", "caches", "profilers", "environment"}

// heads returns state and name of each line.
func heads(lines []string) []string {
	var all []string
	for _, l := range lines {
		head, _, _ := strings.Cut(l, ": ")
		all = append(all, head)
	}
	return all
}

// report is what a healthy simulated GPU gets, but for the states that are named here.
func report(states map[string]string) []string {
	var all []string
	for _, n := range names {
		state := "ok"
		if s, ok := states[n]; ok {
			state = s
		}
		all = append(all, state+" "+n)
	}
	return all
}

// expect compares a report with states, and looks for a line that matches each pattern.
func expect(t *testing.T, lines []string, states map[string]string, patterns ...string) {
	t.Helper()
	if got, want := heads(lines), report(states); !slices.Equal(got, want) {
		t.Errorf("the checks are\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(lines, regexp.MustCompile("^"+p+"$").MatchString) {
			t.Errorf("no line is %q:\n%s", p, strings.Join(lines, "\n"))
		}
	}
}

func TestEveryModelIsHealthy(t *testing.T) {
	alone(t)
	for i, m := range cusim.Models() {
		name := "cuda-sim:" + string(rune('0'+i))
		device, lines := examine(t, doctor.Subject{Device: name})
		expect(t, lines, nil, `ok devices: cuda-sim:0 \(simulated 9\.0, 4 GiB\), .*`, `ok memory: \S+ GiB free of 4 GiB; 64 MiB allocated`)
		if device != name {
			t.Errorf("%s: %q was opened", m.Name, device)
		}
	}
	device, lines := examine(t, doctor.Subject{Device: "cuda-sim:sm_89"})
	expect(t, lines, nil, `ok devices: cuda-sim:sm_89 \(.*\)`, `ok target: capability 8\.9, .*`)
	if device != "cuda-sim:sm_89" {
		t.Errorf("%q was opened for sm_89", device)
	}
}

// TestBlockedChecksNameTheCause has a failure at each stage of the examination: what comes after it and needs it says so, and
// what does not need it is checked all the same.
func TestBlockedChecksNameTheCause(t *testing.T) {
	alone(t)
	after := func(name string) map[string]string { // all checks behind it that need the driver are not made
		states := map[string]string{name: "FAIL"}
		for _, n := range names[slices.Index(names, name)+1 : len(names)-2] {
			states[n] = "warn"
		}
		return states
	}
	but := func(states map[string]string, ok ...string) map[string]string {
		for _, n := range ok {
			delete(states, n)
		}
		return states
	}
	fail := func(call string, nth int, r cu.Result) cusim.Config {
		return cusim.Config{Faults: cusim.Faults{{Call: call, Nth: nth, Result: r}}}
	}
	kernels := map[string]string{"launch + wait": "warn", "word": "warn", "graph": "warn", "while node": "warn", "grid barrier": "warn"}
	kernels["compile"] = "FAIL"
	for _, c := range []struct {
		name, device string
		config       cusim.Config
		states       map[string]string
		patterns     []string
	}{
		{"no start", "cuda", fail("cuInit", 1, 803), after("devices"),
			[]string{`FAIL devices: .*cuInit failed \[CUDA_ERROR_SYSTEM_DRIVER_MISMATCH 803\]; fix: the driver library .*`, "warn copies: not checked, because devices failed"}},
		{"no such device", "cuda:7", cusim.Config{}, after("devices"), []string{`FAIL devices: there is no cuda:7; there are cuda:0 .*`}},
		{"a name that is no number", "cuda:one", cusim.Config{}, after("devices"), []string{`FAIL devices: there is no cuda:one; .*`}},
		{"an old driver", "cuda", cusim.Config{Version: 11030}, but(after("driver"), "compute mode"),
			[]string{`FAIL driver: it is of CUDA 11\.3, 11\.4 is the oldest that works; fix: update .*`, "warn target: not checked, because driver failed"}},
		{"a GPU that is newer than the driver", "cuda:2", cusim.Config{Version: 12070}, map[string]string{"target": "warn"},
			[]string{`warn target: capability 12\.0, but programs are compiled for sm_100, .*; fix: update the NVIDIA driver`}},
		{"no context", "cuda", fail("cuDevicePrimaryCtxRetain", 1, 46), after("context"),
			[]string{`FAIL context: open .*CUDA_ERROR_DEVICE_UNAVAILABLE 46\]; fix: another process .*`, "warn memory: not checked, because context failed"}},
		{"little memory", "cuda", cusim.Config{Memory: 32 << 20}, map[string]string{"memory": "FAIL"},
			[]string{`FAIL memory: alloc "doctor" on cuda:0: out of memory: .*, with \S+ MiB free; fix: .*`}},
		{"no compiler", "cuda", fail("cuModuleLoadDataEx", 1, 221), kernels,
			[]string{`FAIL compile: .*JIT_COMPILER_NOT_FOUND 221\].*`, "warn graph: not checked, because compile failed", "ok copies: .*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, lines := examine(t, doctor.Subject{Device: c.device, Driver: cusim.New(c.config)})
			expect(t, lines, c.states, c.patterns...)
		})
	}
}

// altered is a driver of another GPU, or of one that loses what is copied back.
type altered struct {
	cu.Driver
	attributes map[cu.Attribute]int
	loses      bool
}

func (a *altered) DeviceGetAttribute(of cu.Attribute, dev cu.Device) (int, error) {
	if v, ok := a.attributes[of]; ok {
		return v, nil
	}
	return a.Driver.DeviceGetAttribute(of, dev)
}

func (a *altered) MemcpyDtoHAsync(dst unsafe.Pointer, src cu.Ptr, bytes int64, s cu.Stream) error {
	if a.loses {
		return nil
	}
	return a.Driver.MemcpyDtoHAsync(dst, src, bytes, s)
}

// TestWhatTheGPUSays has GPUs that are there and that cannot be used, or not well.
func TestWhatTheGPUSays(t *testing.T) {
	alone(t)
	attributes := func(list ...int) map[cu.Attribute]int {
		m := map[cu.Attribute]int{}
		for i := 0; i < len(list); i += 2 {
			m[cu.Attribute(list[i])] = list[i+1]
		}
		return m
	}
	old := map[string]string{"target": "FAIL"}
	for _, n := range names[slices.Index(names, "context") : len(names)-2] {
		old[n] = "warn"
	}
	const mode, watchdog = int(cu.ComputeMode), int(cu.KernelExecTimeout)
	for _, c := range []struct {
		name    string
		driver  altered
		states  map[string]string
		pattern string
	}{
		{"an old one", altered{attributes: attributes(int(cu.CapabilityMajor), 6, int(cu.CapabilityMinor), 1)}, old, `FAIL target: compute capability 6\.1 is below 7\.0, .*; fix: use a GPU .*`},
		{"one that is prohibited", altered{attributes: attributes(mode, 2)}, map[string]string{"compute mode": "FAIL"}, `FAIL compute mode: prohibited: .*; fix: nvidia-smi -c DEFAULT`},
		{"one for one process", altered{attributes: attributes(mode, 3)}, map[string]string{"compute mode": "warn"}, `warn compute mode: exclusive: .*; fix: nvidia-smi -c DEFAULT`},
		{"one with a display", altered{attributes: attributes(watchdog, 1)}, map[string]string{"compute mode": "warn"}, `warn compute mode: default; but the GPU has a display, .*; fix: .*`},
		{"one that loses bytes", altered{loses: true},
			map[string]string{"launch + wait": "FAIL", "word": "warn", "graph": "warn", "while node": "warn", "grid barrier": "warn", "copies": "FAIL"},
			`FAIL launch \+ wait: a launch: word \d+ of the result is 0x[0-9a-f]+, want 0x[0-9a-f]+; fix: .*`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.driver.Driver = cusim.New(cusim.Config{})
			_, lines := examine(t, doctor.Subject{Device: "cuda", Driver: &c.driver})
			expect(t, lines, c.states, c.pattern)
		})
	}
}

// TestEveryGroupMayBeMissing leaves out what drivers may lack: that is a warning, and what depends on it says so.
func TestEveryGroupMayBeMissing(t *testing.T) {
	alone(t)
	for group, states := range map[cu.Group]map[string]string{
		cu.Coop:     {"grid barrier": "warn"},
		cu.MemOp:    {"word": "warn"},
		cu.Pool:     nil,
		cu.Graphing: {"graph": "warn", "while node": "warn"},
		cu.Cond:     {"while node": "warn"},
		cu.Loading:  nil,
		cu.Pointer:  nil,
	} {
		all := map[string]string{"library": "warn"}
		for name, state := range states {
			all[name] = state
		}
		_, lines := examine(t, doctor.Subject{Device: "cuda", Driver: cusim.New(cusim.Config{Lacks: []cu.Group{group}})})
		expect(t, lines, all, `warn library: .*, without functions for .*; fix: update the NVIDIA driver`)
	}
}

// TestEveryCallMayFail lets each call of an examination fail in turn. The report is whole, says what failed, and the next
// examination by the same driver is healthy.
func TestEveryCallMayFail(t *testing.T) {
	alone(t)
	scenario := func(d *cusim.Driver) error {
		n := 0
		_, err := doctor.Examine(context.Background(), doctor.Subject{Device: "cuda", Driver: d}, func(doctor.Check) { n++ })
		if err == nil && n != len(names) {
			err = fmt.Errorf("a report of %d checks", n)
		}
		return err
	}
	every := long.Every(53, 1)
	first := 1 + int(long.Seed(t, 0)%uint64(every))
	for _, result := range []cu.Result{cu.OutOfMemory, 719} {
		for a := range cusim.EachCall(cusim.Config{Models: []cusim.Model{cusim.Tiny}, Recovers: true}, first, every, scenario, result) {
			if a.Err != nil {
				t.Fatalf("%+v: %v", a.Rule, a.Err)
			}
			a.Driver.Heal()
			if _, lines := examine(t, doctor.Subject{Device: "cuda", Driver: a.Driver}); !slices.Equal(heads(lines), report(nil)) {
				t.Fatalf("after %+v:\n%s", a.Rule, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestALostDeviceIsNotAskedAgain(t *testing.T) {
	alone(t)
	d := cusim.New(cusim.Config{})
	d.Fail(cusim.Rule{Call: "cuLaunchKernel", Nth: 1, Result: 719})
	_, lines := examine(t, doctor.Subject{Device: "cuda", Driver: d})
	by := "warn"
	expect(t, lines, map[string]string{"launch + wait": "FAIL", "word": by, "graph": by, "while node": by, "grid barrier": by, "copies": by, "caches": by},
		`FAIL launch \+ wait: .*LAUNCH_FAILED 719\].*`, `warn copies: not checked, because launch \+ wait failed`)
}

func TestCacheIsSaid(t *testing.T) {
	alone(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir() // a folder in which nothing can be made, for root as well
	if err := os.WriteFile(filepath.Join(full, "cubin"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	readOnly := t.TempDir()
	if err := os.Chmod(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	type row struct{ dir, state, found string }
	rows := []row{
		{"", "ok", `nothing is kept, because the GPU is simulated and VYRE_CACHE_DIR names no directory`},
		{"off", "ok", `nothing is kept, because VYRE_CACHE_DIR is off`},
		{file, "warn", `nothing is kept: .*file is not a directory; fix: set VYRE_CACHE_DIR to a directory of your own`},
		{filepath.Join(file, "below"), "warn", `nothing (new )?is kept.*; fix: .*`},
		{full, "warn", `nothing new is kept in .*; fix: make it writable, or set VYRE_CACHE_DIR to a directory of your own`},
		{filepath.Join(t.TempDir(), "new"), "ok", `.*new of user .*, writable, kept images: \d+, .* of at most 1 GiB; the sample was loaded as text`},
	}
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		rows = append(rows, row{readOnly, "warn", `nothing new is kept in .*; fix: make it writable, .*`})
	}
	if os.Chown(foreign, 12345, -1) == nil { // which root may do
		rows = append(rows, row{foreign, "warn", `nothing is kept: .* belongs to another user; fix: set VYRE_CACHE_DIR to a directory of your own`})
	}
	for _, c := range rows {
		t.Setenv(driver.EnvCacheDir, c.dir)
		_, lines := examine(t, doctor.Subject{Device: "cuda-sim"})
		expect(t, lines, map[string]string{"images": c.state}, c.state+" images: "+c.found)
		if strings.Contains(c.found, "loaded as text") { // and the next process finds it
			_, lines := examine(t, doctor.Subject{Device: "cuda-sim"})
			expect(t, lines, nil, `ok compile: saxpy in \S+, from the cache: text of .*, machine code of .*, \d+ registers, 0 local and 0 shared bytes`, "ok images: .*; the sample was one of them")
		}
	}
}

// TestProfilers: an injection that the environment names is tried, and one that is not there is said.
func TestProfilers(t *testing.T) {
	alone(t)
	t.Setenv("NVTX_INJECTION64_PATH", "")
	_, lines := examine(t, doctor.Subject{Device: "cuda-sim"})
	expect(t, lines, nil, `ok profilers: no ranges are marked.* no profiler has set NVTX_INJECTION64_PATH.*`)
	t.Setenv("NVTX_INJECTION64_PATH", filepath.Join(t.TempDir(), "none.so"))
	_, lines = examine(t, doctor.Subject{Device: "cuda-sim"})
	expect(t, lines, map[string]string{"profilers": "warn"}, `warn profilers: no ranges are marked: .*none.so.*; fix: unset NVTX_INJECTION64_PATH, .*`, `ok environment: .*NVTX_INJECTION64_PATH=.*`)
}

func TestEnvironment(t *testing.T) {
	alone(t)
	t.Setenv("VYRE_CAHCE_DIR", "/x")
	t.Setenv("VYRE_NVTX", "")
	t.Setenv("CUDA_VISIBLE_DEVICES", "0")
	_, lines := examine(t, doctor.Subject{Device: "cuda-sim"})
	expect(t, lines, map[string]string{"environment": "warn"}, `warn environment: CUDA_VISIBLE_DEVICES=0, VYRE_NVTX=; unknown: VYRE_CAHCE_DIR; fix: .*VYRE_CACHE_DIR.*`)
	t.Setenv("VYRE_DEBUG", "nonsense")
	_, lines = examine(t, doctor.Subject{Device: "cuda-sim"})
	if i := slices.Index(heads(lines), "FAIL context"); i < 0 || !strings.Contains(lines[i], `no debug switch "nonsense"; fix: write a comma list`) {
		t.Errorf("a switch that there is not:\n%s", strings.Join(lines, "\n"))
	}
}

// TestWithoutAGPU is about machines that have none: no library, and a library that sees no device or is a stub. Whether
// that is a failure depends on who asked.
func TestWithoutAGPU(t *testing.T) {
	alone(t)
	t.Setenv("VYRE_CUDA_LIBRARY", filepath.Join(t.TempDir(), "none.so"))
	stub := func(r cu.Result) cu.Driver {
		return cusim.New(cusim.Config{Faults: cusim.Faults{{Call: "cuInit", Nth: 1, Result: r}}})
	}
	others := []string{"ok device", "ok memory", "ok compile", "ok launch + wait", "ok graph", "ok while node", "ok grid barrier", "ok copies", "ok caches", "ok environment"}
	for _, c := range []struct {
		name   string
		driver func() cu.Driver
		heads  []string // before those of device cpu
	}{
		{"no library", func() cu.Driver { return nil }, []string{"warn library"}},
		{"no device", func() cu.Driver { return stub(100) }, []string{"ok library", "warn devices"}},
		{"a stub", func() cu.Driver { return stub(34) }, []string{"ok library", "warn devices"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			device, lines := examine(t, doctor.Subject{Driver: c.driver()})
			if got := heads(lines); device != "cpu" || !slices.Equal(got, append(slices.Clone(c.heads), others...)) {
				t.Errorf("%q: %s", device, strings.Join(lines, "\n"))
			}
			if last := lines[len(c.heads)-1]; !strings.Contains(last, "; fix: ") {
				t.Errorf("nothing helps: %s", last)
			}
			if device, lines := examine(t, doctor.Subject{Device: "cuda", Driver: c.driver()}); device != "" || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "FAIL ") }) {
				t.Errorf("named, %q: %s", device, strings.Join(lines, "\n"))
			}
			t.Setenv(driver.EnvDevice, "cuda")
			if _, lines := examine(t, doctor.Subject{Driver: c.driver()}); !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "FAIL ") }) {
				t.Errorf("named by the environment: %s", strings.Join(lines, "\n"))
			}
		})
	}
}

func TestADeviceThatThereIsNot(t *testing.T) {
	alone(t)
	t.Setenv(driver.EnvDevice, "abacus")
	_, lines := examine(t, doctor.Subject{})
	if !strings.HasPrefix(lines[0], `FAIL device: open "abacus": unavailable`) || lines[1] != "warn memory: not checked, because device failed" {
		t.Error(strings.Join(lines, "\n"))
	}
}

func TestExamineEndsWithItsContext(t *testing.T) {
	alone(t)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err := doctor.Examine(ctx, doctor.Subject{Device: "cuda-sim"}, func(c doctor.Check) {
		if n++; c.Name == "compile" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || n != slices.Index(names, "compile")+1 {
		t.Errorf("%d checks, %v", n, err)
	}
}

func TestCheckAsJSON(t *testing.T) {
	in := doctor.Check{Name: "a", State: doctor.Fail, Found: "\x1b[31m\u202e", Fix: "b"}
	b, err := json.Marshal(in)
	var out doctor.Check
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil || in != out {
		t.Errorf("%s: %+v, %v", b, out, err)
	}
}
