//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/internal/testing/browser"
)

// said is the document of a command.
func said(t *testing.T, args ...string) (doc map[string]any) {
	t.Helper()
	var out, errOut bytes.Buffer
	status := run(t.Context(), append(args, "--device", "cpu", "--json"), strings.NewReader(""), &out, &errOut)
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || status != 0 && doc["pairs"] == nil {
		t.Fatalf("%v: status %d, %v\n%s", args, status, err, errOut.Bytes())
	}
	return doc
}

func ids(list any) (nodes []float64) {
	all, _ := list.([]any)
	for _, n := range all {
		nodes = append(nodes, n.(map[string]any)["node"].(float64))
	}
	return nodes
}

// pairsOf are the pairs of all pages, each with the path that the page which begins with it has.
func (s *served) pairsOf(name string, question map[string]any) (pairs []string) {
	s.t.Helper()
	for {
		body, _ := json.Marshal(question)
		status, doc := s.ask(name, string(body))
		if status != http.StatusOK {
			s.t.Fatalf("%s %s: %d %v", name, body, status, doc)
		}
		for i, p := range doc["pairs"].([]any) {
			p := p.(map[string]any)
			one := doc
			if i > 0 {
				question["cursor"] = p["cursor"]
				body, _ := json.Marshal(question)
				_, one = s.ask(name, string(body))
			}
			from := p["label"]
			if u, ok := p["from"].(map[string]any); ok {
				from = u["node"]
			}
			pairs = append(pairs, fmt.Sprint(from, p["to"].(map[string]any)["node"], ids(one["nodes"])))
		}
		next, more := doc["next"]
		if !more {
			if int(doc["count"].(float64)) != len(pairs) {
				s.t.Errorf("%s %v: count %v, %d pairs", name, question, doc["count"], len(pairs))
			}
			return pairs
		}
		question["cursor"] = next
	}
}

