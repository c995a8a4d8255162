package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkGrowsWithTheProgram, and not with its square: each branch makes another value of one list, so that places become one
// as often as there are branches, with as many copies.
func TestWorkGrowsWithTheProgram(t *testing.T) {
	work := func(branches int) (steps, links int) {
		var text strings.Builder
		text.WriteString("package main\n\ntype node struct {\n\ta, b string\n\tnext *node\n}\n\nvar last string\n\nfunc grow(x string, n *node) {\n")
		for i := range branches {
			fmt.Fprintf(&text, "\tif len(x) > %d {\n\t\tx += \"x\"\n\t\tn = &node{a: x, next: n}\n\t\tn.next.b = n.a\n\t}\n", i)
		}
		text.WriteString("\tlast = n.b\n}\n\nfunc main() { grow(\"x\", &node{}) }\n")
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": text.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, c, err := loading{Patterns: []string{"."}, Calls: "rta", Dir: dir, Levels: 3, More: 0.1, Quiet: true}.program(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		h := must(newFlow(t.Context(), p, c, nil, newHeap(false))).heap
		return h.steps, len(h.links)
	}
	steps, links := work(300)
	moreSteps, moreLinks := work(1200)
	if moreSteps > 5*steps || moreLinks > 5*links {
		t.Errorf("four times the branches take %d steps and %d links, beside %d and %d", moreSteps, moreLinks, steps, links)
	}
}

// TestLongConditionsAreLookedAtOnce: values that are each made of the one before would otherwise take a way for each choice of
// their terms, and so never end.
func TestLongConditionsAreLookedAtOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nfunc main() { println(check(\"x\")) }\n\nfunc check(s string) bool {\n\tv := s == \"\"\n")
	for i := range 7 {
		fmt.Fprintf(&text, "\tv = v")
		for k := range 12 {
			fmt.Fprintf(&text, " || s == \"%d.%d\" && v", i, k)
		}
		text.WriteString("\n")
	}
	text.WriteString("\tif v {\n\t\treturn true\n\t}\n\treturn false\n}\n")
	dir := t.TempDir()
	writeModule(t, dir, map[string]string{"main.go": text.String()})
	p := must(load(t.Context(), dir, false, "", []string{"."}))
	c := newChecker(p, must(newRules(nil)))
	f := p.named[0].Func("check")
	if what := c.accepts(validator{f: f}); what&isConstant != 0 {
		t.Errorf("%b holds of what may be anything", what)
	}
	if c.of[f] == nil {
		t.Error("its conditions are not looked at")
	}
}

// TestACallEndsTheHeapThatTakesTooManySteps beyond those of its rung: others are given all parts that they want.
func TestACallEndsTheHeapThatTakesTooManySteps(t *testing.T) {
	for _, c := range []struct {
		parts int
		ends  bool
	}{{5, false}, {90, true}} {
		h := newHeap(false)
		from, to := h.object(1), h.object(1)
		for i := range c.parts {
			h.part(from, h.key(keyText{name: ".f", n: i, of: 1}))
		}
		h.begin()
		h.spread, h.allowance = true, 10
		h.spent = h.steps + h.allowance
		h.link(from, to, 1)
		if n := len(h.keysOf(to)); h.steps > h.most != c.ends || n < c.parts != c.ends {
			t.Errorf("of %d parts %d are made in %d steps, %d at most", c.parts, n, h.steps, h.most)
		}
	}
}

// TestAHeapIsMadeAnew where one call takes too many steps: the fields that it made so many objects of are one from the beginning, and
// others are not.
func TestAHeapIsMadeAnew(t *testing.T) {
	h := newHeap(false)
	many, few := h.key(keyText{name: ".many", of: 1}), h.key(keyText{name: ".few", of: 1})
	h.begin()
	h.spread, h.allowance, h.spent = true, 100, h.steps+100
	h.part(h.object(1), few)
	for range 300 {
		h.part(h.object(1), many)
	}
	if !h.overshot {
		t.Fatalf("%d steps are not too many", h.steps)
	}
	h = h.anew()
	x, y := h.object(1), h.object(1)
	if h.part(x, many) != h.part(y, many) || h.part(x, few) == h.part(y, few) {
		t.Errorf(".many is %d and %d, .few %d and %d", h.part(x, many), h.part(y, many), h.part(x, few), h.part(y, few))
	}
	if h.key(keyText{name: ".many", of: 1}) != many || h.overshot || h.steps > h.most {
		t.Error("it has other keys, or no steps left")
	}
}

// TestFieldsBehindLongPathsAreThoseOfAllValues and are read with what they are parts of, though they may have been there before. What a
// pointer there refers to is the whole.
func TestFieldsBehindLongPathsAreThoseOfAllValues(t *testing.T) {
	h := newHeap(false)
	field := func(n int) key { return h.key(keyText{name: ".f", n: n, of: 1}) }
	end := func(flags uint8) int32 {
		o := h.object(1)
		h.mark(o, flags)
		for n := range mostDepth {
			o = h.part(o, field(n))
		}
		return o
	}
	one, other := end(0), end(isRead)
	last := h.part(one, field(mostDepth))
	if one == other || last == one || h.part(other, field(mostDepth)) != last || h.lumped != 0 {
		t.Errorf("behind %d and %d are %d and %d", one, other, last, h.part(other, field(mostDepth)))
	}
	if h.objects[last].flags&isRead == 0 {
		t.Error("it is not read with all that it is a part of")
	}
	if h.part(one, pointee) != one || h.lumped != 1 {
		t.Error("what it refers to is not the whole")
	}
}
