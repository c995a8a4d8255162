package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/producers/calls/names"
)

// corpus is the small programs of testdata/want, in one module: what is in one of them must not come out of another.
type corpus struct {
	dir   string
	lines map[string][]string // of files
	names []string
}

func unpackCorpus(t *testing.T) *corpus {
	t.Helper()
	list, err := filepath.Glob("testdata/want/*.txtar")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	c := &corpus{dir: t.TempDir(), lines: make(map[string][]string)}
	c.write(t, "go.mod", "module want\n\ngo 1.25\n")
	for _, file := range list {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		c.names = append(c.names, name)
		for _, f := range a.Files {
			c.write(t, name+"/"+f.Name, string(f.Data))
			c.lines[name+"/"+f.Name] = strings.Split(string(f.Data), "\n")
		}
	}
	return c
}

func (c *corpus) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.dir, name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *corpus) writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		c.write(t, name, text)
	}
}

// flows are what a program is marked with: FROM names a source, WANT says at a sink which one comes there, LIMIT that one is
// reported that does not, MISSED that one is not reported that does. A variable that is a source has its own name.
type flows struct {
	from                map[string]string // file:line of sources, or names of variables, by mark
	want, limit, missed map[string]bool   // program: mark → file:line
}

var marks = regexp.MustCompile(`\b(FROM|WANT|LIMIT|MISSED) ([\w.]+)`)

