package ptx_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// mostRead bounds the rows of a program whose text is worth reading. Devices and the machine code of ptxas run larger ones.
const mostRead = 500

// wholeKernels are programs whose text is worth reading as a whole, by the name of their golden file.
func wholeKernels(t *testing.T) map[string]*ir.Program {
	all := make(map[string]*ir.Program)
	for _, family := range []string{"emission/", "trap/in-a-branch", "trace/no-to-three", "mem-vector/lanes-in-order"} {
		for c := range conform.Cases(family) {
			if c.Program.Rows() <= mostRead {
				all[c.Name] = c.Program
			}
		}
	}
	for _, name := range fewExamples {
		pkg, err := example(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range pkg.Kernels() {
			all[name] = k.Program
		}
	}
	return all
}

// fewExamples are those that are compiled without -long: to load one takes longer than most tests. The page of package
// explain is made of all.
var fewExamples = []string{"saxpy", "reduce", "transpose"}

var examples = struct {
	sync.Mutex
	loaded map[string]*front.Package
}{loaded: map[string]*front.Package{}}

// example returns the kernels of an example, loaded once.
func example(name string) (*front.Package, error) {
	examples.Lock()
	defer examples.Unlock()
	if pkg := examples.loaded[name]; pkg != nil {
		return pkg, nil
	}
	pkg, err := front.Load(context.Background(), filepath.Join("../../examples", name))
	examples.loaded[name] = pkg
	return pkg, err
}

// TestEmitOfWholeKernels holds whole modules to testdata/kernels.txtar.
func TestEmitOfWholeKernels(t *testing.T) {
	const file = "testdata/kernels.txtar"
	all, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string][]byte)
	for _, f := range all.Files {
		texts[f.Name] = f.Data
	}
	for name, p := range wholeKernels(t) {
		t.Run(name, func(t *testing.T) {
			m, err := emit(p, ptx.Target{SM: 90})
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				texts[name] = []byte(m.Text)
				return
			}
			agrees(t, file+"/"+name, m.Text, string(texts[name]))
		})
	}
	if *update {
		all.Files = nil
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			all.Files = append(all.Files, txtar.File{Name: name, Data: texts[name]})
		}
		if err := os.WriteFile(file, txtar.Format(all), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEmitIsStable: five compilations give equal bytes, whatever else the process does.
func TestEmitIsStable(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for seed := range uint64(20) {
		p := conform.Random(seed).Program
		texts := make(map[string]bool)
		for round := range 5 {
			runtime.GOMAXPROCS(1 + round%2*7)
			m, err := ptx.Compile(p, ptx.Target{SM: 80}, ptx.Options{Passes: asWritten.Passes, LineInfo: true, Annotate: true})
			if err != nil {
				t.Fatal(err)
			}
			texts[m.Text] = true
		}
		if len(texts) != 1 {
			t.Errorf("program %d: %d texts", seed, len(texts))
		}
	}
}

// TestEmitPutsSeveralKernelsIntoAModule: each has its own entry and table, and the same text as alone.
func TestEmitPutsSeveralKernelsIntoAModule(t *testing.T) {
	one := parse(t, "kernel @one workgroup(32) { param @x: buf<u32> wo\n%l = local.x\nstore @x[%l], %l\n}")
	two := parse(t, "kernel @two workgroup(64) { param @x: buf<u32> rw\nshared @s: u32[?]\n%l = local.x\nstore @s[%l], %l\nbarrier.wg\n%v = load @s[0_u32]\nstore @x[%l], %v\n}")
	m, err := emitAll([]*ir.Program{one, two}, ptx.Target{SM: 80})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Kernels) != 2 || strings.Count(m.Text, ".version") != 1 || strings.Count(m.Text, ".extern") != 1 {
		t.Fatalf("%d kernels in\n%s", len(m.Kernels), m.Text)
	}
	lines := strings.Split(m.Text, "\n")
	for i, p := range []*ir.Program{one, two} {
		k := m.Kernels[i]
		if !strings.HasPrefix(k.Entry, p.Name()+"_") || !strings.Contains(m.Text, ".visible .entry "+k.Entry+"(\n") {
			t.Errorf("entry %s of %s is not in\n%s", k.Entry, p.Name(), m.Text)
		}
		for _, l := range k.Lines {
			if p.Op(l.Row) == ir.OpStore && strings.Contains(lines[l.Line-1], "st.") && k.RowAt(l.Line) != l.Row {
				t.Errorf("line %d, %q, stands for row %d", l.Line, lines[l.Line-1], k.RowAt(l.Line))
			}
		}
	}
	if got := m.Kernels[1]; got.Static != 0 || got.Dynamic != 0 || got.RestElem != 4 {
		t.Errorf("shared memory %d static, %d dynamic, %d an element; want 0, 0, 4", got.Static, got.Dynamic, got.RestElem)
	}
	if _, err := emitAll([]*ir.Program{one, one}, ptx.Target{SM: 80}); err == nil {
		t.Error("a program given twice makes two equal entries, and no error")
	}
}

