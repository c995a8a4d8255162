package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/bench/codegen"
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
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	t := toolkit{}
	flag.StringVar(&t.dir, "toolkit", filepath.Join(cache, "vyre", "cuda-11.8"), "folder of the toolkit; .ci/ptxas fills it")
	flag.IntVar(&t.sm, "sm", 90, "architecture")
	flag.StringVar(&t.sources, "reference", "codegen/reference", "folder of the reference kernels")
	only := flag.String("only", "", "kernels that match")
	out := flag.String("out", "", "folder to keep PTX and machine code in")
	flag.Parse()
	choice, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if t.work = *out; t.work == "" {
		if t.work, err = os.MkdirTemp("", "sass"); err != nil {
			return err
		}
		defer os.RemoveAll(t.work)
	}
	if err := os.MkdirAll(t.work, 0o777); err != nil {
		return err
	}
	kernels, err := codegen.Kernels()
	if err != nil {
		return err
	}
	reference := make(map[string]string) // by kernel
	for _, c := range codegen.Cases {
		for _, s := range c.Make(codegen.Launch).Steps {
			reference[s.Kernel] = c.Reference
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ours / nvcc\thot loop per\tinstructions\tmemory\tkernel\tmemory\tregisters\tspills\t")
	built := make(map[string][2]map[string]*Function)
	for _, u := range units {
		if !choice.MatchString(u.kernel) {
			continue
		}
		name := reference[u.kernel]
		if _, ok := built[name]; !ok {
			var both [2]map[string]*Function
			for i, contract := range [2]bool{true, false} {
				if both[i], err = t.reference(name, contract); err != nil {
					return err
				}
			}
			built[name] = both
		}
		code, err := codegen.Compile(kernels[u.kernel].Program, ptx.Target{SM: t.sm})
		if err != nil {
			return err
		}
		all, err := t.assemble("vyre-"+u.kernel, code.Module.Text)
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
