package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// hostile are texts that a terminal or a format takes for something else.
var hostile = []string{"\x1b]0;title\a\x1b[2J", "two\nlines\tand\r\ncolumns", "nul\x00", "cut \xc3\x28\xff", "<script>alert(\"1\")</script>&amp;", "\u202eturned\u2066", "c1 \u009b31m\x9b", "7",
	`quote " and \n`, "sep\u2028\ufffe", "a,b;c", ""}

// hostileGraph has them in every place that a graph has for text.
func hostileGraph(t *testing.T) string {
	t.Helper()
	n := uint32(len(hostile))
	offsets, targets, masks := make([]uint32, n+1), make([]uint32, n-1), make([]uint32, n-1)
	positions := make([]string, n)
	for v := range n - 1 {
		offsets[v+1], targets[v], masks[v] = v+1, v+1, 1<<(v%5)
		positions[v] = hostile[v] + "/a b:c.go:3:4"
	}
	offsets[n] = n - 1
	g, err := graph.New(t.Context(), offsets, targets, masks)
	if err != nil {
		t.Fatal(err)
	}
	d := graph.Data{Names: graph.NewStrings(hostile), Positions: graph.NewStrings(positions),
		Provenance: graph.Provenance{Producer: hostile[0], Version: hostile[1], Options: hostile[2]}}
	copy(d.KindNames[:], hostile)
	if g, err = g.With(d); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "h.vyg")
	if _, err := files.Save(t.Context(), file, g, files.Auto); err != nil {
		t.Fatal(err)
	}
	return file
}

