package exact_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// docs/evidence has a file for each type, with a row for each accurate function, of which the tables of docs/accuracy.md
// are made. Ordinary runs hold each row to what can be seen at once: the promise, the error at the argument named there;
// with -long also the length, where there is a ptxas. With -page the rows are measured and written.
func accuracyFile(typ ir.Type) string { return fmt.Sprintf("../../docs/evidence/accuracy-%v.csv", typ) }

var writePage = flag.String("page", "", "measure and write rows of docs/evidence/accuracy-*.csv: f32 (all arguments with -long -exhaustive, else -samples), f64 (-samples), length")

// pageRow is a row: `exp.f32`, promise, error, argument, how many arguments were tried, length.
var pageRow = regexp.MustCompile("(?m)^`([a-z0-9]+)\\.(f32|f64)`,([0-9.]+),([0-9.]+),\"?`([^`]*)`\"?,([^,]*),([0-9]+)$")

type accuracyRow struct {
	promise, ulps, at, tried string
	length                   int
}

func readRows(t *testing.T, page []byte) map[string]accuracyRow {
	rows := map[string]accuracyRow{}
	for _, m := range pageRow.FindAllSubmatch(page, -1) {
		n, _ := strconv.Atoi(string(m[7])) // digits, as the expression says
		rows[string(m[1])+"."+string(m[2])] = accuracyRow{string(m[3]), string(m[4]), string(m[5]), string(m[6]), n}
	}
	return rows
}

func (r accuracyRow) line(name string) string {
	at := "`" + r.at + "`"
	if strings.Contains(at, ",") {
		at = `"` + at + `"`
	}
	return fmt.Sprintf("`%s`,%s,%s,%s,%s,%d", name, r.promise, r.ulps, at, r.tried, r.length)
}

