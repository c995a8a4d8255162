package front_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// golden runs every case of the archives in a directory: its Go files go to got, whose result must be section want. A
// case begins with a section "case NAME", or is the archive.
func golden(t *testing.T, dir string, got func(files []front.File, o front.Options) string) {
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata/%s: %v", dir, err)
	}
	for _, file := range files {
		all, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		goldenFile(t, file, string(all), got)
	}
}

// goldenFile runs the cases of a file.
func goldenFile(t *testing.T, file, all string, got func(files []front.File, o front.Options) string) {
	cases := strings.Split("\n"+all, "\n-- case ")
	if len(cases) == 1 {
		cases = append(cases, strings.TrimSuffix(filepath.Base(file), ".txtar")+" --"+strings.TrimSuffix(cases[0], "\n"))
	}
	for _, text := range cases[1:] {
		name, text, _ := strings.Cut(text, " --\n")
		text = strings.TrimSuffix(text, "\n") + "\n"
		t.Run(name, func(t *testing.T) {
			if strings.HasSuffix(name, "_long") {
				long.Only(t, "takes seconds")
			}
			a := txtar.Parse([]byte(text))
			var src []front.File
			o := front.Options{Packages: make(map[string][]front.File)}
			want := ""
			for _, s := range a.Files {
				switch path := filepath.Dir(s.Name); {
				case s.Name == "want":
					want = string(s.Data)
				case path == ".":
					src = append(src, front.File{Name: s.Name, Src: s.Data})
				default:
					o.Packages["example.com/"+path] = append(o.Packages["example.com/"+path], front.File{Name: s.Name, Src: s.Data})
				}
			}
			have := got(src, o)
			if have == want {
				return
			}
			if !*update {
				t.Fatalf("%s\ngot\n%s\nwant\n%s\nfirst difference: %s\nif it is right: go test ./internal/front -run %s -update",
					file, have, want, firstDifference(have, want), t.Name())
			}
			a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
			a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(have)})
			all = strings.Replace(all, text, string(txtar.Format(a)), 1)
			if err := os.WriteFile(file, []byte(all), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got " + g[i] + ", want " + w[i]
		}
	}
	return "one is longer"
}

// What small kernels become, row by row.
func TestAcceptedKernelsBecomeTheProgramsOfTheirArchives(t *testing.T) {
	golden(t, "accept", func(files []front.File, o front.Options) string {
		p, err := front.Parse(t.Context(), files, o)
		if err != nil {
			return err.Error() + "\n"
		}
		var out strings.Builder
		for _, k := range p.Kernels() {
			out.WriteString(strings.TrimPrefix(text.Of(k.Program), "vyre 1\n\n"))
		}
		return out.String()
	})
}

// Every refusal names the position, the code, what was found and what to write instead.
func TestRefusedKernelsGetTheFindingsOfTheirArchives(t *testing.T) {
	golden(t, "refuse", func(files []front.File, o front.Options) string {
		_, err := front.Parse(t.Context(), files, o)
		if err == nil {
			return "accepted\n"
		}
		var ds ir.Diags
		if errors.As(err, &ds) {
			speakGo(t, ds)
		}
		return err.Error() + "\n"
	})
}

// Warnings about Go kernels, and what keeps them from an old and small device, speak of what the reader wrote.
func TestAcceptedKernelsGetTheWarningsOfTheirArchives(t *testing.T) {
	golden(t, "warn", func(files []front.File, o front.Options) string {
		p, err := front.Parse(t.Context(), files, o)
		if err != nil {
			return err.Error() + "\n"
		}
		var out strings.Builder
		for _, k := range p.Kernels() {
			ds := verify.Program(k.Program, verify.Target{SM: 70, SharedBytes: 16})
			speakGo(t, ds)
			for _, d := range ds {
				out.WriteString(d.String() + "\n")
			}
		}
		return out.String()
	})
}

// The class is every call that all invocations have to make together: a finding about it names the call as it is in Go.
func TestCallsUnderDivergentControlAreNamedAsWritten(t *testing.T) {
	args := map[string]string{"Thread.FirstGroupsBarrier": "8", "Thread.FirstGroupsBarrierAdd": "8, 1", "Thread.FirstGroupsBarrierAdd64": "8, 1"}
	var body strings.Builder
	var calls []string
	for _, name := range front.ConvergentCalls() {
		method, isMethod := strings.CutPrefix(name, "Thread.")
		a := "t, v"
		switch {
		case args[name] != "":
			a = args[name]
		case strings.HasPrefix(name, "Shuffle"):
			a = "t, v, 1"
		case strings.HasSuffix(name, "Any") || strings.HasSuffix(name, "All") || method == "Ballot":
			a = "v > 3"
		case strings.Contains(name, "Add") && isMethod:
			a = "1"
		case isMethod:
			a = ""
		}
		call := "gpu." + name
		if isMethod {
			call = "t." + method
		}
		calls = append(calls, call)
		fmt.Fprintf(&body, "\t\t%s(%s)\n", call, a)
	}
	src := "package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\n//vyre:kernel workgroup=64\nfunc K(t gpu.Thread, y []uint32) {\n" +
		"\tif v := y[t.Global().X]; v > 3 {\n" + body.String() + "\t}\n}\n"
	_, err := front.Parse(t.Context(), []front.File{{Name: "k.go", Src: []byte(src)}}, front.Options{})
	var ds ir.Diags
	if !errors.As(err, &ds) || len(ds) != len(calls) {
		t.Fatalf("%d calls, %v", len(calls), err)
	}
	for i, d := range ds {
		if got, _, _ := strings.Cut(strings.TrimSuffix(d.Msg, "()"), " "); strings.TrimSuffix(got, "()") != calls[i] {
			t.Errorf("the finding about %s says %q", calls[i], d.Msg)
		}
	}
	speakGo(t, ds)
}

// textWords are those of the text form.
var textWords = regexp.MustCompile(`%[0-9a-zA-Z]|@|[_.](wg|grid|warp|first)\b|uniform|[0-9]_[iuf][0-9]|\b(atomic|load|reduce|scan|scan_ex)[._][a-z]|varying|at row`)

// speakGo checks that findings of the verifier have no words of the text form.
func speakGo(t *testing.T, ds ir.Diags) {
	t.Helper()
	for _, d := range ds {
		if text := d.String(); strings.HasPrefix(d.Code, "VY") && textWords.MatchString(text) {
			t.Errorf("words of the text form in %q", text)
		}
	}
}