func TestEmitPlacesSharedMemory(t *testing.T) {
	rows := []struct {
		name, arrays             string
		static, dynamic, elem    int
		refusedBelow, acceptedOn int // architectures; 0 for none
	}{
		{"none", "", 0, 0, 0, 0, 70},
		{"arrays at multiples of 16", "shared @a: u8[3]\nshared @b: f64[2]\n", 32, 0, 0, 0, 70},
		{"as much as code may declare", "shared @a: u8[49152]\n", 49152, 0, 0, 0, 70},
		{"one byte more comes with the launch", "shared @a: u8[49153]\n", 0, 49153, 0, 0, 70},
		{"rest after the arrays", "shared @a: u32[3]\nshared @r: u32[?]\n", 0, 16, 4, 0, 70},
		{"all of sm_90", "shared @a: u8[232448]\n", 0, 232448, 0, 80, 90},
		{"more than sm_90 has", "shared @a: u8[232449]\n", 0, 0, 0, 90, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := parse(t, "kernel @k workgroup(32) { "+row.arrays+"}")
			if row.refusedBelow > 0 {
				_, err := emit(p, ptx.Target{SM: row.refusedBelow})
				if err == nil || !strings.Contains(err.Error(), "VY504") {
					t.Errorf("on sm_%d: %v, want VY504", row.refusedBelow, err)
				}
			}
			if row.acceptedOn == 0 {
				return
			}
			m, err := emit(p, ptx.Target{SM: row.acceptedOn})
			if err != nil {
				t.Fatal(err)
			}
			k := m.Kernels[0]
			if k.Static != row.static || k.Dynamic != row.dynamic || k.RestElem != row.elem {
				t.Errorf("%d static, %d dynamic, %d an element; want %d, %d, %d", k.Static, k.Dynamic, k.RestElem, row.static, row.dynamic, row.elem)
			}
		})
	}
}

// TestCheckGivesAGroupTheSharedMemoryOfItsTarget: all of it, in KiB, and not a byte more.
func TestCheckGivesAGroupTheSharedMemoryOfItsTarget(t *testing.T) {
	most := map[int]int{70: 96, 72: 96, 75: 64, 80: 163, 86: 99, 87: 163, 88: 99, 89: 99, 90: 227, 100: 227, 101: 227, 103: 227, 110: 227, 120: 99, 121: 99}
	for _, target := range ptx.Targets() {
		bytes := most[target.SM] << 10
		if _, err := emit(parse(t, fmt.Sprintf("kernel @k workgroup(32) { shared @a: u8[%d]\n}", bytes)), target); err != nil {
			t.Errorf("%s, %d bytes: %v", target, bytes, err)
		}
		_, err := emit(parse(t, fmt.Sprintf("kernel @k workgroup(32) { shared @a: u8[%d]\n}", bytes+1)), target)
		if err == nil || !strings.Contains(err.Error(), "VY504") {
			t.Errorf("%s, %d bytes: %v, want VY504", target, bytes+1, err)
		}
	}
}

