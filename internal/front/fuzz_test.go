package front_test

import (
	"errors"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// sources returns the texts of all tests, by name.
func sources(t testing.TB) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		if strings.Contains(name, "limit") { // takes its time to exceed it
			continue
		}
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(a.Files[0].Data)
	}
	files, err := filepath.Glob("internal/cases/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(src)
	}
	return texts
}

// Whatever the text, Parse returns: a package, or findings that say where and what.
//
//ci:inputs 7500
func FuzzParse(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		parseAnything(t, src)
	})
}

func parseAnything(t *testing.T, src string) {
	p, err := front.Parse(t.Context(), []front.File{{Name: "f.go", Src: []byte(src)}}, front.Options{})
	switch {
	case err != nil && err.Error() == "":
		t.Error("an error that says nothing")
	case err == nil && p == nil:
		t.Error("neither package nor error")
	}
	var ds ir.Diags
	errors.As(err, &ds)
	for _, d := range ds {
		// What the verifier may find in a kernel is its meaning: constant bounds, what is prefetched, atomics, control, limits.
		// Anything else would be a program that the compiler should not have written.
		if strings.HasPrefix(d.Code, "VY") && d.Code != "VY206" && d.Code != "VY209" && d.Code[2] != '3' && d.Code[2] != '4' && d.Code[2] != '5' {
			t.Errorf("the compiler wrote a wrong program: %v", d)
		}
	}
}

// Texts with some tokens exchanged for others of their kind are often still Go, so that they reach
// the lowering, where random bytes never come.
func TestTextsWithExchangedTokensNeverPanic(t *testing.T) {
	rounds := long.Count(2, 20, 1000)
	seed := uint64(1)
	for name, src := range sources(t) {
		for i := range rounds {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			mutated := exchange(src, r)
			if i%2 == 1 {
				mutated = orphan(mutated, r)
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Fatalf("%s, round %d: %v\n%s", name, i, p, mutated)
					}
				}()
				parseAnything(t, mutated)
			}()
			if t.Failed() {
				t.Fatalf("%s, round %d:\n%s", name, i, mutated)
			}
		}
	}
}

// exchange replaces one to three tokens of a text by others of the same class in it.
func exchange(src string, r *rand.Rand) string {
	type piece struct {
		at, end, class int
	}
	var s scanner.Scanner
	fset := token.NewFileSet()
	f := fset.AddFile("", fset.Base(), len(src))
	s.Init(f, []byte(src), nil, 0)
	byClass := make(map[int][]piece)
	var all []piece
	for {
		p, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue
		}
		class := 0
		switch {
		case tok == token.IDENT:
			class = 1
		case tok.IsLiteral():
			class = 2
		case tok.IsOperator() && tok.Precedence() > 0:
			class = 3
		case token.ADD_ASSIGN <= tok && tok <= token.AND_NOT_ASSIGN:
			class = 4
		case tok == token.BREAK || tok == token.CONTINUE:
			class = 5
		default:
			continue
		}
		text := lit
		if text == "" {
			text = tok.String()
		}
		at := f.Offset(p)
		x := piece{at, at + len(text), class}
		all = append(all, x)
		byClass[class] = append(byClass[class], x)
	}
	if len(all) == 0 {
		return src
	}
	for range 1 + r.IntN(3) {
		to := all[r.IntN(len(all))]
		from := byClass[to.class][r.IntN(len(byClass[to.class]))]
		if to.end-to.at == from.end-from.at { // offsets of the others stay right
			src = src[:to.at] + src[from.at:from.end] + src[to.end:]
		} else if r.IntN(2) == 0 {
			return src[:to.at] + src[from.at:from.end] + src[to.end:]
		}
	}
	return src
}

// orphan replaces some identifiers of the functions by those of a package without source: expressions that go/types
// gives no type, without a finding of its own.
func orphan(src string, r *rand.Rand) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	f := fset.AddFile("", fset.Base(), len(src))
	s.Init(f, []byte(src), nil, 0)
	imports := -1
	var names []int
	for body := false; ; {
		p, tok, _ := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && imports < 0 { // behind the package clause
			imports = f.Offset(p)
		}
		if body = body || tok == token.FUNC; body && tok == token.IDENT {
			names = append(names, f.Offset(p))
		}
	}
	if len(names) == 0 || imports < 0 {
		return src
	}
	chosen := make([]int, 1+r.IntN(3))
	for i := range chosen {
		chosen[i] = names[r.IntN(len(names))]
	}
	slices.Sort(chosen)
	for _, at := range slices.Backward(slices.Compact(chosen)) {
		src = src[:at] + "orphan.X" + src[at:]
	}
	return src[:imports] + "\nimport \"example.com/orphan\"" + src[imports:]
}
