package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/bench/codegen/toolkit"
	"github.com/govyre/vyre/internal/ptx"
)

// unit is the work by which the hot loop of a kernel is divided: both sides unroll as they like.
type unit struct {
	name  string
	op    string // the instruction that tells how many units a round of the loop does; "" for kernels without a loop
	times int    // how many of them a unit has
}

// units are the kernels of the suite in the order of the table. A kernel is named as its function.
var units = []struct {
	kernel string
	unit
}{
	{"Saxpy", unit{}},
	{"Reduce", unit{}},
	{"ScanSums", unit{}},
	{"ScanStarts", unit{"vector", `^LDG`, 1}},
	{"ScanTiles", unit{}},
	{"Histogram", unit{"byte", `^ATOMS`, 1}},
	{"Transpose", unit{}},
	{"Stencil", unit{}},
	{"SpMV", unit{"entry", `^FFMA`, 1}},
	{"BFSLevel", unit{"arc", `^(RED|ATOMG)`, 1}},
	{"BitonicTile", unit{"pair", `^STS`, 2}},
	{"BitonicMerge", unit{"pair", `^STS`, 2}},
	{"BitonicStep", unit{}},
	{"SHA256", unit{}},
	{"BLAKE3", unit{}},
	{"Mandelbrot", unit{"round", `^FFMA`, 3}},
	{"NBody", unit{"body", `^MUFU\.RSQ`, 1}},
	{"SGEMM", unit{"column", `^FFMA`, 16}},
	{"Biquad", unit{"sample", `^STG`, 1}},
	{"EditDistance", unit{}},
	{"Convolve", unit{}},
	{"Queens", unit{}},
	{"CRC32", unit{}},
	{"Rays", unit{"triangle", `^MUFU\.RCP`, 1}},
	{"BlackScholes", unit{}},
	{"Softmax", unit{}},
	{"Planes", unit{}},
	{"PowMod", unit{}},
	{"Lookup", unit{}},
	{"Hook", unit{}},
	{"Flatten", unit{}},
	{"BitDistance", unit{}},
	{"Newton", unit{}},
	{"XXHash", unit{}},
	{"Life", unit{}},
	{"FloydDiagonal", unit{}},
	{"FloydCross", unit{}},
	{"FloydRest", unit{}},
	{"UTF8", unit{}},
	{"Huffman", unit{}},
	{"FIR", unit{}},
	{"Median", unit{}},
	{"Moments", unit{}},
	{"Solve", unit{}},
	{"Skeleton", unit{}},
	{"Nearest", unit{}},
	{"LogMatch", unit{}},
	{"Align", unit{}},
	{"LZ4", unit{}},
	{"IDCT", unit{}},
	{"Gravity", unit{}},
	{"Spline", unit{}},
	{"Flow", unit{}},
	{"ReedSolomon", unit{}},
	{"Ledger", unit{}},
	{"Viterbi", unit{}},
	{"NTT", unit{}},
	{"KMeans", unit{}},
	{"Bodies", unit{"body", `^MUFU\.RSQ`, 1}},
	{"Particles", unit{}},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sass:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := toolkit.Folder()
	if err != nil {
		return err
	}
	var t toolkit.Toolkit
	flag.StringVar(&t.Dir, "toolkit", folder, "folder of the toolkit; .ci/ptxas fills it")
	flag.IntVar(&t.SM, "sm", 90, "architecture")
	flag.StringVar(&t.Sources, "reference", "codegen/reference", "folder of the reference kernels")
	only := flag.String("only", "", "kernels that match")
	out := flag.String("out", "", "folder to keep PTX and machine code in")
	flag.Parse()
	choice, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if t.Work = *out; t.Work == "" {
		if t.Work, err = os.MkdirTemp("", "sass"); err != nil {
			return err
		}
		defer os.RemoveAll(t.Work)
	}
	if err := os.MkdirAll(t.Work, 0o777); err != nil {
		return err
	}
	kernels, err := codegen.Kernels()
	if err != nil {
		return err
	}
	files := make(map[string]string) // of reference kernels, by kernel
	for _, c := range codegen.Cases {
		for _, s := range c.Make(codegen.Launch).Steps {
			files[s.Kernel] = c.Reference
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ours / nvcc\thot loop per\tinstructions\tmemory\tkernel\tmemory\tregisters\tspills\t")
	built := make(map[string][2]map[string]*Function)
	for _, u := range units {
		if !choice.MatchString(u.kernel) {
			continue
		}
		name := files[u.kernel]
		if _, ok := built[name]; !ok {
			var both [2]map[string]*Function
			for i, contract := range [2]bool{true, false} {
				if both[i], err = reference(&t, name, contract); err != nil {
					return err
				}
			}
			built[name] = both
		}
		code, err := codegen.Compile(kernels[u.kernel].Program, ptx.Target{SM: t.SM})
		if err != nil {
			return err
		}
		all, err := assembled(&t, "vyre-"+u.kernel, code.Module.Text)
		if err != nil {
			return err
		}
		ours := all[code.Module.Kernels[0].Entry]
		a, b := built[name][0][u.kernel], built[name][1][u.kernel]
		line(w, u.kernel, u.unit, ours, slices.MinFunc([]*Function{a, b}, func(a, b *Function) int {
			x, y := a.Hot(u.unit), b.Hot(u.unit)
			return int(1000 * (x.Instructions - y.Instructions))
		}))
	}
	return w.Flush()
}

// reference returns the kernels of a file of reference kernels.
func reference(t *toolkit.Toolkit, name string, contract bool) (map[string]*Function, error) {
	text, err := t.Text(name, contract)
	if err != nil {
		return nil, err
	}
	base := "nvcc-" + name
	if !contract {
		base = "nofmad-" + name
	}
	return assembled(t, base, text)
}

// assembled returns the kernels of a text.
func assembled(t *toolkit.Toolkit, name, text string) (map[string]*Function, error) {
	code, report, err := t.Assemble(name, text)
	if err != nil {
		return nil, err
	}
	return Parse(code, report), nil
}

// line writes what is known of one kernel.
func line(w *tabwriter.Writer, name string, u unit, ours, theirs *Function) {
	per, a, b := "", ours.Hot(u), theirs.Hot(u)
	loop := func(x, y float64) string {
		if u.op == "" {
			return ""
		}
		return short(x) + " / " + short(y)
	}
	if u.op != "" {
		per = fmt.Sprintf("%s (%s / %s)", u.name, short(a.Units), short(b.Units))
	}
	x, y := ours.All(), theirs.All()
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s / %s\t%s / %s\t%d / %d\t%d / %d\t\n", name, per,
		loop(a.Instructions, b.Instructions), loop(a.Memory, b.Memory),
		short(x.Instructions), short(y.Instructions), short(x.Memory), short(y.Memory),
		ours.Registers, theirs.Registers, ours.Spills, theirs.Spills)
}

// short prints a number with at most one digit behind the point.
func short(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }
