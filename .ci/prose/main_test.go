package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words returns a sentence of n words.
func words(n int) string { return strings.Repeat("word ", n-1) + "end." }

func TestRules(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"What is passed is a slice.", "begins with a relative"},
		{"A slice is passed. Who reads it waits.", "begins with a relative, who without a person"},
		{"Which of them runs depends on the device.", "begins with a relative"},
		{"Those are refused.", "begins with a relative"},
		{"That of the host is faster.", "begins with a relative"},
		{"**What it costs.** Nothing.", "begins with a relative"},
		{"- what devices count", "begins with a relative"},
		{"| `graph` | what is reached |", "begins with a relative"},
		{"## What is stable", "begins with a relative"},
		{"## What is stable?", ""},
		{"What is it (and why)? A slice.", ""},
		{"That is a slice. Whatever it holds is read.", ""},
		{"See [what follows](x.md). It says what follows.", ""},
		{"`f`, which returns.", ""},
		{"The word stands in the table.", "stands in"},
		{"The words stand for themselves.", ""},
		{"A kernel is no function.", "is no"},
		{"There are no\ngoroutines.", "is no"},
		{"It is no longer than that, and is no\nlonger.", ""},
		{"It is no more than two, and is no slower than C.", ""},
		{"It is no more.", "is no"},
		{"It is not a function, and has no result.", ""},
		{"Nobody runs it.", "nobody"},
		{"This is for who asks.", "who without a person"},
		{"Whoever closes it waits.", "who without a person"},
		{"Users who ask, and authors, who answer.", ""},
		{"Does it say who waits?", ""},
		{"The pool knows who waits.", "who without a person"},
		{words(25), ""},
		{words(26), "26 words"},
		{words(20) + " " + words(20), ""},
		{words(24) + " `a b c d`", ""},
		{"See [here](a b c) and " + words(22), ""},
		{"It costs 1.5 ms, e.g. here, of J. Smith, " + words(20), "29 words"},
		{"```\nWhat is in a fence.\n```", ""},
		{"<!-- given: Who waits. -->", ""},
		{"`is no` and `nobody`, ``a ` nobody``", ""},
		{"| a \\| b | `a | what` |", ""},
		{"A:\n\n    What is indented.\n\nB.", ""},
		{"- A list.\n\n    Nobody goes on.", "nobody"},
	} {
		var got []string
		for _, f := range check(markdown(strings.Split(c.text, "\n"))) {
			got = append(got, f.rule)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFindingsHaveTheLineOfTheirWords(t *testing.T) {
	found := check(markdown([]string{"# A", "", "A kernel and", "a session are `for`", "who asks. So", "nobody waits."}))
	want := []finding{{5, "who without a person", "who asks."}, {6, "nobody", "nobody waits."}}
	if !slices.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}

func TestCommentsOfGo(t *testing.T) {
	const src = "// Package p is no joke.\n//\n//\tnobody reads code\n//\n//   - who asks\n//\n//go:build who\npackage p\n\nvar s = \"nobody\" // Those.\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, f := range check(markdown(comments(fset, f))) {
		got = append(got, f.line)
	}
	if want := []int{1, 5, 5, 10}; !slices.Equal(got, want) {
		t.Errorf("findings at lines %v, want %v", got, want)
	}
}

func TestCountWordsLeavesCodeOut(t *testing.T) {
	units := markdown([]string{"Two `x y` words → [a link](of/this one)."})
	if n := countWords(units[0].text); n != 4 {
		t.Errorf("%d words, want 4", n)
	}
}

func TestPagesAndPublicCommentsAreChecked(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{
		"CHANGELOG.md", "README.md", "doc.go", "main.go", "docs/new.md", "docs/CHANGELOG.md", "graph/doc.go", "graph/internal/waves/doc.go",
		"internal/opt/doc.go", "internal/opt/README.md", ".cache/a.md", ".ci/docs/b.md", "prim/testdata/c.md", "prim/testdata/doc.go",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		wanted func(string) bool
		want   []string
	}{
		{checked, []string{"README.md", "doc.go", "docs/CHANGELOG.md", "docs/new.md", "graph/doc.go", "internal/opt/README.md"}},
		{page, []string{"CHANGELOG.md", "README.md", "docs/CHANGELOG.md", "docs/new.md", "internal/opt/README.md"}},
	} {
		if got, err := find(root, c.wanted); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("got %v (%v), want %v", got, err, c.want)
		}
	}
	if _, err := find(filepath.Join(root, "none"), page); err == nil {
		t.Error("a folder that does not exist has no pages, and no error")
	}
}
