package ptx_test

import (
	"context"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestPassesShortenMachineCode counts the machine instructions of kernels that show what a pass is worth: files
// testdata/machine/<kernel>.txtar, with the sections
//
//	program       one kernel, or kernel.go with one in Go
//	without       a pass whose absence is counted as well; none if left out
//	count         what to count beside instructions: inLoops, those between a branch and its target before it; inFirst, those
//	              in the first loop to end; branches; shortest, those on the shortest way through, whatever the conditions
//	order         what has to stand before what in the machine code: lines "N FIRST THEN", the N-th instruction that
//	              matches the one expression before the first that matches the other
//	instructions  how many there are, for sm_90 by ptxas 11.8
func TestPassesShortenMachineCode(t *testing.T) {
	long.Only(t, "assembles kernels and counts their machine instructions")
	ptxas := needs.PTXAS(t)
	if release := releaseOf(t.Context(), t, ptxas); release != "11.8" {
		needs.Missing(t, "VYRE_PTXAS", "the counts are of ptxas 11.8, which .ci/ptxas gets; this is "+release)
	}
	files, err := filepath.Glob("testdata/machine/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels: ", err)
	}
	// All are one module: the disassembler takes half a second to start.
	type kernel struct {
		archive   *txtar.Archive
		section   map[string]string
		all, less int // numbers of texts, with all passes and without one; -1 for none
	}
	kernels := make(map[string]kernel)
	var texts []string
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := kernel{archive, make(map[string]string), 0, -1}
		for _, f := range archive.Files {
			k.section[f.Name] = string(f.Data)
		}
		p := machineProgram(t, file, k.section)
		add := func(choice compile.Choice) int {
			m, err := ptx.Compile(p, ptx.Target{SM: 90}, ptx.Options{Passes: choice, Label: fmt.Sprintf("k%d", len(texts))})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			texts = append(texts, m.Text)
			return len(texts) - 1
		}
		k.all = add(compile.Choice{})
		if pass := strings.TrimSpace(k.section["without"]); pass != "" {
			k.less = add(compile.Choice{Disable: []string{pass}})
		}
		kernels[file] = k
	}
	listings := machineCode(t.Context(), t, ptxas, texts)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, section := kernels[file].archive, kernels[file].section
			count := strings.Fields(section["count"])
			code, labels := instructions(listings[kernels[file].all])
			got := counts(code, labels, count) + "\n"
			if i := kernels[file].less; i >= 0 {
				less, labels := instructions(listings[i])
				got = fmt.Sprintf("%s, without %s %s\n", strings.TrimSpace(got), strings.TrimSpace(section["without"]), counts(less, labels, count))
			}
			for line := range strings.Lines(section["order"]) {
				var n int
				var first, then string
				if _, err := fmt.Sscan(line, &n, &first, &then); err != nil {
					t.Fatalf("order: %q: want N FIRST THEN", line)
				}
				if a, b := position(code, first, n), position(code, then, 1); a < 0 || b < 0 || a > b {
					t.Errorf("%d %s stands at %d, %s at %d, in\n%s", n, first, a, then, b, strings.Join(code, "\n"))
				}
			}
			if got == section["instructions"] {
				return
			}
			if !*update {
				t.Errorf("machine instructions: %swant %s(-update accepts them)", got, section["instructions"])
				return
			}
			kept := archive.Files[:0]
			for _, f := range archive.Files {
				if f.Name != "instructions" {
					kept = append(kept, f)
				}
			}
			archive.Files = append(kept, txtar.File{Name: "instructions", Data: []byte(got)})
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// machineProgram is the kernel of a file.
func machineProgram(t *testing.T, file string, section map[string]string) *ir.Program {
	if source, ok := section["kernel.go"]; ok {
		pkg, err := front.Parse(t.Context(), []front.File{{Name: "kernel.go", Src: []byte(source)}}, front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return pkg.Kernels()[0].Program
	}
	ps, err := text.Parse(file, "vyre 1\n"+section["program"])
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

var branchTarget = regexp.MustCompile("^(?:@!?U?P[0-9T]+ )?BRA.*`\\((\\.L_\\w+)\\)")

// counts says how many instructions there are, and of those asked for.
func counts(code []string, labels map[string]int, of []string) string {
	inside, branches, inLoops, inFirst := make([]bool, len(code)), 0, 0, 0
	for i, in := range code {
		m := branchTarget.FindStringSubmatch(in)
		if m == nil || labels[m[1]] == i { // the last, to itself, pads the end
			continue
		}
		branches++
		for at := labels[m[1]]; at <= i; at++ {
			inside[at] = true
		}
		if inFirst == 0 {
			inFirst = max(0, i+1-labels[m[1]])
		}
	}
	for _, in := range inside {
		if in {
			inLoops++
		}
	}
	s := strconv.Itoa(len(code))
	if len(of) > 0 {
		s += " ("
		for i, what := range of {
			if i > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%s %d", what, map[string]int{"inLoops": inLoops, "inFirst": inFirst, "branches": branches, "shortest": shortest(code, labels)}[what])
		}
		s += ")"
	}
	return s
}

// shortest returns how many instructions run at least if every condition may be as it likes.
func shortest(code []string, labels map[string]int) int {
	steps := make([]int, len(code)+1) // from each instruction to the end
	for i := range steps {
		steps[i] = 1 << 30
	}
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			n := steps[i+1] + 1
			if m := branchTarget.FindStringSubmatch(code[i]); m != nil && strings.HasPrefix(code[i], "@") {
				n = min(n, steps[labels[m[1]]]+1)
			} else if m != nil {
				n = steps[labels[m[1]]] + 1
			} else if strings.HasPrefix(code[i], "EXIT") {
				n = 1
			}
			if n < steps[i] {
				steps[i], changed = n, true
			}
		}
	}
	return steps[0]
}