func TestEmitAsksForTheLowestVersion(t *testing.T) {
	plain := "kernel @k workgroup(32) { param @x: buf<f32> rw\n%l = local.x\n%v = load @x[%l]\nstore @x[%l], %v\n}"
	keep := strings.Replace(plain, "load @x", "load.keep @x", 1)
	tanh := strings.Replace(plain, "store @x[%l], %v", "%w = fast_tanh.f32 %v\nstore @x[%l], %w", 1)
	grid := strings.Replace(plain, "store", "barrier.grid\nstore", 1)
	rows := []struct {
		program, target, version string
	}{
		{plain, "sm_70", "6.0"}, {plain, "sm_75", "6.3"}, {plain, "sm_80", "7.0"}, {plain, "sm_87", "7.4"},
		{plain, "sm_86", "7.1"}, {plain, "sm_88", "9.0"}, {plain, "sm_89", "7.8"}, {plain, "sm_90", "7.8"}, {plain, "sm_90a", "8.0"},
		{plain, "sm_100", "8.6"}, {plain, "sm_100a", "8.6"}, {plain, "sm_101", "8.6"}, {plain, "sm_101a", "8.6"},
		{plain, "sm_103", "8.8"}, {plain, "sm_103a", "8.8"}, {plain, "sm_110", "9.0"}, {plain, "sm_110a", "9.0"},
		{plain, "sm_120", "8.7"}, {plain, "sm_120a", "8.7"}, {plain, "sm_121", "8.8"}, {plain, "sm_121a", "8.8"},
		{keep, "sm_70", "7.4"}, {keep, "sm_90", "7.8"}, {tanh, "sm_75", "7.0"}, {grid, "sm_70", "6.3"},
	}
	for _, row := range rows {
		target, err := ptx.ParseTarget(row.target)
		if err != nil {
			t.Fatal(err)
		}
		m, err := emit(parse(t, row.program), target)
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", row.version, row.target)
		if m.Version != row.version || !strings.HasPrefix(m.Text, head) {
			t.Errorf("version %s on %s, want %s:\n%s", m.Version, row.target, row.version, m.Text)
		}
	}
}

func TestEmitNamesTheEntry(t *testing.T) {
	p := parse(t, "kernel @k.1 workgroup(32) { }")
	digest := p.Digest()
	rows := []struct{ label, want string }{
		{"", "k_1"},
		{"graph.Reach step-1", "graph_Reach_step_1"},
		{"9x", "_9x"},
		{strings.Repeat("a", 60), strings.Repeat("a", 48)},
	}
	for _, row := range rows {
		m, err := ptx.Compile(p, ptx.Target{SM: 70}, ptx.Options{Passes: asWritten.Passes, Label: row.label})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s_%x", row.want, digest[:4]); m.Kernels[0].Entry != want {
			t.Errorf("label %q gives entry %s, want %s", row.label, m.Kernels[0].Entry, want)
		}
	}
}

func TestParseTarget(t *testing.T) {
	for _, target := range ptx.Targets() {
		if got, err := ptx.ParseTarget(target.String()); err != nil || got != target {
			t.Errorf("%s reads as %v, %v", target, got, err)
		}
	}
	for _, bad := range []string{"", "sm_", "sm_a", "90", "sm_60", "sm_80a", "sm_90aa", "sm_100f", "sm_88a", "sm_090", "sm_90 ", "sm_+90", "compute_90", "SM_90"} {
		if got, err := ptx.ParseTarget(bad); err == nil {
			t.Errorf("%q reads as %v", bad, got)
		} else if !strings.Contains(err.Error(), "sm_70 ") {
			t.Errorf("%q: the error does not say what there is: %v", bad, err)
		}
	}
	if _, err := emit(parse(t, "kernel @k workgroup(32) { }"), ptx.Target{SM: 61}); err == nil {
		t.Error("Emit takes sm_61")
	}
}

// TestEmitKeepsTheSiteOfTraps: the site that code records is a row of the program that was compiled.
func TestEmitKeepsTheSiteOfTraps(t *testing.T) {
	p := parse(t, "kernel @k workgroup(32) { param @x: buf<f32> rw\n%l = local.x\n%v = load @x[%l]\n%e = exp.f32 %v\n%bad = lt.f32 %e, %v\ntrap %bad, 1_u64, #9\nstore @x[%l], %e\n}")
	m, err := emit(p, ptx.Target{SM: 90})
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels[0]
	for r := range ir.Row(k.Program.Rows()) {
		if k.Program.Op(r) == ir.OpTrap && !strings.Contains(m.Text, fmt.Sprintf("+8], %d;", r)) {
			t.Errorf("the trap is row %d of the compiled program, which stands nowhere in\n%s", r, m.Text)
		}
	}
}
