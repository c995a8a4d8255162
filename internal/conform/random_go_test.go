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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/conform"
	gofront "github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
)

// goNative follows kernels to a program that runs them as Go, launched as their makers say, and prints what each leaves, or
// how it panics; the list is calls.
const goNative = `
func run(kernel func(gpu.Thread, uint32, []uint32, []uint32, []uint32), groups, group uint32, inputs, own, results int) {
	defer func() {
		if what := recover(); what != nil {
			fmt.Printf("panic: %%.200q\n", fmt.Sprint(what))
		}
	}()
	in, sums, out := make([]uint32, inputs), make([]uint32, own), make([]uint32, results)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: groups, Y: 1, Z: 1}, Group: gpu.Vec3{X: group, Y: 1, Z: 1}}, func(t gpu.Thread) { kernel(t, 2, in, sums, out) })
	fmt.Println(append(sums, out...))
}

func main() {
%s}
`

// goNames are the names that each kernel declares for itself; all others are the same in all kernels of a kind.
var goNames = regexp.MustCompile(`\b(Kernel|helper[0-9])\b`)

// Flags of Go's compiler.
const (
	optimised   = ""
	unoptimised = "-N -l"
)

// native compiles kernels of one kind with flags, as one package, and runs them with gpu.Run; the package exists only for
// the build.
func native(t *testing.T, flags string, kernels []*conform.RandomProgram) []string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	common := conform.GoDeclarations[slices.IndexFunc(conform.GoDeclarations, func(d string) bool { return strings.HasPrefix(kernels[0].Source(), d) })]
	var program, calls strings.Builder
	program.WriteString(strings.Replace(common, "package generated\n", "package main\n\nimport \"fmt\"", 1))
	for i, k := range kernels {
		program.WriteString(goNames.ReplaceAllString(strings.TrimPrefix(k.Source(), common), fmt.Sprintf("${1}_%d", i)))
		args := k.Launch.Args
		fmt.Fprintf(&calls, "\trun(Kernel_%d, %d, %d, %d, %d, %d)\n", i, k.Launch.Grid[0], k.Program.Workgroup()[0], len(args[1].Data)/4, len(args[2].Data)/4, len(args[3].Data)/4)
	}
	fmt.Fprintf(&program, goNative, &calls)
	file, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "internal", "generated", "main.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{file: []byte(program.String()), overlay: list} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const generated = "github.com/govyre/vyre/internal/conform/internal/generated"
	out, err := exec.Command("go", "run", "-gcflags="+generated+"="+flags, "-overlay", overlay, "./internal/generated").CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(kernels) {
		t.Fatalf("%d kernels, -gcflags=%q: %v: %.5000s", len(kernels), flags, err, out)
	}
	return lines
}

// judge compares what devices leave of kernels with what Go leaves, which run says. Go's optimiser errs, too, and a device
// cannot be held to that: what it makes of a kernel is judged by Go without it. So wrong are the kernels that devices and
// Go compute differently, with what Go gives, and miscompiled those of which Go's optimiser makes something else than Go.
// Go without optimiser runs those that differ, or all.
func judge[K any](kernels []K, devices []string, all bool, run func(flags string, kernels []K) []string) (wrong, miscompiled map[int]string) {
	wrong, miscompiled = map[int]string{}, map[int]string{}
	var which []int
	var again []K
	for i, got := range run(optimised, kernels) {
		if got != devices[i] {
			miscompiled[i] = got
		}
		if got != devices[i] || all {
			which, again = append(which, i), append(again, kernels[i])
		}
	}
	if len(again) == 0 {
		return
	}
	for k, got := range run(unoptimised, again) {
		if i := which[k]; got != devices[i] {
			delete(miscompiled, i)
			wrong[i] = got
		}
	}
	return
}

