//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/internal/interrupt"
	"github.com/govyre/vyre/internal/testing/browser"
	"go.uber.org/goleak"
)

const goGraph = "../../examples/programs/go.vyg.zst"

// served is vyre serve, running.
type served struct {
	t    *testing.T
	url  string
	errs *lockedBuffer
	stop func() // and looks at how it ends
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// serving runs the command on device cpu until the test ends.
func serving(t *testing.T, file string, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	s := &served{t: t, errs: &lockedBuffer{}}
	status := make(chan int, 1)
	go func() {
		defer in.Close()
		status <- run(ctx, append([]string{"serve", file, "--device", "cpu"}, args...), strings.NewReader(""), in, s.errs)
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		if got := <-status; got != interrupt.Status {
			t.Errorf("status %d\n%s", got, s.errs)
		}
	})
	t.Cleanup(s.stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, s.errs)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// ask posts a question, and returns the status and the answer.
func (s *served) ask(name, body string) (status int, doc map[string]any) {
	s.t.Helper()
	answer, err := http.Post(s.url+"ask/"+name, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&doc); err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, doc
}

// nodes are the ids of the nodes of an answer, from all its pages.
func (s *served) nodes(name string, question map[string]any) (ids []float64) {
	s.t.Helper()
	for {
		body, err := json.Marshal(question)
		if err != nil {
			s.t.Fatal(err)
		}
		status, doc := s.ask(name, string(body))
		if status != http.StatusOK {
			s.t.Fatalf("%s %s: %d %v", name, body, status, doc)
		}
		for _, node := range doc["nodes"].([]any) {
			ids = append(ids, node.(map[string]any)["node"].(float64))
		}
		next, more := doc["next"]
		if count, ok := doc["count"]; ok && !more && int(count.(float64)) != len(ids) {
			s.t.Errorf("%s %v: count %v, %d nodes", name, question, count, len(ids))
		}
		if !more {
			return ids
		}
		question["cursor"] = next
	}
}

// TestServedAnswersAreThoseOfReach: pages together are what the command prints.
func TestServedAnswersAreThoseOfReach(t *testing.T) {
	s := serving(t, goGraph)
	for _, c := range []struct {
		name     string
		question map[string]any
		reach    []string
	}{
		{"reach", map[string]any{"from": []string{"os/exec.Command"}, "limit": 1000}, []string{"--from", "os/exec.Command"}},
		{"reach", map[string]any{"from": []string{"os/exec.Command"}, "back": true, "limit": 999}, []string{"--from", "os/exec.Command", "--back"}},
		{"reach", map[string]any{"from": []string{"at:os/exec/exec.go:404", "id:7"}, "back": true, "arcs": 3}, []string{"--from", "at:os/exec/exec.go:404", "--from", "id:7", "--back", "--arcs", "3"}},
		{"reach", map[string]any{"from": []string{"name:^os/exec"}, "arcs": 0, "kinds": "call"}, []string{"--from", "name:^os/exec", "--arcs", "0"}},
		{"path", map[string]any{"from": []string{"cmd/go.main"}, "to": []string{"os/exec.Command"}, "limit": 2, "draw": "across"}, []string{"--from", "cmd/go.main", "--to", "os/exec.Command", "--path"}},
		{"path", map[string]any{"from": []string{"os/exec.Command"}, "to": []string{"cmd/go.main"}}, []string{"--from", "os/exec.Command", "--to", "cmd/go.main", "--path"}},
		{"between", map[string]any{"from": []string{"cmd/go.main"}, "to": []string{"os/exec.Command"}, "limit": 1000}, []string{"--from", "cmd/go.main", "--to", "os/exec.Command", "--between"}},
	} {
		var out, errOut bytes.Buffer
		if status := run(t.Context(), append([]string{"reach", goGraph, "--device", "cpu", "--csv"}, c.reach...), strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("%v: %s", c.reach, errOut.Bytes())
		}
		var want []float64
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
			var v float64
			if err := json.Unmarshal([]byte(line[:strings.IndexByte(line, ',')]), &v); err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		if got := s.nodes(c.name, c.question); !slices.Equal(got, want) {
			t.Errorf("%s %v: %d nodes, %d of reach %v", c.name, c.question, len(got), len(want), c.reach)
		}
	}
	g, _, err := files.Open(t.Context(), goGraph, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, prefix := range []string{"", "os/exec.c", "Command", "main", "func", "(*"} {
		var want []float64
		for v := range g.Nodes() {
			if name := strings.ToLower(g.Name(uint32(v))); slices.ContainsFunc([]string{"", "/", "."}, func(after string) bool {
				at := strings.LastIndex(name, after) + len(after)
				return (after != "" || at == len(name)) && (after == "" && strings.HasPrefix(name, strings.ToLower(prefix)) || after != "" && at >= len(after) && at > strings.LastIndexByte(name, '/') && strings.HasPrefix(name[at:], strings.ToLower(prefix)))
			}) {
				want = append(want, float64(v))
			}
		}
		got := s.nodes("names", map[string]any{"prefix": prefix, "limit": 1000})
		slices.Sort(got)
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%q begins %d names, want %d", prefix, len(got), len(want))
		}
	}
	if got := s.nodes("at", map[string]any{"place": "os/exec/exec.go:404"}); !slices.Equal(got, []float64{12110}) {
		t.Errorf("at the line are %v", got)
	}
}

// TestServedErrors: questions that have no answer say why, and what helps.
func TestServedErrors(t *testing.T) {
	s := serving(t, goGraph)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("id:7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, body string
		status     int
		has        string
	}{
		{"reach", `{}`, 422, "from has no node"},
		{"reach", `{"from":["nothing"]}`, 422, "no node has the name"},
		{"reach", `{"from":["id:14440"]}`, 422, "there is no node 14440"},
		{"reach", `{"from":["@` + secret + `"]}`, 422, "files are not read here"},
		{"reach", `{"from":["name:("]}`, 422, "missing closing )"},
		{"reach", `{"from":["name:."]}`, 422, "more than 1024 nodes"},
		{"reach", `{"from":["tag:1"]}`, 422, "no tags"},
		{"reach", `{"from":["at:nothing.go:1"]}`, 422, "no node is in such a file"},
		{"reach", `{"from":["id:1"],"kinds":"assign,none"}`, 422, "none"},
		{"reach", `{"from":["id:1"],"kinds":"0"}`, 422, "allows no arc"},
		{"reach", `{"from":["id:1"],"arcs":-1}`, 400, "arcs"},
		{"reach", `{"from":["id:1"],"limit":1001}`, 422, "limit is 1001"},
		{"reach", `{"from":["id:1"],"limit":-1}`, 422, "limit is -1"},
		{"reach", `{"from":["id:1"],"cursor":"x"}`, 422, "no cursor"},
		{"reach", `{"from":["id:1"],"cursor":"75932580f15116b3--1"}`, 422, "no cursor"},
		{"reach", `{"from":["id:1"],"cursor":"0000000000000000-1"}`, 410, "replaced"},
		{"reach", `{"from":["id:1"],"graph":"0000"}`, 410, "replaced"},
		{"path", `{"from":["id:1"],"to":[]}`, 422, "to has no node"},
		{"path", `{"from":["id:1"],"to":["id:2"],"draw":"up"}`, 422, "draw"},
		{"between", `{"from":["id:1"]}`, 422, "to has no node"},
		{"paths", `{"from":["id:1"],"to":["id:2"]}`, 422, "no weights"},
		{"paths", `{"from":["id:1"],"draw":"up"}`, 422, "draw"},
		{"closure", `{"from":["id:1"]}`, 422, "to has no node"},
		{"closure", `{"to":["id:1"]}`, 422, "from has no node"},
		{"closure", `{"from":["id:1"],"to":["id:14440"]}`, 422, "there is no node 14440"},
		{"closure", `{"kinds":"none"}`, 422, "none"},
		{"closure", `{"draw":1}`, 400, "draw"},
		{"closure", `{"limit":1001}`, 422, "limit is 1001"},
		{"closure", `{"graph":"0000"}`, 410, "replaced"},
		{"closure", `{"from":["id:1"],"to":["id:2"],"cursor":"0000000000000000-1"}`, 410, "replaced"},
		{"taint", `{}`, 422, "no source"},
		{"taint", `{"sources":[{"nodes":["id:1"]}]}`, 422, "sinks has no node"},
		{"taint", `{"sources":["id:1"],"sinks":["id:2"]}`, 400, "sources"},
		{"taint", `{"sources":[{"nodes":["id:14440"]}],"sinks":["id:2"]}`, 422, "source 0 id:14440: there is no node"},
		{"taint", `{"sources":[{"nodes":["id:1"]},{"nodes":["id:1"]}],"sinks":["id:2"]}`, 422, "two sources have the label"},
		{"taint", `{"sources":[{"nodes":["id:1"]}],"sinks":["id:2"],"sanitizers":[{"nodes":["@` + secret + `"]}]}`, 422, "files are not read here"},
		{"taint", `{"sources":[{"nodes":["id:1"]}],"sinks":["id:2"],"sanitizers":[{"nodes":["id:3"],"labels":["x"]}]}`, 422, "which no source has"},
		{"taint", `{"sources":[{"nodes":["id:1"]}],"sinks":["id:2"],"contexts":"some"}`, 422, "contexts"},
		{"taint", `{"sources":[{"nodes":["id:1"]}],"sinks":["id:2"],"contexts":"exact"}`, 422, "no procedures"},
		{"taint", `{"sources":[` + strings.Repeat(`{"nodes":["id:1"]},`, 64) + `{"nodes":["id:1"]}],"sinks":["id:2"]}`, 422, "65 sources"},
		{"taint", `{"sources":[{"nodes":["id:1"]}],"sinks":["` + strings.Repeat("x", 256<<10) + `"]}`, 413, "bytes"},
		{"at", `{"place":"os/exec/exec.go:405"}`, 422, "the nearest is at os/exec/exec.go:404:6"},
		{"at", `{}`, 422, "place"},
		{"names", `{"prefix":"a","limit":9999}`, 422, "limit"},
	} {
		status, doc := s.ask(c.name, c.body)
		text, _ := json.Marshal(doc)
		if status != c.status || !strings.Contains(string(text), c.has) || doc["error"] == "" || doc["fix"] == "" || doc["fix"] == nil {
			t.Errorf("%s %s: %d %s, want %d with %s", c.name, c.body, status, text, c.status, c.has)
		}
	}
	if status, doc := s.ask("reach", `{"from":["id:12110"],"cursor":"75932580f15116b3-4611686018427387903"}`); status != 200 || len(doc["nodes"].([]any)) > 0 || doc["next"] != nil {
		t.Errorf("past the end: %d %v", status, doc)
	}
	for _, args := range [][]string{{"--addr", "0.0.0.0:0"}, {"--addr", "example.com:0"}, {"--addr", "127.0.0.1"}, {"--addr", ":0"}, {"--parallel", "0"}, {"--most-time", "-1s"}} {
		var errOut bytes.Buffer
		if status := run(t.Context(), append([]string{"serve", goGraph}, args...), strings.NewReader(""), io.Discard, &errOut); status != 2 {
			t.Errorf("%v: status %d\n%s", args, status, errOut.Bytes())
		}
	}
	for _, file := range []string{t.TempDir(), "-", secret} {
		if status := run(t.Context(), []string{"serve", file, "--device", "cpu"}, strings.NewReader(""), io.Discard, io.Discard); status == 0 || status == interrupt.Status {
			t.Errorf("%s: status %d", file, status)
		}
	}
}

// TestServedFileIsReplaced: while clients ask, the file becomes others, broken ones and none, by renaming and in place. No
// question is lost, each is answered of one graph, and the last is of the last.
func TestServedFileIsReplaced(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer func(usual time.Duration) { watchEach = usual }(watchEach)
	watchEach = 20 * time.Millisecond
	dir := t.TempDir()
	file := filepath.Join(dir, "g.vyg")
	chain := func(n int) []byte {
		targets, offsets := make([]uint32, n-1), make([]uint32, n+1)
		for i := range targets {
			targets[i], offsets[i+1] = uint32(i+1), uint32(i+1)
		}
		offsets[n] = uint32(n - 1)
		g, err := graph.New(t.Context(), offsets, targets, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err = g.With(graph.Data{Weights: slices.Repeat([]uint32{2}, n-1)})
		if err != nil {
			t.Fatal(err)
		}
		made := filepath.Join(dir, "made.vyg")
		if _, err := files.Save(t.Context(), made, g, files.Auto); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(made)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(file, chain(10), 0o600))
	s := serving(t, file, "--parallel", "2")
	defer s.stop()
	var ends atomic.Bool
	var clients sync.WaitGroup
	for _, q := range [][3]string{
		{"closure", `{"from":["0"],"to":["8","9"],"limit":1}`, "2 [0 1 2 3 4 5 6 7 8]"}, {"closure", `{}`, "<nil> []"},
		{"paths", `{"from":["0"],"to":["9"]}`, "10 [0 1 2 3 4 5 6 7 8 9]"},
		{"taint", `{"sources":[{"nodes":["0"]}],"sinks":["9"]}`, "1 [0 1 2 3 4 5 6 7 8 9]"},
		{"taint", `{"sources":[{"nodes":["0"]}],"sinks":["7","9"],"sanitizers":[{"nodes":["8"]}]}`, "1 [0 1 2 3 4 5 6 7]"},
	} {
		clients.Go(func() {
			for !ends.Load() {
				status, doc := s.ask(q[0], q[1])
				if got := fmt.Sprint(doc["count"], ids(doc["nodes"])); status != 200 || got != q[2] {
					t.Errorf("%s %s: %d %v", q[0], q[1], status, doc)
				}
				if c, _ := doc["closure"].(map[string]any); c != nil && c["pairs"] != c["components"].(float64)*(c["components"].(float64)+1)/2 {
					t.Errorf("a closure of two graphs: %v", c)
				}
			}
		})
	}
	for range 3 {
		clients.Go(func() {
			for !ends.Load() {
				status, doc := s.ask("path", `{"from":["0"],"to":["9"],"limit":3}`)
				back, all := s.ask("reach", `{"from":["9"],"back":true,"limit":3}`)
				if status != 200 || back != 200 || doc["count"] != 10.0 || all["count"] != 10.0 {
					t.Errorf("%d %v, %d %v", status, doc, back, all)
				}
			}
		})
	}
	until := func(nodes float64, warned bool) {
		t.Helper()
		var doc map[string]any
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if _, doc = s.ask("reach", `{"from":["0"]}`); doc["count"] == nodes && (doc["warning"] != nil) == warned {
				return
			}
		}
		t.Errorf("want %v nodes, warned %v: %v\n%s", nodes, warned, doc, s.errs)
	}
	rename := func(b []byte) {
		must(os.WriteFile(file+".new", b, 0o600))
		must(os.Rename(file+".new", file))
	}
	until(10, false)
	rename(chain(20))
	until(20, false)
	rename([]byte("VYREGRF1 and no more"))
	until(20, true)
	rename(chain(30))
	until(30, false)
	must(os.Truncate(file, 300)) // in place, where a mapping would fault
	until(30, true)
	must(os.WriteFile(file, chain(40), 0o600))
	until(40, false)
	must(os.Remove(file))
	until(40, true)
	rename(chain(50))
	until(50, false)
	ends.Store(true)
	clients.Wait()
	s.stop()
}

func TestBrowserAsksByKeyboardAlone(t *testing.T) {
	for _, screen := range []struct {
		wide, high int
		scheme     string
	}{{1200, 800, "light"}, {390, 844, "dark"}} {
		b := browser.Open(t, serving(t, goGraph).url, screen.wide, screen.high, screen.scheme)
		b.Await(`document.querySelector('h1').textContent`, "go.vyg.zst")
		b.Await(`document.activeElement.id`, "from")
		b.Press("c", "m", "d", "/", "g", "o", ".", "m", "a", "i")
		b.Await(`document.querySelector('#from-names li')?.firstChild.textContent`, "cmd/go.main")
		b.Want(`document.activeElement.getAttribute('aria-expanded')`, "true")
		b.Press("ArrowDown", "ArrowDown", "ArrowUp")
		b.Want(`document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).dataset.name`, "cmd/go.main")
		b.Press("Enter")
		b.Want(`document.activeElement.value`, "cmd/go.main")
		b.Press("Tab", "e", "x", "e", "c", ".", "c", "o", "m", "m") // the last part of the name, in any letters
		b.Await(`document.querySelector('#to-names li')?.firstChild.textContent`, "os/exec.Command")
		b.Press("Escape")
		b.Want(`document.querySelectorAll('ul:not([hidden])').length`, "0")
		b.Press("ArrowDown")
		b.Await(`document.querySelectorAll('#to-names:not([hidden]) li').length > 1`, "true")
		b.Press("ArrowDown", "Enter", "Enter")
		b.Await(`document.querySelectorAll('#nodes li').length`, "5")
		b.Want(`document.querySelector('#said').textContent.startsWith('a shortest path has 4 arcs, cpu')`, "true")
		b.Want(`[...document.querySelectorAll('#picture text')].map(n => n.textContent).join()`, "cmd/go.main,cmd/go.invoke,cmd/go/internal/doc.runDoc,cmd/go/internal/doc.dirsInit,os/exec.Command")
		b.Want(`document.querySelectorAll('#picture svg > path').length`, "4")
		b.Want(`document.documentElement.scrollWidth <= innerWidth`, "true") // the page does not move sideways
		b.Want(`[...document.querySelectorAll('#nodes, form, #picture')].every(e => e.getBoundingClientRect().right <= innerWidth)`, "true")
		b.Want(browser.Contrast("#nodes button, #nodes span", "#nodes"), "")
		b.Want(browser.Contrast("header p, footer, label, #said", "body"), "")
		for range 20 { // on to the second node, which the next question begins with
			if b.Press("Tab"); b.Eval(`document.activeElement.textContent`) == "cmd/go.invoke" {
				break
			}
		}
		b.Press("Enter")
		b.Want(`document.activeElement.value`, "cmd/go.invoke")
		b.Eval(`history.back()`)
		b.Await(`document.querySelector('#from').value`, "")
		if len(b.Forbidden) > 0 {
			t.Errorf("the policy forbade %q", b.Forbidden)
		}
	}
}

// TestBrowserShowsAllPages: pages of an answer come one by one, and errors with what helps.
func TestBrowserShowsAllPages(t *testing.T) {
	b := browser.Open(t, serving(t, goGraph).url+"#ask=back&from=os%2Fexec.Command&arcs=3", 1200, 800, "light")
	b.Await(`document.querySelectorAll('#nodes li').length`, "100")
	b.Eval(`document.querySelector('#more').focus()`)
	b.Press("Enter")
	b.Await(`document.querySelectorAll('#nodes li').length > 100`, "true")
	b.Want(`new Set([...document.querySelectorAll('#nodes li')].map(n => n.textContent)).size === document.querySelectorAll('#nodes li').length`, "true")
	b.Want(`document.activeElement === document.querySelectorAll('#nodes button')[100]`, "true")
	b.Press("/", "x", "Enter")
	b.Await(`document.querySelector('#said').textContent`, `from x: no node has the name "x"; name:REGEXP takes all that match`)
}

// TestBrowserShowsHostileNames: names of strangers do not leave their place, or act.
func TestBrowserShowsHostileNames(t *testing.T) {
	s := serving(t, hostileGraph(t))
	b := browser.Open(t, s.url+"#ask=path&from=id:0&to=id:9", 1200, 800, "light")
	b.Await(`document.querySelectorAll('#nodes li').length`, "10")
	b.Want(`document.querySelectorAll('#picture svg > g').length`, "10")
	b.Want(`document.querySelectorAll('#nodes script, #picture script').length`, "0")
	b.Want(`document.querySelectorAll('#nodes button')[4].textContent`, hostile[4])
	b.Want(`/[\p{C}\p{Zl}\p{Zp}]/u.test(document.body.textContent.replace(/[\n\t]/g, ''))`, "false")
	b.Eval(`document.querySelector('#from').select()`)
	b.Press("<", "s", "c")
	b.Await(`document.querySelector('#from-names li')?.firstChild.textContent`, hostile[4])
	status, doc := s.ask("path", `{"from":["id:0"],"to":["id:9"],"draw":"down"}`)
	if svg, _ := doc["svg"].(string); status != http.StatusOK || parses["svg"]([]byte(svg)) != nil {
		t.Errorf("%d %v", status, doc)
	}
	if len(b.Forbidden) > 0 {
		t.Errorf("the policy forbade %q", b.Forbidden)
	}
}