// parses are what tells whether an output has its form.
var parses = map[string]func(out []byte) error{
	"svg": func(out []byte) error {
		for d := xml.NewDecoder(bytes.NewReader(out)); ; {
			if _, err := d.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	},
	"csv":   func(out []byte) error { _, err := csv.NewReader(bytes.NewReader(out)).ReadAll(); return err },
	"json":  func(out []byte) error { return json.Unmarshal(out, new(any)) },
	"dot":   dotParses,
	"sarif": sarifParses,
	"text":  func([]byte) error { return nil },
}

// dotParses looks for the end of each quoted text, which has to be on its line.
func dotParses(out []byte) error {
	for _, line := range strings.Split(string(out), "\n") {
		in := false
		for i := 0; i < len(line); i++ {
			switch {
			case line[i] == '"':
				in = !in
			case in && line[i] == '\\':
				i++
			}
		}
		if in {
			return fmt.Errorf("a text does not end: %q", line)
		}
	}
	return nil
}

// sarifParses looks for URIs that are none.
func sarifParses(out []byte) error {
	var doc any
	if err := json.Unmarshal(out, &doc); err != nil {
		return err
	}
	var errs error
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if uri, ok := v["uri"].(string); ok {
				u, err := url.Parse(uri)
				if err == nil && (u.Scheme != "" && u.Scheme != "file" || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^{}|`, r) })) {
					err = fmt.Errorf("%q is no URI of a file", uri)
				}
				errs = errors.Join(errs, err)
			}
			for _, in := range v {
				walk(in)
			}
		case []any:
			for _, in := range v {
				walk(in)
			}
		}
	}
	walk(doc)
	return errs
}

// TestHostileText: the class is text of a graph in any output of any command. No control character but the line feeds and the
// tabs of the form itself comes out, everything is UTF-8, and the output has its form.
func TestHostileText(t *testing.T) {
	file := hostileGraph(t)
	dir := filepath.Dir(file)
	lists := map[string]string{"src": "id:0\tlab\x1b[31m<script>\u202e\nid:1\n", "snk": "id:9\nid:5\n"}
	for name, text := range lists {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reach := []string{"reach", file, "--device", "cpu", "--from", "id:0", "--to", "id:9"}
	near := []string{"reach", file, "--device", "cpu", "--at", "a b:c.go:3", "--arcs", "20"}
	dominators := []string{"dominators", file, "--device", "cpu", "--root", "id:0"}
	taint := []string{"taint", file, "--device", "cpu", "--sources", filepath.Join(dir, "src"), "--sinks", filepath.Join(dir, "snk")}
	with := func(command []string, more ...string) []string {
		return append(append([]string{}, command...), more...)
	}
	for _, c := range []struct {
		form string
		args []string
	}{
		{"text", reach}, {"text", with(reach, "--path")}, {"text", with(reach, "--each")}, {"text", with(reach, "--levels")}, {"text", with(reach, "--between")},
		{"text", with(reach, "-o", "-")}, {"csv", with(reach, "--csv")}, {"csv", with(reach, "--csv", "--path")}, {"dot", with(reach, "--dot")}, {"svg", with(reach, "--svg")},
		{"svg", with(reach, "--svg", "--path")}, {"json", with(reach, "--json", "--path")},
		{"text", near}, {"csv", with(near, "--csv")}, {"dot", with(near, "--dot")}, {"svg", with(near, "--svg")}, {"json", with(near, "--json")}, {"text", with(near, "-o", "-")},
		{"text", []string{"reach", file, "--at", "a b:c.go:5"}}, {"text", []string{"reach", file, "--at", "no\x1b[31m\u202e\xff:5"}},
		{"text", dominators}, {"text", with(dominators, "--frontiers")}, {"text", with(dominators, "--of", "id:9")}, {"text", with(dominators, "-o", "-")}, {"csv", with(dominators, "--csv")},
		{"dot", with(dominators, "--dot")}, {"svg", with(dominators, "--svg")}, {"json", with(dominators, "--json")},
		{"text", taint}, {"text", with(taint, "--paths", "2")}, {"json", with(taint, "--json", "--paths", "2")}, {"sarif", with(taint, "--sarif", "--paths", "2")},
		{"text", []string{"components", file, "--device", "cpu", "--top", "9"}}, {"text", []string{"components", file, "--device", "cpu", "-o", "-"}}, {"json", []string{"components", file, "--device", "cpu", "--json"}},
		{"text", []string{"graph", "info", file}}, {"json", []string{"graph", "info", file, "--json"}},
		{"dot", []string{"graph", "convert", file, "-", "--to", "dot"}}, {"csv", []string{"graph", "convert", file, "-", "--to", "csv"}}, {"json", []string{"graph", "convert", file, "-", "--to", "json"}},
		{"text", []string{"reach", file, "--from", "nothing\x1b[31m\u202e"}}, {"text", []string{"reach", file, "--from", "id:0", "--kinds", "no\x1bne"}},
		{"text", []string{"reach", filepath.Join(dir, "no\x1b[31m\u202e\xff.vyg"), "--from", "0"}}, {"text", []string{"reach\x1b[31m"}},
	} {
		var out, errOut bytes.Buffer
		status := run(context.Background(), c.args, strings.NewReader(""), &out, &errOut)
		name := strings.Join(c.args, " ")
		for what, text := range map[string]string{"output": out.String(), "errors": errOut.String()} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) }) {
				t.Errorf("%q: the %s have control characters: %q", name, what, text)
			}
		}
		if err := parses[c.form](out.Bytes()); err != nil || status != 0 && c.form != "text" {
			t.Errorf("%q: status %d, %v\n%s%s", name, status, err, out.Bytes(), errOut.Bytes())
		}
	}
}

// TestAListIsReadAsItWasWritten: what reach -o writes names the same nodes as @FILE, whatever the nodes are called.
func TestAListIsReadAsItWasWritten(t *testing.T) {
	file := hostileGraph(t)
	first, again := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "again")
	for _, args := range [][]string{
		{"reach", file, "--device", "cpu", "--from", "id:0", "--exclude", "id:10", "-o", first},
		{"reach", file, "--device", "cpu", "--from", "@" + first, "--exclude", "id:10", "-o", again},
	} {
		var out, errOut bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("%q: %d\n%s", args, status, errOut.Bytes())
		}
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(again)
	if errA != nil || errB != nil || !bytes.Equal(a, b) || bytes.Count(a, []byte("\n")) != 10 {
		t.Errorf("%v, %v\n%s\n%s", errA, errB, a, b)
	}
}