// position returns where the n-th instruction stands that matches, negative if there are not so many.
func position(code []string, pattern string, n int) int {
	re := regexp.MustCompile(pattern)
	for i, in := range code {
		if re.MatchString(in) {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}

var sassLine = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+([^;]*);`)

// machineCode returns what the disassembler lists of each of some texts, whose kernels are called k0, k1 and so on.
func machineCode(ctx context.Context, t *testing.T, ptxas string, texts []string) []string {
	version := "" // the highest; what else stands in front of kernels is the same everywhere
	var head, module strings.Builder
	for _, text := range texts {
		for line := range strings.Lines(text) {
			switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case ".version":
				version = max(version, line)
			case ".target", ".address_size", ".extern":
				if !strings.Contains(head.String(), line) {
					head.WriteString(line)
				}
			default:
				module.WriteString(line)
			}
		}
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ptx"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(in, []byte(version+head.String()+module.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if log, err := exec.CommandContext(ctx, ptxas, "-arch", "sm_90", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, log, module.String())
	}
	all, err := exec.CommandContext(ctx, needs.Disassembler(t), "-c", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	listings := make([]string, len(texts))
	for _, s := range strings.Split(string(all), "\t.section\t.text.")[1:] {
		var i int
		if _, err := fmt.Sscanf(s, "k%d_", &i); err != nil {
			t.Fatalf("the listing of a kernel that is none of ours: %.40s", s)
		}
		listings[i] = s
	}
	return listings
}

// instructions returns the machine instructions of a kernel, without the padding after its end, and by label the number of
// the instruction after it.
func instructions(listing string) ([]string, map[string]int) {
	var code []string
	labels := make(map[string]int)
	for line := range strings.Lines(listing) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); ok {
			labels[name] = len(code)
		}
		if in := sassLine.FindStringSubmatch(line); in != nil && !strings.HasPrefix(in[2], "NOP") {
			code = append(code, strings.TrimSpace(in[2]))
		}
	}
	return code, labels
}

// Go's own code for P-256 is shorter by a seventh with chains of carries, whatever it does, or by more.
func TestCarriesShortenFieldCode(t *testing.T) {
	long.Only(t, "assembles kernels and counts their machine instructions")
	ptxas := needs.PTXAS(t)
	text, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", "crypto", "internal", "fips140", "nistec", "fiat", "p256_fiat64.go"))
	if err != nil {
		t.Skipf("this Go comes without its source: %v", err)
	}
	var texts []string
	for _, call := range []string{"Mul(&z, &a, &b)", "Square(&z, &a)", "Add(&z, &a, &b)", "Sub(&z, &a, &b)"} {
		kernel := `package fiat

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=128
func Field(t gpu.Thread, x, y, out [][4]uint64) {
	i := t.Global().X
	if i >= uint32(len(out)) {
		return
	}
	var z p256MontgomeryDomainFieldElement
	a, b := p256MontgomeryDomainFieldElement(x[i]), p256MontgomeryDomainFieldElement(y[i])
	_ = b
	p256` + call + `
	out[i] = z
}`
		pkg, err := front.Parse(t.Context(), []front.File{{Name: "fiat.go", Src: text}, {Name: "kernel.go", Src: []byte(kernel)}}, front.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, without := range [][]string{nil, {"ptx.carries"}} {
			m, err := ptx.Compile(pkg.Kernels()[0].Program, ptx.Target{SM: 90}, ptx.Options{Passes: compile.Choice{Disable: without}, Label: fmt.Sprintf("k%d", len(texts))})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, m.Text)
		}
	}
	listings := machineCode(t.Context(), t, ptxas, texts)
	for i, name := range []string{"product", "square", "sum", "difference"} {
		with, _ := instructions(listings[2*i])
		without, _ := instructions(listings[2*i+1])
		t.Logf("%s: %d instructions, %d without", name, len(with), len(without))
		if 7*len(with) > 6*len(without) {
			t.Errorf("%s: %d instructions, and %d without chains of carries", name, len(with), len(without))
		}
	}
}