func TestGoIsJudgedWithoutItsOptimiser(t *testing.T) {
	sources, devices := []string{"a", "b", "c", "d", "e"}, []string{"1", "2", "3", "4", "5"}
	gives := map[string]map[string]string{
		optimised:   {"a": "1", "b": "7", "c": "3", "d": "9", "e": "5"},
		unoptimised: {"a": "1", "b": "2", "c": "3", "d": "8", "e": "6"},
	}
	for _, all := range []bool{false, true} {
		wrong, miscompiled := judge(sources, devices, all, func(flags string, sources []string) (list []string) {
			for _, s := range sources {
				if flags == unoptimised && !all && gives[optimised][s] == devices[s[0]-'a'] {
					t.Errorf("kernel %s was run with flags %q", s, flags)
				}
				list = append(list, gives[flags][s])
			}
			return list
		})
		want := map[int]string{3: "8"}
		if all {
			want[4] = "6"
		}
		if !maps.Equal(wrong, want) {
			t.Errorf("all %v: wrong are %v, want %v", all, wrong, want)
		}
		if want := map[int]string{1: "7"}; !maps.Equal(miscompiled, want) {
			t.Errorf("all %v: miscompiled are %v, want %v", all, miscompiled, want)
		}
	}
}

// goMiscompiled is the seed of a kernel that the optimiser of go1.26.8 on linux/amd64 makes wrong code of.
const goMiscompiled = 8442438265300655234

// Each random kernel computes on every device, and on the interpreter, what Go computes of its text.
func TestRandomGoKernelsAgreeWithGo(t *testing.T) {
	agreeWithGo(t, conform.RandomGo, long.Count(20, 150, 1000), false, goMiscompiled)
}

// The class: every statement that assigns or copies in a hidden place, with effects in every operand. Where Go leaves the
// order of evaluation open, kernels have that of Go's compiler, which is the same with its optimiser and without.
//
//	go test ./internal/conform -run GoOrder -long -random 200000 -timeout 0
func TestRandomGoOrderAgreesWithGo(t *testing.T) {
	agreeWithGo(t, conform.RandomGoOrder, long.Count(25, 500, 5000), long.Enabled())
}

// agreeWithGo compares n random kernels, or as many as -random says, and those of the extra seeds. unoptimised: all of
// them with Go without optimiser, too.
func agreeWithGo(t *testing.T, generate func(seed uint64) *conform.RandomProgram, n int, unoptimised bool, extra ...uint64) {
	t.Helper()
	first, devices := long.Seed(t, 0), goDevices(t)
	if *randomPrograms > 0 {
		n = int(*randomPrograms)
	}
	seeds := extra
	for i := range uint64(n) {
		seeds = append(seeds, first+i)
	}
	const together = 500 // in one program of Go
	done, differ := 0, 0
	for part := range slices.Chunk(seeds, together) {
		differ += agreeTogether(t, generate, part, devices, unoptimised)
		done += len(part)
		t.Logf("%d kernels: %d differ", done, differ)
	}
}

// agreeTogether compares the kernels of some seeds, which become one program of Go, and returns how many differ.
func agreeTogether(t *testing.T, generate func(seed uint64) *conform.RandomProgram, seeds []uint64, devices []conform.Device, all bool) int {
	t.Helper()
	kernels, outcomes, failed := make([]*conform.RandomProgram, len(seeds)), make([]string, len(seeds)), make([]error, len(seeds))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(seeds)); i = next.Add(1) - 1 {
				kernels[i] = generate(seeds[i])
				outcomes[i], failed[i] = outcome(t.Context(), kernels[i], devices)
			}
		})
	}
	workers.Wait()
	differ := 0
	for i, err := range failed {
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seeds[i], err, kernels[i].Describe())
			differ++
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		return differ // on a machine that only runs tests
	}
	wrong, miscompiled := judge(kernels, outcomes, all, func(flags string, kernels []*conform.RandomProgram) []string {
		return native(t, flags, kernels)
	})
	for i, got := range wrong {
		if failed[i] == nil {
			t.Errorf("seed %d: devices give\n%s, Go gives\n%s\n%s", seeds[i], outcomes[i], got, kernels[i].Source())
			differ++
		}
	}
	for i := range miscompiled {
		t.Logf("seed %d: Go's optimiser errs: without it (-gcflags=%q) Go gives what devices give", seeds[i], unoptimised)
	}
	return differ
}

