package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/needs"
)

// The command starts itself to time processes, and here that is the test binary.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-first") {
		main()
		return
	}
	os.Exit(m.Run())
}

// lines runs the command on the simulated device and returns what it prints. Which bounds are kept there says nothing.
func lines(t *testing.T, args ...string) []string {
	t.Helper()
	o, err := parse(append([]string{"-device", "cuda-sim", "-tiny", "-blocks", "2", "-samples", "4", "-starts", "2"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	all := verdictOf(run(context.Background(), o, &out, &log))
	if failed := strings.Contains(out.String(), "verdict=fail"); log.Len() > 0 || failed != (all == "fail") {
		t.Errorf("exit status means %s: %s\n%s", all, &log, &out)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func verdictOf(status int) string {
	return map[int]string{0: "pass", 1: "fail", 2: "nothing measured"}[status]
}

func TestNothingMeasuredIsNoSuccess(t *testing.T) {
	o, err := parse([]string{"-device", "cuda-sim", "-only", "^nothing$"})
	if err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if got := run(context.Background(), o, &out, &log); got != 2 {
		t.Errorf("exit status %d: %s%s", got, &out, &log)
	}
}

// verdicts returns the verdict of each name.
func verdicts(lines []string) map[string]string {
	m := map[string]string{}
	for _, l := range lines {
		if f := regexp.MustCompile(`^vyrebench v=1 name=(\S+) .*verdict=(\S+)`).FindStringSubmatch(l); f != nil {
			m[f[1]] = f[2]
		}
	}
	return m
}

func TestWithoutACSideNothingThatNeedsOnePasses(t *testing.T) {
	got := verdicts(lines(t))
	for _, name := range []string{"P1", "P1-changed", "P1-start", "launch-wait", "P2", "P3", "P5", "P6", "P7", "P4-up-0MiB", "start"} {
		if got[name] != "skip" {
			t.Errorf("%s: verdict %q, want skip", name, got[name])
		}
	}
	for _, name := range []string{"P8-run", "leak", "P12", "P13-empty-ns", "P13-spin-ns", "P13-few", "P16"} {
		if got[name] == "" {
			t.Errorf("%s has no verdict", name)
		}
	}
}

// buildReference builds the C side and a driver without a GPU for it.
func buildReference(t *testing.T) (program string) {
	t.Helper()
	cc := needs.Compiler(t)
	dir := t.TempDir()
	program, lib := filepath.Join(dir, "reference"), filepath.Join(dir, "libfake.so")
	for _, args := range [][]string{
		{"-O2", "-Wall", "-Wextra", "-Werror", "-o", program, "reference/reference.c", "-ldl"},
		{"-shared", "-fPIC", "-o", lib, "testdata/libfake.c"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("cc %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	t.Setenv("VYRE_CUDA_LIBRARY", lib)
	return program
}

func TestBothSidesTakePart(t *testing.T) {
	all := lines(t, "-reference", buildReference(t))
	got := verdicts(all)
	for _, name := range []string{"P1", "P1-changed", "P1-start", "launch-wait", "P2", "P3", "P5", "P7", "P4-up-0MiB", "P4-down-0MiB"} {
		if got[name] != "fail" && got[name] != "pass" {
			t.Errorf("%s: verdict %q", name, got[name])
		}
		if c := "name=" + name + " side=c "; !slices.ContainsFunc(all, func(l string) bool { return strings.Contains(l, c) }) {
			t.Errorf("no line has %q", c)
		}
	}
	for _, name := range []string{"start-cold", "start-warm", "start-bundle"} {
		if c := "name=" + name + " side=c "; !slices.ContainsFunc(all, func(l string) bool { return strings.Contains(l, c) }) {
			t.Errorf("no line has %q", c)
		}
	}
	if got["P6"] != "skip" {
		t.Errorf("without the vendor's kernel P6 is %q", got["P6"])
	}
	if got := verdicts(lines(t, "-reference", buildReference(t), "-gridsync", "budget_test.go", "-only", "P6"))["P6"]; got != "fail" && got != "pass" {
		t.Errorf("with it P6 is %q", got)
	}
}

// Sides of libraries are those that start, and of the measures those that they have; they judge nothing.
func TestLibrariesTakePart(t *testing.T) {
	needs.Tool(t, "python3")
	script := filepath.Join(t.TempDir(), "side.py")
	text := `import sys
if sys.argv[1] == "torch": sys.exit("no module named torch")
print("ready", flush=True)
for line in sys.stdin: print("ok 3 1.0 2.0 3.0" if line.startswith(("launches", "batch")) else "skip it has none", flush=True)`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(lines(t, "-python", script, "-only", "^(P2|P3|P5|P7|P12|P13-few)$"), "\n")
	for name, want := range map[string]bool{"P2 side=cupy": true, "P3 side=cupy": true, "P5 side=cupy": false, "P7 side=cupy": false, "P2 side=torch": false, "P12 side=cupy": true, "P12 side=dispatch": true, "P13-few side=cupy": false, "P13-few side=chain": true, "torch verdict=skip": true} {
		if strings.Contains(all, "name="+name+" ") != want {
			t.Errorf("a line of %q: %v, want %v:\n%s", name, !want, want, all)
		}
	}
}

func TestACSideThatBreaksOffIsAnError(t *testing.T) {
	program := buildReference(t)
	ref, err := startReference("c", program, "reference/reference.c", "empty", "copy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ref.block("unheard-of", 3, ""); err == nil || !strings.Contains(err.Error(), "has no unheard-of") {
		t.Errorf("an unknown measure: %v", err)
	}
	if err := ref.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := ref.block("launches", 3, "2"); err == nil {
		t.Error("a dead process answers")
	}
	if err := ref.close(); err != nil {
		t.Errorf("it is closed twice: %v", err)
	}
	if _, err := startReference("sh", "sh", "-c", "echo first >&2; echo no such library >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "no such library") {
		t.Errorf("a side that says why it cannot begin: %v", err)
	}
}

func TestStartsOfOneLaunchAreCallsThatTheCSideKnows(t *testing.T) {
	calls := startCalls()
	if !strings.Contains(calls, "cuGraphLaunch") {
		t.Fatalf("Start makes the calls %q", calls)
	}
	ref, err := startReference("c", buildReference(t), "reference/reference.c", "empty", "copy")
	if err != nil {
		t.Fatal(err)
	}
	defer ref.close()
	name, args, _ := strings.Cut(calls, " ")
	if b, err := ref.block(name, 10, args); err != nil || b.n != 10 {
		t.Errorf("%s: %+v, %v", calls, b, err)
	}
}

func TestBlocksAreSummarisedByMedians(t *testing.T) {
	b := together([]block{blockOf([]float64{3, 1, 2}), blockOf([]float64{10, 30, 20}), blockOf([]float64{5, 5, 5})})
	if b.n != 9 || b.min != 1 || b.p50 != 5 || b.p99 != 5 {
		t.Errorf("%+v", b)
	}
}

func TestBoundsAreOfThreeKinds(t *testing.T) {
	for _, c := range []struct {
		name     string
		bound    bound
		ours, c  float64
		ratio    float64
		ok       bool
		limitMin float64
	}{
		{"at most a ratio", bound{most: 1.05}, 104, 100, 1.04, true, 1.05},
		{"more than the ratio", bound{most: 1.05}, 106, 100, 1.06, false, 1.05},
		{"some nanoseconds more", bound{more: 150}, 1140, 1000, 1.14, true, 1.15},
		{"more than those", bound{more: 150}, 1160, 1000, 1.16, false, 1.15},
		{"as fast as", bound{speed: 0.95}, 100, 96, 0.96, true, 0.95},
		{"slower than", bound{speed: 0.95}, 100, 94, 0.94, false, 0.95},
	} {
		t.Run(c.name, func(t *testing.T) {
			ratio, limit, ok := c.bound.judge(c.ours, c.c)
			if ratio != c.ratio || limit != c.limitMin || ok != c.ok {
				t.Errorf("ratio %v, bound %v, %v", ratio, limit, ok)
			}
		})
	}
}

func TestLinesAreAsTheyAreRead(t *testing.T) {
	var got []string
	p := &printer{write: func(l string) { got = append(got, l) }, suffix: `gpu="G" driver=13000 commit=abc`}
	p.side("P2", "vyre", block{n: 20, min: 1.4, p50: 2, p99: 3, allocs: 0})
	p.side("P2", "c", block{n: 20, min: 1, p50: 2, p99: 3})
	p.ratio("P2", 1.0211, 1.05, true)
	p.skip("P6", "no %s", "compiler")
	want := []string{
		`vyrebench v=1 name=P2 side=vyre n=20 min_ns=1 p50_ns=2 p99_ns=3 allocs=0 gpu="G" driver=13000 commit=abc`,
		`vyrebench v=1 name=P2 side=c n=20 min_ns=1 p50_ns=2 p99_ns=3 gpu="G" driver=13000 commit=abc`,
		`vyrebench v=1 name=P2 ratio=1.021 bound=1.05 verdict=pass`,
		`vyrebench v=1 name=P6 verdict=skip reason="no compiler"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
