package product_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/prim/internal/product"
)

var forms = []struct {
	name    string
	program func() (*ir.Program, error)
	least   int // architecture
}{
	{"f16", product.Float16sProgram, 80}, {"bf16", product.BFloat16sProgram, 80}, {"tf32", product.Float32sProgram, 80}, {"f64", product.Float64sProgram, 70},
	{"i8", product.Int8sProgram, 70}, {"u8", product.Uint8sProgram, 70}, {"b1", product.BitsProgram, 70},
}

// The assembler takes the kernels as package prim specialises them, and their registers are enough. Quick tests assemble a few.
func TestKernelsAssemble(t *testing.T) {
	assembler, n := needs.PTXAS(t), 0
	every := long.Every(97, 1)
	for _, form := range forms {
		p, err := form.program()
		if err != nil {
			t.Fatal(err)
		}
		for turns := range uint64(4) {
			for _, fragments := range []uint64{2, 4} {
				for _, arch := range []int{70, 75, 80, 90} {
					if n++; arch < form.least || n%every != 0 || form.name == "f64" && arch < 80 && fragments == 4 { // which prim does not take
						continue
					}
					assemble(t, assembler, fmt.Sprint(form.name, ", turned ", turns, ", fragments ", fragments), p, arch, map[string]uint64{"rows": fragments, "cols": fragments,
						"staged": uint64(arch / 80), "turnA": turns & 1, "turnB": turns >> 1})
				}
			}
		}
	}
}

var spills = regexp.MustCompile(`(\d+) bytes spill stores`)

func assemble(t *testing.T, assembler, what string, p *ir.Program, arch int, scalars map[string]uint64) {
	t.Helper()
	for _, q := range p.Params() {
		if q.Name == "narrow" {
			scalars["narrow"] = scalars["turnA"]
		}
	}
	special, err := build.Specialise(p, build.Specialisation{Scalars: scalars, Align: map[string]int{"a": 16, "b": 16}})
	if err != nil {
		t.Fatal(err)
	}
	target, err := ptx.ParseTarget(fmt.Sprint("sm_", arch))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Compile(special, target, ptx.Options{})
	if err != nil {
		t.Fatalf("%s, sm_%d: %v", what, arch, err)
	}
	file := filepath.Join(t.TempDir(), "product.ptx")
	if err := os.WriteFile(file, []byte(m.Text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), assembler, "-v", "-arch", fmt.Sprint("sm_", arch), "-o", file+".cubin", file).CombinedOutput()
	found := spills.FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%s, sm_%d: %v: %s", what, arch, err, out)
	}
	if bytes, err := strconv.Atoi(string(found[1])); err != nil || bytes > 64 {
		t.Errorf("%s, sm_%d: an invocation spills %d bytes: %s", what, arch, bytes, out)
	}
}