func (c *corpus) marked(name string) flows {
	m := flows{map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for file, lines := range c.lines {
		if !strings.HasPrefix(file, name+"/") {
			continue
		}
		for i, line := range lines {
			_, comment, _ := strings.Cut(line, "// ")
			comment, _, _ = strings.Cut(comment, ":")
			for _, mark := range marks.FindAllStringSubmatch(comment, -1) {
				at := fmt.Sprintf("%s:%d", file, i+1)
				flow := mark[2] + " → " + at
				switch mark[1] {
				case "FROM":
					m.from[mark[2]] = at
				case "WANT":
					m.want[flow] = true
				case "LIMIT":
					m.limit[flow] = true
				case "MISSED":
					m.missed[flow] = true
				}
			}
		}
	}
	return m
}

// wantRules are what own-sanitizer, own-rules, aliases and guards-rules need.
const wantRules = `
sanitizer want/own-sanitizer.clean result
source want/own-rules.secret result
sink want/own-rules.publish arg 0 log
sink want/aliases.(*journal).write arg 1 log
model want/own-rules.count
source want/guards-rules.secret result
sink want/guards-rules.publish arg 0 log
guard want/guards-rules.(*policy).permits arg 2 log
guard want/guards-rules.(reviewer).Fine arg 1 log,redirect
guard want/guards-rules.parse arg 0
guard want/guards-rules.leads arg 0 path
`

// found are the flows of pairs, for each program, by the marks of their sources.
func (c *corpus) found(t *testing.T, g *graph.CSR, list []pair, marked map[string]flows) map[string]map[string]bool {
	t.Helper()
	all := make(map[string]map[string]bool)
	for _, f := range list {
		sink := line(g.Position(f.sink))
		name, _, _ := strings.Cut(sink, "/")
		at := line(g.Position(f.source.Nodes[0]))
		mark := at
		if at == "" {
			mark = f.source.Label // a variable
		}
		for m, from := range marked[name].from {
			if from == at {
				mark = m
			}
		}
		if all[name] == nil {
			all[name] = make(map[string]bool)
		}
		all[name][mark+" → "+sink] = true
	}
	return all
}

// line is a position without its column.
func line(at string) string {
	if i := strings.LastIndexByte(at, ':'); i >= 0 {
		return at[:i]
	}
	return at
}

// analysed is the corpus with its graph of values.
type analysed struct {
	*corpus
	program *program
	calls   *calls
	rules   *rules
	values  *emitted
	graph   *graph.CSR
	marked  map[string]flows
}

// analyse makes the graph of the corpus, with copies of functions up to a part of all instructions.
func analyse(t *testing.T, more float64) *analysed {
	t.Helper()
	a := &analysed{corpus: unpackCorpus(t), marked: make(map[string]flows)}
	rulesFile := filepath.Join(a.dir, "rules.txt")
	a.write(t, "rules.txt", wantRules)
	var err error
	if a.rules, err = newRules([]string{rulesFile}); err != nil {
		t.Fatal(err)
	}
	if err := a.rules.choose([]string{"answer", "cli"}); err != nil {
		t.Fatal(err)
	}
	l := loading{Patterns: []string{"./..."}, Calls: "vta", Dir: a.dir, Levels: 3, More: more, Quiet: true, rules: a.rules}
	if a.program, a.calls, err = l.program(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.values = must(valuesOf(t.Context(), a.program, a.calls, a.rules, false))
	if a.graph, err = a.values.graph(t.Context(), near(a.dir), ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range a.names {
		a.marked[name] = a.corpus.marked(name)
	}
	return a
}

// TestWanted: with exact contexts every flow that is wanted is reported, and no other, but for those that are marked as limits.
func TestWanted(t *testing.T) {
	a := analyse(t, 100)
	var counts [2]int
	for k, contexts := range []string{"exact", "none"} {
		got := a.values.flowing(t, a.graph, contexts, nil)
		a.areFindings(t, contexts, got)
		found := a.found(t, a.graph, got, a.marked)
		for _, name := range a.names {
			m := a.marked[name]
			for flow := range m.want {
				if !found[name][flow] {
					t.Errorf("%s, contexts %s: %s is wanted, and not reported", name, contexts, flow)
				}
			}
			for _, flow := range slices.Sorted(maps.Keys(found[name])) {
				counts[k]++
				if contexts == "exact" && !m.want[flow] && !m.limit[flow] {
					t.Errorf("%s: %s is reported, and not wanted", name, flow)
				}
			}
			for flow := range m.limit {
				if !found[name][flow] {
					t.Errorf("%s: %s is no longer reported: mark it no more", name, flow)
				}
			}
			for flow := range m.missed {
				if found[name][flow] {
					t.Errorf("%s: %s is reported now: mark it WANT", name, flow)
				}
			}
		}
	}
	if counts[1] <= counts[0] {
		t.Errorf("%d findings without contexts, %d with: they made no difference", counts[1], counts[0])
	}
	byType(t, a)
	t.Logf("%d programs, %d findings with exact contexts, %d without", len(a.names), counts[0], counts[1])
}

// areFindings checks that findings are the sinks of pairs, and no others.
func (a *analysed) areFindings(t *testing.T, contexts string, pairs []pair) {
	t.Helper()
	of, is := make(map[string]bool), make(map[string]bool)
	for _, p := range pairs {
		of[line(a.graph.Position(p.sink))] = true
	}
	for _, f := range must(a.values.findings(t.Context(), a.graph, "cpu", contexts, nil)) {
		is[fmt.Sprintf("%s:%d", f.Sink.File, f.Sink.Line)] = true
	}
	if !maps.Equal(of, is) {
		t.Errorf("contexts %s: sinks of pairs and of findings differ:\n%v\n%v", contexts, of, is)
	}
}

// byType checks a flat heap: flows through fields, calls and channels are there, and two values of one type are one.
func byType(t *testing.T, a *analysed) {
	e := must(valuesOf(t.Context(), a.program, a.calls, a.rules, true))
	g, err := e.graph(t.Context(), near(a.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	found := a.found(t, g, e.flowing(t, g, "exact", []string{"command"}), a.marked)
	for _, name := range []string{"apply", "captured", "channels", "constructor", "contexts", "fields", "instances", "list", "once", "recursion"} {
		for flow := range a.marked[name].want {
			if !found[name][flow] {
				t.Errorf("%s, fields by type: %s is wanted, and not reported", name, flow)
			}
		}
	}
	if n := len(found["instances"]); n != 2 {
		t.Errorf("fields by type: two values of one type have %d flows, want 2", n)
	}
	if n := len(found["contexts"]); n != 1 {
		t.Errorf("fields by type: contexts make %d flows of one", n)
	}
}

// TestExampleIsCurrent: the graph of examples/programs/shop, and the lists beside it, are what gossa makes of it.
func TestExampleIsCurrent(t *testing.T) {
	const dir = "../../examples/programs/shop"
	old, _, err := files.Open(t.Context(), dir+"/shop.vyg.zst", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, calls, err := loading{Patterns: []string{"."}, Calls: "vta", Dir: dir, Levels: 3, More: 0.1, Quiet: true, rules: r}.program(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := must(valuesOf(t.Context(), p, calls, r, false))
	g, err := e.graph(t.Context(), names.AppendPosition, "")
	if err != nil {
		t.Fatal(err)
	}
	written := must(e.lists(t.Context(), filepath.Join(t.TempDir(), "shop.vyg.zst"), g))
	if there := must(filepath.Glob(dir + "/shop.*")); len(there) != len(written)+1 {
		t.Errorf("%d lists in %s: %q", len(written), dir, there)
	}
	for _, file := range written {
		old, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil || string(old) != string(must(os.ReadFile(file))) {
			t.Errorf("%s is another one now: %v", filepath.Base(file), err)
		}
	}
	if must(g.Digest(t.Context())) != must(old.Digest(t.Context())) {
		t.Errorf("%s has another graph now; in it, run gossa --graph dataflow --rules std -o shop.vyg.zst .", dir)
	}
}
