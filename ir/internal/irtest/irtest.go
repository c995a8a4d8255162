// Package irtest has the programs with which the tests of the packages under ir are fed.
package irtest

import (
	"embed"
	"fmt"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

//go:embed programs/*.vyre
var files embed.FS

// Texts returns text files by name: one has every op in every form, the other an algorithm.
func Texts(t testing.TB) map[string]string {
	t.Helper()
	dir, err := files.ReadDir("programs")
	if err != nil || len(dir) == 0 {
		t.Fatalf("no text files: %v", err)
	}
	texts := map[string]string{}
	for _, f := range dir {
		src, err := files.ReadFile("programs/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name()] = string(src)
	}
	return texts
}

// Programs returns the programs of the texts.
func Programs(t testing.TB) []*ir.Program {
	t.Helper()
	var all []*ir.Program
	for name, src := range Texts(t) {
		ps, err := text.Parse(name, src)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ps...)
	}
	return all
}

// Parse returns the program of a text with one kernel.
func Parse(t testing.TB, src string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if len(ps) != 1 {
		t.Fatalf("%d kernels, want 1", len(ps))
	}
	return ps[0]
}

// Chain is a position with the calls around it.
func Chain(pos ir.Pos) string {
	s := pos.String()
	for c := pos.Call; c != nil; c = c.Call {
		s += " in " + c.String()
	}
	return s
}

// Difference says what two programs of one digest do not have in common: names, messages, positions.
func Difference(p, q *ir.Program) string {
	if p.Name() != q.Name() {
		return fmt.Sprintf("the kernel is %q, was %q", q.Name(), p.Name())
	}
	for r := range ir.Row(p.Rows()) {
		if p.ValueName(r) != q.ValueName(r) || p.Message(r) != q.Message(r) || Chain(p.Pos(r)) != Chain(q.Pos(r)) {
			return fmt.Sprintf("row %d: %q %q %s, was %q %q %s", r, q.ValueName(r), q.Message(r), Chain(q.Pos(r)), p.ValueName(r), p.Message(r), Chain(p.Pos(r)))
		}
	}
	for i, a := range p.Params() {
		if b := q.Params()[i]; a.Name != b.Name || Chain(a.Pos) != Chain(b.Pos) {
			return fmt.Sprintf("parameter %d: %q %s, was %q %s", i, b.Name, Chain(b.Pos), a.Name, Chain(a.Pos))
		}
	}
	for i, a := range p.Arrays() {
		if b := q.Arrays()[i]; a.Name != b.Name || Chain(a.Pos) != Chain(b.Pos) {
			return fmt.Sprintf("array %d: %q %s, was %q %s", i, b.Name, Chain(b.Pos), a.Name, Chain(a.Pos))
		}
	}
	return ""
}
