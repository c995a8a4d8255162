package front_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
)

// All kernels of package cases, from source to sealed programs. The budget is 20 ms for 500 lines.
func BenchmarkParse(b *testing.B) {
	names, err := filepath.Glob("internal/cases/*.go")
	if err != nil {
		b.Fatal(err)
	}
	var files []front.File
	lines := 0
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		lines += bytes.Count(src, []byte("\n"))
		files = append(files, front.File{Name: name, Src: src})
	}
	rows := 0
	for b.Loop() {
		p, err := front.Parse(b.Context(), files, front.Options{})
		if err != nil {
			b.Fatal(err)
		}
		rows = 0
		for _, k := range p.Kernels() {
			rows += k.Program.Rows()
		}
	}
	b.ReportMetric(float64(lines), "lines")
	b.ReportMetric(float64(rows), "rows")
}

// One switch of 5000 cases: the time for each case must not grow with their number.
func BenchmarkSwitch(b *testing.B) {
	for _, n := range []int{1250, 2500, 5000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var src strings.Builder
			src.WriteString("package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\n//vyre:kernel workgroup=32\nfunc K(t gpu.Thread, x, y []int32) {\n\tr := int32(0)\n\tswitch x[t.Global().X] {\n")
			for i := range n {
				fmt.Fprintf(&src, "\tcase %d:\n\t\tr += %d\n", i, i*7)
			}
			src.WriteString("\t}\n\ty[t.Global().X] = r\n}\n")
			files := []front.File{{Name: "k.go", Src: []byte(src.String())}}
			for b.Loop() {
				if _, err := front.Parse(b.Context(), files, front.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/case")
		})
	}
}
