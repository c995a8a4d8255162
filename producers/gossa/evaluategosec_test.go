package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// gosecModule is where the samples of gosec are from.
const gosecModule = "github.com/securego/gosec/v2@v2.30.0"

// gosecClasses are the classes of its rules about taint.
var gosecClasses = map[string][]string{
	"g701": {"sql"}, "g702": {"command"}, "g703": {"path", "zipslip"}, "g704": {"ssrf"}, "g705": {"xss"}, "g706": {"log"},
	"g707": {"mail"}, "g708": {"template", "xss"}, "g709": {"deserialise"}, "g710": {"redirect"},
}

// gosecSample is one of gosec's, with how many lines it wants to be reported.
type gosecSample struct {
	name   string
	code   []string
	errors int
}

// moduleDir is the folder of a module in the cache of the go command, fetched if it is not there.
func moduleDir(t *testing.T, module string) (string, error) {
	t.Helper()
	run := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	run.Dir = t.TempDir()
	out, err := run.Output()
	var said struct{ Dir, Error string }
	if json.Unmarshal(out, &said) == nil && said.Error != "" {
		return "", fmt.Errorf("%s", said.Error)
	}
	return said.Dir, err
}

// gosecSamples reads the samples of a rule out of the source.
func gosecSamples(t *testing.T, dir, rule string) (list []gosecSample) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "testutils", rule+"_samples.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		one, is := n.(*ast.CompositeLit)
		if !is || one.Type != nil || len(one.Elts) < 2 {
			return true
		}
		s := gosecSample{name: fmt.Sprintf("%s/s%03d", rule, len(list)), errors: -1}
		for _, e := range one.Elts {
			if kv, is := e.(*ast.KeyValueExpr); is {
				e = kv.Value
			}
			switch e := e.(type) {
			case *ast.CompositeLit:
				for _, text := range e.Elts {
					if b, is := text.(*ast.BasicLit); is {
						code, err := strconv.Unquote(b.Value)
						if err != nil {
							t.Fatal(err)
						}
						s.code = append(s.code, code)
					}
				}
			case *ast.BasicLit:
				if s.errors, err = strconv.Atoi(e.Value); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s.errors >= 0 && len(s.code) > 0 {
			list = append(list, s)
		}
		return false
	})
	if len(list) == 0 {
		t.Fatalf("no samples in %s of %s", rule, dir)
	}
	return list
}

// evaluateGosec asks of all samples, in one module.
func evaluateGosec(t *testing.T) (rows []evaluated) {
	dir, err := moduleDir(t, gosecModule)
	if err != nil {
		t.Skipf("%s cannot be had: %v", gosecModule, err)
	}
	all, marked := make(map[string][]gosecSample), checkedIn(t, "testdata/suites.txt")
	files := make(map[string]string)
	for rule := range gosecClasses {
		all[rule] = gosecSamples(t, dir, rule)
		for _, s := range all[rule] {
			for i, code := range s.code {
				files[fmt.Sprintf("%s/f%d.go", s.name, i)] = code
			}
		}
	}
	module := t.TempDir()
	writeModule(t, module, files)
	found, err := taintsOf(t, asked{dir: module, patterns: []string{"./..."}, sources: []string{"cli"}, samples: true})
	if err != nil {
		t.Fatal(err)
	}
	total := evaluated{what: "gosec v2.30.0, samples of G701 to G710"}
	for _, rule := range sortedRules(gosecClasses) {
		row := evaluated{what: "gosec v2.30.0, " + strings.ToUpper(rule)}
		for _, s := range all[rule] {
			got := len(inFolder(found, s.name, gosecClasses[rule]...))
			row.wanted += s.errors
			row.found += min(got, s.errors)
			for range max(0, got-s.errors) {
				row.other(t, marked[gosecClasses[rule][0]+" "+s.name], s.name)
			}
			if got != s.errors {
				t.Logf("%s: %d lines are reported, and %d are wanted\n%s", s.name, got, s.errors, strings.Join(s.code, "\n"))
			}
		}
		total.wanted, total.found, total.others, total.knownFalse = total.wanted+row.wanted, total.found+row.found, total.others+row.others, total.knownFalse+row.knownFalse
		rows = append(rows, row)
	}
	return append(rows, total)
}