func TestAccuracyPage(t *testing.T) {
	lengths := map[ir.Type]map[ir.Op]int{}
	if long.Enabled() || *writePage == "length" {
		t.Run("lengths", func(t *testing.T) {
			tools := machineCode{needs.PTXAS(t), needs.Disassembler(t)}
			lengths[ir.F32], lengths[ir.F64] = tools.lengths(t, ir.F32), tools.lengths(t, ir.F64)
		})
	}
	for _, typ := range []ir.Type{ir.F32, ir.F64} {
		page, err := os.ReadFile(accuracyFile(typ))
		if err != nil {
			t.Fatal(err)
		}
		rows := readRows(t, page)
		for _, f := range accurates {
			name := f.op.String() + "." + typ.String()
			row, is := rows[name]
			if !is {
				t.Errorf("%s has no row for %s", accuracyFile(typ), name)
				continue
			}
			now := row
			if *writePage == typ.String() && f.named() {
				now.measure(t, f, typ)
			}
			length, counted := lengths[typ][f.op]
			if counted && *writePage == "length" {
				now.length = length
			}
			page = bytes.Replace(page, []byte(row.line(name)), []byte(now.line(name)), 1)
			t.Run(name, func(t *testing.T) { now.hold(t, f, typ) })
			if counted && length != now.length {
				t.Errorf("%s: %d machine instructions, and %s says %d; write it with -page=length", name, length, accuracyFile(typ), now.length)
			}
		}
		if *writePage == "" {
			continue
		}
		if err := os.WriteFile(accuracyFile(typ), page, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// measure finds the greatest error.
func (r *accuracyRow) measure(t *testing.T, f accurate, typ ir.Type) {
	var w worst
	switch {
	case typ == ir.F32 && long.Exhaustive():
		w, _ = sweep(t, f)
	case typ == ir.F32:
		w.sample32(f, sampleCount(150_000, 1<<24))
	default:
		g := rand.New(rand.NewPCG(1, uint64(f.op)))
		for range sampleCount(1500, 100_000) {
			w.sample64(f, g)
		}
	}
	r.promise = strconv.FormatFloat(f.bound, 'g', -1, 64)
	r.ulps = strconv.FormatFloat(math.Ceil(w.ulps*1000)/1000, 'f', 3, 64)
	r.tried = strconv.Itoa(w.count)
	if w.count == 1<<32 {
		r.tried = "all 2³²"
	}
	r.at = hex(w.x)
	if f.binary() {
		r.at += ", " + hex(w.y)
	}
}

func hex(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// hold compares the row with the promise, and with the error at its argument.
func (r accuracyRow) hold(t *testing.T, f accurate, typ ir.Type) {
	if want := strconv.FormatFloat(f.bound, 'g', -1, 64); r.promise != want {
		t.Errorf("the page promises %s ulp, the language %s", r.promise, want)
	}
	xs, ys, _ := strings.Cut(r.at, ", ")
	x, err := strconv.ParseFloat(xs, 64)
	y, err2 := 1.0, error(nil)
	if f.binary() {
		y, err2 = strconv.ParseFloat(ys, 64)
	}
	if err != nil || err2 != nil {
		t.Fatalf("the argument %q is no number", r.at)
	}
	got, said := f.errorAt(typ, x, y), 0.0
	if said, err = strconv.ParseFloat(r.ulps, 64); err != nil || !(math.Abs(got-said) <= 0.001) || said > f.bound {
		t.Errorf("at %s the error is %.4f ulp, and %s says %s; measure it again with -page=%v", r.at, got, accuracyFile(typ), r.ulps, typ)
	}
}

// errorAt is the error of f for one argument, or pair.
func (f accurate) errorAt(typ ir.Type, x, y float64) float64 {
	bits := exact.Eval(f.op, typ, typ, 0, raw(typ, x), raw(typ, y), 0)
	if typ == ir.F64 {
		if want := f.want64(x, y); want != nil {
			return ulps64(math.Float64frombits(bits), want)
		}
		return math.NaN()
	}
	if f.binary() {
		return ulps32(math.Float32frombits(uint32(bits)), f.two64(x, y))
	}
	return ulps32(math.Float32frombits(uint32(bits)), f.one64(x))
}

// machineCode are the paths of ptxas and nvdisasm.
type machineCode struct{ ptxas, nvdisasm string }

// lengths says how many instructions the kernel out[i] = f(x[i]) has more than out[i] = x[i], for each f; of two operands,
// one more than out[i] = x[i] + y[i] has. All are assembled at once.
func (m machineCode) lengths(t *testing.T, typ ir.Type) map[ir.Op]int {
	var src strings.Builder
	kernel := func(name, body, result string) {
		fmt.Fprintf(&src, `
kernel @%[2]s workgroup(64) {
  param @x: buf<%[1]v> ro
  param @y: buf<%[1]v> ro
  param @out: buf<%[1]v> wo
  %%g = global.x
  %%x = load @x[%%g]
  %%y = load @y[%%g]
  %[3]s
  store @out[%%g], %[4]s
}
`, typ, name, body, result)
	}
	src.WriteString("vyre 1\n")
	kernel("copy", "", "%x")
	kernel("sum", fmt.Sprintf("%%r = add.%v %%x, %%y", typ), "%r")
	for _, f := range accurates {
		args := "%x"
		if f.binary() {
			args = "%x, %y"
		}
		kernel("f_"+f.op.String(), fmt.Sprintf("%%r = %v.%v %s", f.op, typ, args), "%r")
	}
	code := m.instructions(t, src.String())
	lengths := map[ir.Op]int{}
	for _, f := range accurates {
		lengths[f.op] = code["f_"+f.op.String()] - code["copy"]
		if f.binary() {
			lengths[f.op] = code["f_"+f.op.String()] - code["sum"] + 1
		}
	}
	return lengths
}

var (
	section     = regexp.MustCompile(`^\s*\.section\s+\.text\.([A-Za-z0-9_]+)`)
	instruction = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\S+\s+)?([A-Z0-9_]+)`)
)

// instructions assembles the programs of a text for sm_90 and counts the instructions of each, functions of the assembler's own
// with them, and without padding.
func (m machineCode) instructions(t *testing.T, src string) map[string]int {
	ps, err := text.Parse("kernels", src)
	if err != nil {
		t.Fatal(err)
	}
	module, err := ptx.CompileModule(ps, ptx.Target{SM: 90}, ptx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cubin := filepath.Join(t.TempDir(), "k.cubin")
	cmd := exec.Command(m.ptxas, "-arch=sm_90", "-o", cubin, "-")
	cmd.Stdin = strings.NewReader(module.Text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ptxas: %v\n%s", err, out)
	}
	out, err := exec.Command(m.nvdisasm, "--print-code", cubin).Output()
	if err != nil {
		t.Fatalf("nvdisasm: %v", err)
	}
	counts, in := map[string]int{}, ""
	for line := range strings.Lines(string(out)) {
		if s := section.FindStringSubmatch(line); s != nil {
			in = s[1]
		} else if i := instruction.FindStringSubmatch(line); i != nil && i[2] != "NOP" {
			counts[in]++
		}
	}
	for i, k := range module.Kernels {
		counts[ps[i].Name()] = counts[k.Entry]
	}
	return counts
}