// TestServedFindingsAreThoseOfTaint: with contexts and without, and sanitizers of some labels.
func TestServedFindingsAreThoseOfTaint(t *testing.T) {
	dir := t.TempDir()
	icfg := filepath.Join(dir, "icfg.vyg")
	made(t, "icfg:20,30,3", icfg)
	lines := func(name string, list ...string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct {
		file, contexts   string
		nodes            [3]string // of three sources
		sinks            []string
		sanitizer, label string
	}{
		{goGraph, "none", [3]string{"cmd/go.main", `name:^net/http\.`, "fmt.Println"}, []string{"os/exec.Command", `name:^os\.Remove`}, `name:^cmd/go/internal/doc\.`, "one"},
		{icfg, "none", [3]string{"0,1,2", "700,1316", "1700"}, []string{"30,77,500", "900,1400,2000", "2300,2399"}, "1500,1501", "two"},
		{icfg, "exact", [3]string{"0,1,2", "700,1316", "1700"}, []string{"30,77,500", "900,1400,2000", "2300,2399"}, "1500,1501", "two"},
	} {
		sources := lines("sources", c.nodes[0]+"\tone", c.nodes[1]+"\ttwo", c.nodes[2])
		want := said(t, "taint", c.file, "--sources", sources, "--sinks", lines("sinks", c.sinks...), "--sanitizers", lines("sanitizers", c.sanitizer+"\t"+c.label), "--contexts", c.contexts, "--paths", "1000")
		var pairs []string
		for _, p := range want["pairs"].([]any) {
			p := p.(map[string]any)
			pairs = append(pairs, fmt.Sprint(p["label"], p["sink"].(map[string]any)["node"], ids(p["path"])))
		}
		got := serving(t, c.file).pairsOf("taint", map[string]any{"limit": 3, "contexts": c.contexts, "sinks": c.sinks,
			"sources":    []any{map[string]any{"label": "one", "nodes": c.nodes[:1]}, map[string]any{"label": "two", "nodes": c.nodes[1:2]}, map[string]any{"nodes": c.nodes[2:]}},
			"sanitizers": []any{map[string]any{"nodes": []string{c.sanitizer}, "labels": []string{c.label}}}})
		if !slices.Equal(got, pairs) || len(got) < 4 {
			t.Errorf("%s, contexts %s: findings\n%v, want\n%v", c.file, c.contexts, got, pairs)
		}
	}
}

// made writes a graph of a generator.
func made(t *testing.T, spec, file string, args ...string) {
	t.Helper()
	var errOut bytes.Buffer
	if status := run(t.Context(), append([]string{"graph", "gen", spec, "-o", file}, args...), strings.NewReader(""), io.Discard, &errOut); status != 0 {
		t.Fatalf("%s: %s", spec, errOut.Bytes())
	}
}

// TestServedPairsAreThoseOfTheCommands: closures, and paths by weight.
func TestServedPairsAreThoseOfTheCommands(t *testing.T) {
	s := serving(t, goGraph)
	from, to := []string{"cmd/go.main", "os/exec.Command", "fmt.Println"}, []string{"os/exec.Command", "name:^os/exec.Look", "fmt.Fprintln"}
	args := []string{"closure", goGraph, "--kinds", "call"}
	for i := range from {
		args = append(args, "--from", from[i], "--to", to[i])
	}
	want := said(t, args...)
	var pairs []string
	for _, p := range want["reaching"].([]any) {
		p := p.(map[string]any)
		pairs = append(pairs, fmt.Sprint(p["from"].(map[string]any)["node"], p["to"].(map[string]any)["node"], ids(p["path"])))
	}
	if got := s.pairsOf("closure", map[string]any{"from": from, "to": to, "kinds": "call", "limit": 2}); !slices.Equal(got, pairs) || len(got) < 3 {
		t.Errorf("pairs\n%v, want\n%v", got, pairs)
	}
	for range 2 { // made, and kept
		if _, doc := s.ask("closure", `{"kinds":"call"}`); doc["closure"].(map[string]any)["pairs"] != want["pairs"] || doc["closure"].(map[string]any)["pairs_plus"] != want["pairs_plus"] || doc["count"] != nil {
			t.Errorf("%v, want %v", doc["closure"], want["pairs"])
		}
	}

	roads := filepath.Join(t.TempDir(), "roads.vyg")
	made(t, "road:64x64", roads, "--weights", "1-63")
	s = serving(t, roads)
	want = said(t, "paths", roads, "--from", "0", "--to", "77", "--to", "4000")
	status, doc := s.ask("paths", `{"from":["0"],"to":["77","4000"],"draw":"down"}`)
	path, _ := doc["nodes"].([]any)
	if weighed, _ := doc["weighed"].(map[string]any); status != http.StatusOK || weighed["reached"] != want["count"] || weighed["farthest"] != want["farthest"] || len(path) != len(want["path"].([]any)) || doc["svg"] == nil {
		t.Fatalf("%d %v, want %v", status, doc, want)
	}
	for i, step := range want["path"].([]any) {
		got, step := path[i].(map[string]any), step.(map[string]any)
		if got["node"] != step["node"] || got["weight"] != step["weight"] || got["sum"] != step["sum"] {
			t.Errorf("step %d is %v, want %v", i, got, step)
		}
	}
}

// TestServedWeightsThatDoNotCount: the graph is served without, and the question says why.
func TestServedWeightsThatDoNotCount(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.wel")
	if err := os.WriteFile(file, []byte("0 1 2\n1 2 0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serving(t, file)
	if status, doc := s.ask("paths", `{"from":["0"],"to":["2"]}`); status != 422 || !strings.Contains(doc["error"].(string), "x.wel:2:5") {
		t.Errorf("%d %v", status, doc)
	}
	if status, doc := s.ask("path", `{"from":["0"],"to":["2"]}`); status != 200 || doc["count"] != 3.0 {
		t.Errorf("%d %v", status, doc)
	}
	s = serving(t, file, "--scale", "2")
	if status, doc := s.ask("paths", `{"from":["0"],"to":["2"]}`); status != 200 || doc["weighed"].(map[string]any)["distance"] != 5.0 {
		t.Errorf("%d %v", status, doc)
	}
}

// TestServedLargeQuestionsEnd: a client that goes takes its question along, time that is up ends one, and the next is answered.
func TestServedLargeQuestionsEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.vyg")
	made(t, "uniform:17", file, "--directed")
	s := serving(t, file, "--most-time", "1ms")
	if status, doc := s.ask("closure", `{}`); status != 503 || !strings.Contains(doc["error"].(string), "more than 1ms") {
		t.Errorf("%d %v", status, doc)
	}
	s.stop()
	s = serving(t, file, "--most-time", "1m")
	for range 3 {
		var all sync.WaitGroup
		for _, c := range [][2]string{{"closure", `{"from":["0"],"to":["1"]}`}, {"closure", `{}`}, {"taint", `{"sources":[{"nodes":["0"]}],"sinks":["1"]}`}} {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), watchEach/10)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"ask/"+c[0], strings.NewReader(c[1]))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				if answer, err := http.DefaultClient.Do(r); err == nil {
					answer.Body.Close()
				} else if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	status, doc := s.ask("closure", `{"from":["0"],"to":["1"]}`)
	if status != 200 || doc["closure"].(map[string]any)["pairs"].(float64) < 1<<17 {
		t.Errorf("%d %v", status, doc)
	}
	if status, doc := s.ask("taint", `{"sources":[{"nodes":["0"]}],"sinks":["1"]}`); status != 200 {
		t.Errorf("%d %v", status, doc)
	}
}

func TestBrowserAsksForPairs(t *testing.T) {
	roads := filepath.Join(t.TempDir(), "roads.vyg")
	made(t, "road:64x64", roads, "--weights", "1-63")
	program := filepath.Join(t.TempDir(), "program.vyg")
	made(t, "icfg:20,30,3", program)
	s, weighed, calls := serving(t, goGraph), serving(t, roads), serving(t, program)
	for _, screen := range []struct {
		wide, high int
		scheme     string
	}{{1200, 800, "dark"}, {390, 844, "light"}} {
		fits := func(b *browser.Page) {
			t.Helper()
			b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true")
			b.Want(`[...document.querySelectorAll('#pairs, #nodes, form, #picture')].every(e => e.getBoundingClientRect().right <= innerWidth)`, "true")
			b.Want(browser.Contrast("#pairs button, #pairs span", "#pairs"), "")
			if len(b.Forbidden) > 0 {
				t.Errorf("the policy forbade %q", b.Forbidden)
			}
		}
		// By keyboard: the question is a radio button, four to the right of the path.
		b := browser.Open(t, s.url, screen.wide, screen.high, screen.scheme)
		b.Await(`document.activeElement.id`, "from")
		b.Want(`document.querySelector('#weighed').hidden`, "true")
		b.Eval(`document.querySelector('[value=path]').focus()`)
		b.Press("ArrowLeft") // round to the last one
		b.Want(`document.querySelector('[name=ask]:checked').value`, "taint")
		b.Press("/")
		b.Press("n", "a", "m", "e", ":", "^", "n", "e", "t", "/", "h", "t", "t", "p", "Tab", "n", "a", "m", "e", ":", "^", "o", "s", "/", "e", "x", "e", "c", "Tab")
		b.Want(`document.activeElement.id`, "sanitizers")
		b.Press("Enter")
		b.Await(`document.querySelectorAll('#pairs button').length > 2`, "true")
		b.Await(`document.querySelector('#said').textContent.includes(' findings, cpu')`, "true")
		b.Want(`document.querySelector('#pairs [aria-pressed=true]') === document.querySelector('#pairs button')`, "true")
		b.Want(`document.querySelectorAll('#picture svg > g').length === document.querySelectorAll('#nodes li').length`, "true")
		fits(b)
		b.Eval(`document.querySelectorAll('#pairs button')[1].focus()`)
		b.Eval(`document.querySelector('#nodes').replaceChildren()`)
		b.Press("Enter")
		b.Await(`document.querySelector('#nodes li:last-child button')?.textContent === document.querySelectorAll('#pairs button')[1].textContent.split(' → ')[1]`, "true")
		b.Want(`document.querySelectorAll('#pairs [aria-pressed=true]').length`, "1")

		b.Eval(`document.querySelector('[value=taint]').focus()`)
		b.Press("ArrowLeft")
		b.Want(`document.querySelector('[name=ask]:checked').value`, "closure")
		b.Want(`document.querySelector('#sanitizers').closest('.field').hidden`, "true")
		b.Press("Enter")
		b.Await(`/^[\d,]+ pairs of these; [\d,]+ pairs in all, [\d,]+ by one arc or more, [\d,]+ components, cpu/.test(document.querySelector('#said').textContent)`, "true")
		b.Want(`document.querySelectorAll('#pairs button').length`, "100")
		b.Eval(`document.querySelector('#more-pairs').focus()`)
		b.Press("Enter")
		b.Await(`document.querySelectorAll('#pairs button').length > 100`, "true")
		b.Want(`document.activeElement === document.querySelectorAll('#pairs button')[100]`, "true")
		fits(b)
		b.Eval(`history.back()`)
		b.Await(`document.querySelector('#said').textContent.includes(' findings, cpu')`, "true")

		b = browser.Open(t, calls.url+"#ask=taint&from=0,1,2&to=30,77,500,900,1400,2000,2300,2399", screen.wide, screen.high, screen.scheme)
		b.Await(`document.querySelector('#said').textContent.includes(' findings, cpu')`, "true")
		b.Want(`document.querySelector('#contexts').hidden`, "false")
		b.Eval(`(window.before = document.querySelectorAll('#pairs button').length, document.querySelector('#exact').focus())`)
		b.Press(" ", "Enter")
		b.Await(`location.hash.includes('exact=') && /^\d+ findings?, cpu/.test(document.querySelector('#said').textContent)`, "true")
		b.Want(`document.querySelectorAll('#pairs button').length <= window.before`, "true")
		fits(b)

		b = browser.Open(t, weighed.url+"#ask=paths&from=0&to=77", screen.wide, screen.high, screen.scheme)
		b.Await(`document.querySelector('#said').textContent.startsWith('a shortest path has weight ')`, "true")
		b.Want(`document.querySelector('#weighed').hidden`, "false")
		b.Want(`document.querySelectorAll('#picture svg > g').length === document.querySelectorAll('#nodes li').length`, "true")
		b.Want(`/^77weight \d+, sum \d+/.test(document.querySelector('#nodes li:last-child').textContent)`, "true")
		fits(b)
		b.Eval(`document.querySelector('[value=closure]').click()`)
		b.Eval(`document.querySelector('#to').value = document.querySelector('#from').value = ''`)
		b.Eval(`document.querySelector('form').dispatchEvent(new Event('input'))`)
		b.Eval(`document.querySelector('[type=submit]').focus()`)
		b.Press("Enter")
		b.Await(`document.querySelector('#said').textContent.startsWith('14,669,880 pairs in all')`, "true")
		fits(b)
	}
}