// outcome is what devices leave of a kernel, all the same, as a program of Go prints it.
func outcome(ctx context.Context, r *conform.RandomProgram, devices []conform.Device) (string, error) {
	if err := r.Agree(ctx, devices...); err != nil {
		return "", err
	}
	got, err := devices[0].Run(ctx, r.Program, r.Launch)
	if err != nil {
		return "", err
	}
	var words []uint32
	for _, b := range got.Buffers[2:] {
		for ; len(b) > 0; b = b[4:] {
			words = append(words, binary.LittleEndian.Uint32(b))
		}
	}
	return fmt.Sprint(words), nil
}

// A generator whose kernels hide their work shows nothing: a change of one initial value has to be seen.
func TestRandomGoKernelsShowWhatTheyCompute(t *testing.T) {
	d := goDevices(t)[0]
	run := func(r *conform.RandomProgram, source string) string {
		pkg, err := gofront.Parse(t.Context(), []gofront.File{{Name: "kernel.go", Src: []byte(source)}}, gofront.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		out, err := d.Run(context.Background(), pkg.Kernels()[0].Program, r.Launch)
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Buffers[2]) + string(out.Buffers[3])
	}
	for _, kind := range []struct {
		random      func(uint64) *conform.RandomProgram
		from, to    string
		seeds, seen uint64
	}{
		{conform.RandomGo, "n, uint32(7)", "n, uint32(8)", 20, 15},
		{conform.RandomGoOrder, "s[i&3]*3 + x", "s[i&3]*5 + x", 10, 7}, // in poke, which most statements call
	} {
		seen := uint64(0)
		for seed := range kind.seeds {
			r := kind.random(seed)
			other := strings.Replace(r.Source(), kind.from, kind.to, 1)
			if other == r.Source() {
				t.Fatalf("the kernel has no %s", kind.from)
			}
			if run(r, r.Source()) != run(r, other) {
				seen++
			}
		}
		if seen < kind.seen {
			t.Errorf("%s in place of %s: only %d of %d kernels show it", kind.to, kind.from, seen, kind.seeds)
		}
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

// Each form of slices is in some kernel of the generator, because only those are compared with Go.
func TestRandomGoOrderWritesEveryFormOfSlices(t *testing.T) {
	forms := []string{
		`big\[:\]`, `big\[[^\]]*:`, `grid\[[^\]]*\]\[:\]`, `grid\[:\]`, `\.B\[:\]`, `vecs\[[^\]]*\]\[:\]`, `cells, .* = big`, `line, .* = grid`, `pile = `,
		`sorted\((big|cells|own|pile|fl)`, `indexed\((big|cells|own|pile|fl)`, `moved\(`, `rowed\(rows`, `copy\((cells|big|own|pile|fl)`, `copy\((rows|grid|vecs)`,
		`clear\((cells|big|own|pile|fl)`, `range \((cells|big|own|pile|fl)`, `range \((rows|grid|vecs)`, `fl := fs\[`, `\.pop\(`,
		`kindOf\(`, `ringed\(`, `letters\(`, `hopped\(`, `append\((grow|w|dv)\[:2\], `, `append\(grow\[:2:4`, `cap\(`, `\]\[:2\]\[:4\]`,
	}
	missing := make(map[string]*regexp.Regexp)
	for _, f := range forms {
		missing[f] = regexp.MustCompile(f)
	}
	for seed := range uint64(400) {
		source := conform.RandomGoOrder(seed).Source()
		source = strings.TrimPrefix(source, conform.GoDeclarations[1])
		maps.DeleteFunc(missing, func(_ string, re *regexp.Regexp) bool { return re.MatchString(source) })
		if len(missing) == 0 {
			t.Logf("all forms in %d kernels", seed+1)
			return
		}
	}
	t.Errorf("no kernel has %v", slices.Sorted(maps.Keys(missing)))
}
