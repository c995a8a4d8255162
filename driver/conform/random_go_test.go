package conform_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/conform"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/kernel"
)

// goNative is a program that runs kernels as Go, launched as RandomGo says, and prints what each leaves, or how it panics;
// the lists are imports and calls.
const goNative = `package main

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
%s)

func run(kernel func(gpu.Thread, uint32, []uint32, []uint32, []uint32)) {
	defer func() {
		if what := recover(); what != nil {
			fmt.Printf("panic: %%.200q\n", fmt.Sprint(what))
		}
	}()
	in, sums, out := make([]uint32, 64), make([]uint32, 4), make([]uint32, 2*64)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2, Y: 1, Z: 1}, Group: gpu.Vec3{X: 64, Y: 1, Z: 1}}, func(t gpu.Thread) { kernel(t, 2, in, sums, out) })
	fmt.Println(append(sums, out...))
}

func main() {
%s}
`

// Flags of Go's compiler.
const (
	optimised   = ""
	unoptimised = "-N -l"
)

// native compiles sources with flags and runs their kernels with gpu.Run; the packages exist only for the build.
func native(t *testing.T, flags string, sources []string) []string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	var imports, calls strings.Builder
	for i, source := range sources {
		texts[fmt.Sprintf("internal/generated/k%d/kernel.go", i)] = source
		fmt.Fprintf(&imports, "\tk%[1]d \"github.com/govyre/vyre/driver/conform/internal/generated/k%[1]d\"\n", i)
		fmt.Fprintf(&calls, "\trun(k%d.Kernel)\n", i)
	}
	texts["internal/generated/native/main.go"] = fmt.Sprintf(goNative, &imports, &calls)
	replace := map[string]string{}
	for path, text := range texts {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, path)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	const generated = "github.com/govyre/vyre/driver/conform/internal/generated/..."
	out, err := exec.Command("go", "run", "-gcflags="+generated+"="+flags, "-overlay", file, "./internal/generated/native").CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(sources) {
		t.Fatalf("%d kernels, -gcflags=%q: %v: %s", len(sources), flags, err, out)
	}
	return lines
}

// judge compares what devices leave of kernels with what Go leaves, which run says. Go's optimiser errs, too, and a device
// cannot be held to that: what it makes of a kernel is judged by Go without it. So wrong are the kernels that devices and
// Go compute differently, with what Go gives, and miscompiled those of which Go's optimiser makes something else than Go.
func judge(sources, devices []string, run func(flags string, sources []string) []string) (wrong, miscompiled map[int]string) {
	wrong, miscompiled = map[int]string{}, map[int]string{}
	var differ []int
	var again []string
	for i, got := range run(optimised, sources) {
		if got != devices[i] {
			miscompiled[i], differ, again = got, append(differ, i), append(again, sources[i])
		}
	}
	if len(again) == 0 {
		return
	}
	for k, got := range run(unoptimised, again) {
		if i := differ[k]; got != devices[i] {
			delete(miscompiled, i)
			wrong[i] = got
		}
	}
	return
}

func TestGoIsJudgedWithoutItsOptimiser(t *testing.T) {
	sources, devices := []string{"a", "b", "c", "d"}, []string{"1", "2", "3", "4"}
	gives := map[string]map[string]string{
		optimised:   {"a": "1", "b": "7", "c": "3", "d": "9"},
		unoptimised: {"b": "2", "d": "8"},
	}
	wrong, miscompiled := judge(sources, devices, func(flags string, sources []string) (list []string) {
		for _, s := range sources {
			got, ok := gives[flags][s]
			if !ok {
				t.Errorf("kernel %s was run with flags %q", s, flags)
			}
			list = append(list, got)
		}
		return list
	})
	if want := map[int]string{3: "8"}; !maps.Equal(wrong, want) {
		t.Errorf("wrong are %v, want %v", wrong, want)
	}
	if want := map[int]string{1: "7"}; !maps.Equal(miscompiled, want) {
		t.Errorf("miscompiled are %v, want %v", miscompiled, want)
	}
}

// goMiscompiled is the seed of a kernel that the optimiser of go1.26.8 on linux/amd64 makes wrong code of.
const goMiscompiled = 8442438265300655234

// Each random kernel computes on every device, and on the interpreter, what Go computes of its text.
func TestRandomGoKernelsAgreeWithGo(t *testing.T) {
	first, devices := long.Seed(t, 0), goDevices(t)
	n := *randomPrograms
	if n == 0 {
		n = uint64(long.Count(20, 150, 1000))
	}
	seeds := []uint64{goMiscompiled}
	for i := range n {
		seeds = append(seeds, first+i)
	}
	var sources, outcomes []string
	for _, seed := range seeds {
		r := conform.RandomGo(seed)
		if err := r.Agree(t.Context(), devices...); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, r.Describe())
		}
		got, err := devices[0].Run(t.Context(), r.Program, r.Launch)
		if err != nil {
			t.Fatal(err)
		}
		var words []uint32
		for _, b := range got.Buffers[2:] {
			for ; len(b) > 0; b = b[4:] {
				words = append(words, binary.LittleEndian.Uint32(b))
			}
		}
		sources, outcomes = append(sources, r.Source()), append(outcomes, fmt.Sprint(words))
	}
	if _, err := exec.LookPath("go"); err != nil {
		return // on a machine that only runs tests
	}
	const together = 50 // in one program of Go
	for from := 0; from < len(sources); from += together {
		to := min(from+together, len(sources))
		wrong, miscompiled := judge(sources[from:to], outcomes[from:to], func(flags string, sources []string) []string {
			return native(t, flags, sources)
		})
		for i, got := range wrong {
			t.Errorf("seed %d: devices give\n%s, Go gives\n%s\n%s", seeds[from+i], outcomes[from+i], got, sources[from+i])
		}
		for i := range miscompiled {
			t.Logf("seed %d: Go's optimiser errs: without it (-gcflags=%q) Go gives what devices give", seeds[from+i], unoptimised)
		}
	}
}

// A generator whose kernels hide their work shows nothing: a change of one initial value has to be seen.
func TestRandomGoKernelsShowWhatTheyCompute(t *testing.T) {
	seen := 0
	d := goDevices(t)[0]
	run := func(r *conform.RandomProgram, source string) string {
		pkg, err := kernel.Parse([]kernel.File{{Name: "kernel.go", Src: []byte(source)}}, kernel.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		out, err := d.Run(context.Background(), pkg.Kernels()[0].Program, r.Launch)
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Buffers[3])
	}
	for seed := range uint64(20) {
		r := conform.RandomGo(seed)
		other := strings.Replace(r.Source(), "n, uint32(7)", "n, uint32(8)", 1)
		if other == r.Source() {
			t.Fatal("the kernel has no such value")
		}
		if run(r, r.Source()) != run(r, other) {
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("only %d of 20 kernels show another initial value", seen)
	}
}

// goDevices are the devices that need no GPU.
func goDevices(t *testing.T) (list []conform.Device) {
	for _, name := range []string{"cpu", "cuda-sim"} {
		d, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		list = append(list, conform.On(d))
	}
	return list
}
