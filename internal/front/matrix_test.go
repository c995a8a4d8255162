package front_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/needs"
)

// Arrays of fragments and accumulators that loops index become registers.
func TestBlocksOfAccumulatorsAreRegisters(t *testing.T) {
	pkg := loadCases(t)
	for _, name := range []string{"MatrixTiles", "MatrixBlock24", "MatrixBlock44", "MatrixBlock48"} {
		k := pkg.Lookup(name)
		_, report, err := opt.Run(k.Program, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range report.Notes {
			if strings.HasPrefix(n.Msg, "array") {
				t.Errorf("%s: %s", name, n.Msg)
			}
		}
		for _, sm := range []int{80, 90} {
			m, err := ptx.Compile(k.Program, ptx.Target{SM: sm}, ptx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(m.Text, ".local") || !strings.Contains(m.Text, "mma.sync") {
				t.Errorf("%s for sm_%d has local memory, or no products:\n%s", name, sm, m.Text)
			}
		}
	}
}

// The assembler finds registers for them, too.
func TestBlocksOfAccumulatorsTakeNoStack(t *testing.T) {
	ptxas, pkg := needs.PTXAS(t), loadCases(t)
	for _, name := range []string{"MatrixBlock24", "MatrixBlock44", "MatrixBlock48"} {
		m, err := ptx.Compile(pkg.Lookup(name).Program, ptx.Target{SM: 90}, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(file, []byte(m.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		log, err := exec.CommandContext(t.Context(), ptxas, "-v", "-arch=sm_90", "-o", file+".cubin", file).CombinedOutput()
		if err != nil || !strings.Contains(string(log), " 0 bytes stack frame, 0 bytes spill stores") {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
}

// A block that has to stay in memory is named.
func TestBlocksThatStayInMemoryAreNamed(t *testing.T) {
	for says, source := range map[string]string{
		"the index at k.go:11:": `
//vyre:kernel workgroup=32
func K(t gpu.Thread, n uint32, a []int8, c []int32) {
	s := gpu.Shape{Rows: 64, Cols: 64, Stride: 64}
	var acc [4]gpu.Acc[int32]
	fb := gpu.LoadB(t, a, s, 0, 0)
	for k := uint32(0); k < n; k++ {
		acc[k%4] = gpu.MulAdd(t, gpu.LoadA(t, a, s, 0, k), fb, acc[k%4])
	}
	for i := range acc { gpu.StoreAcc(t, c, s, 0, 8*uint32(i), acc[i]) }
}
`,
		"one too many of those that can be values, 256": `
//vyre:kernel workgroup=32
func K(t gpu.Thread, a []int8, c []int32) {
	s := gpu.Shape{Rows: 64, Cols: 64, Stride: 64}
	var acc [65]gpu.Acc[int32]
	fa, fb := gpu.LoadA(t, a, s, 0, 0), gpu.LoadB(t, a, s, 0, 0)
	for i := range acc {
		acc[i] = gpu.MulAdd(t, fa, fb, acc[i])
	}
	for i := range acc { gpu.StoreAcc(t, c, s, 0, 8*uint32(i), acc[i]) }
}
`,
	} {
		text := []byte("package k\n\nimport \"github.com/govyre/vyre/gpu\"\n" + source)
		pkg, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: text}}, front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, report, err := opt.Run(pkg.Kernels()[0].Program, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		named := false
		for _, n := range report.Notes {
			named = named || strings.HasPrefix(n.Msg, "array acc.V is in local memory") && strings.Contains(n.Msg, says)
		}
		if !named {
			t.Errorf("no note has %q: %+v", says, report.Notes)
		}
	}
}
