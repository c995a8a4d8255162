package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain keeps nothing of what tests ask.
func TestMain(m *testing.M) {
	os.Setenv("GOSSACACHE", "off")
	os.Exit(m.Run())
}

// TestAnswersAreRemembered while neither files nor flags nor rules change, wherever the repository is. A file of the cache that is
// broken, or none, is made again.
func TestAnswersAreRemembered(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	cache := t.TempDir()
	t.Setenv("GOSSACACHE", cache)
	program := func() string {
		c := &corpus{dir: t.TempDir()}
		c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": "package main\n\nfunc source() string { return \"\" }\n\nfunc sink(s string) { println(s) }\n\n" +
			"func main() { sink(source()) }\n\nfunc bad() { missing() }\n", "rules": "source m.source result\nsink m.sink arg 0 log\n"})
		return c.dir
	}
	dir := program()
	kept := func() []string { return must(filepath.Glob(cache + "/[0-9a-f]*")) }
	ask := func(dir string, files int, more ...string) string {
		t.Helper()
		out, said := gossa(t, 0, append([]string{"taint", "-q", "--rules", filepath.Join(dir, "rules"), "-C", dir, "./..."}, more...)...)
		if len(kept()) != files {
			t.Errorf("%d files are kept, want %d", len(kept()), files)
		}
		return out + said
	}
	cold := ask(dir, 1)
	if !strings.Contains(cold, "main.go:7: log (CWE-117): m.sink ← m.source") || !strings.Contains(cold, "m: 1 function is left out: main.go:9:14: undefined: missing") {
		t.Fatal(cold)
	}
	file := kept()[0]
	text := string(must(os.ReadFile(file)))
	_, body, _ := strings.Cut(text, "\n")
	forged := strings.Replace(body, `"Callee":"m.sink"`, `"Callee":"m.kept"`, 1)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(digest([]byte(forged)) + "\n" + forged)
	if got := ask(dir, 1); got != strings.Replace(cold, "m.sink", "m.kept", 1) {
		t.Errorf("what is kept is not what is said: %s", got)
	}
	for _, broken := range []string{"", text[:len(text)/2], strings.Replace(text, "m.sink", "m.kept", 1), digest([]byte("[]")) + "\n[]"} {
		write(broken)
		if got := ask(dir, 1); got != cold || string(must(os.ReadFile(file))) != text {
			t.Errorf("%.20q: %s", broken, got)
		}
	}
	if got := ask(program(), 1); got != cold {
		t.Error(got)
	}
	ask(dir, 2, "--contexts", "none")
	ask(dir, 2, "--contexts", "none", "--json")
	if err := os.WriteFile(filepath.Join(dir, "rules"), []byte("source m.source result\nsink m.sink arg 0 sql\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask(dir, 3); !strings.Contains(got, "sql (CWE-89)") {
		t.Error(got)
	}
	if err := os.WriteFile(filepath.Join(dir, "more.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(dir, 4)
	t.Setenv("GOSSACACHE", filepath.Join(dir, "main.go"))
	ask(dir, 4) // nothing can be kept there
}

// TestOldAnswersAreForgotten, and an interrupt keeps nothing.
func TestOldAnswersAreForgotten(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOSSACACHE", cache)
	for i := range mostAnswers + 5 {
		if err := (&answer{}).remember(t.Context(), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if remembered("0") == nil {
			t.Fatal("what was asked for last is forgotten")
		}
	}
	if n := len(must(os.ReadDir(cache))); n != mostAnswers {
		t.Errorf("%d are kept", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&answer{}).remember(ctx, "late"); !errors.Is(err, context.Canceled) || remembered("late") != nil {
		t.Error("interrupted:", err)
	}
}
