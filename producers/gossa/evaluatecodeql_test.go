package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var codeql = flag.String("codeql", "", "with -long: where a checkout of CodeQL's Go tests is, the `FOLDER` with query-tests/Security; the proxy of modules has none")

// codeqlTests are its queries about what gossa looks for as well.
var codeqlTests = []struct {
	dir, name string
	classes   []string
}{
	{"CWE-022", "TaintedPath", []string{"path"}},
	{"CWE-022", "ZipSlip", []string{"zipslip"}},
	{"CWE-022", "UnsafeUnzipSymlink", []string{"zipslip"}},
	{"CWE-078", "CommandInjection", []string{"command"}},
	{"CWE-078", "StoredCommand", []string{"command"}},
	{"CWE-079", "ReflectedXss", []string{"xss"}},
	{"CWE-079", "StoredXss", []string{"xss"}},
	{"CWE-089", "SqlInjection", []string{"sql", "nosql"}},
	{"CWE-601/OpenUrlRedirect", "OpenUrlRedirect", []string{"redirect"}},
	{"CWE-918", "RequestForgery", []string{"ssrf"}},
}

var codeqlPlace = regexp.MustCompile(`\| ([^ :|]+\.go):(\d+):`)

// codeqlWants are the lines that a query is to report, each with the one where its flow ends: of archives it reports where it
// begins.
func codeqlWants(t *testing.T, file string) (lines map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines = make(map[string]string)
	selected := false
	for s := bufio.NewScanner(f); s.Scan(); {
		selected = selected || strings.HasPrefix(s.Text(), "#select")
		if m := codeqlPlace.FindAllStringSubmatch(s.Text(), 3); selected && len(m) == 3 {
			lines[m[0][1]+":"+m[0][2]] = m[2][1] + ":" + m[2][2]
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s wants nothing", file)
	}
	return lines
}

// evaluateCodeql asks of its tests, each folder a module. A query says where a flow ends, or, of archives, where it begins.
func evaluateCodeql(t *testing.T) (rows []evaluated) {
	if *codeql == "" {
		t.Skip("only with -codeql FOLDER")
	}
	found, marked := make(map[string][]reported), checkedIn(t, "testdata/suites.txt")
	all := make(map[string][]string) // lines that some query of a folder wants
	total := evaluated{what: "CodeQL's Go tests, ten queries"}
	for _, test := range codeqlTests {
		from := filepath.Join(*codeql, "query-tests", "Security", test.dir)
		if found[test.dir] == nil {
			dir := filepath.Join(t.TempDir(), "tests")
			if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
				writeModule(t, dir, map[string]string{"go.mod": "module tests\n\ngo 1.18\n"})
			}
			list, err := taintsOf(t, asked{dir: dir, patterns: []string{"."}, sources: []string{"stored"}, samples: true})
			if err != nil {
				t.Fatal(err)
			}
			found[test.dir] = list
		}
		want := codeqlWants(t, filepath.Join(from, test.name+".expected"))
		for at, sink := range want {
			want[at] = callAt(t, from, sink)
		}
		all[test.dir+test.classes[0]] = append(all[test.dir+test.classes[0]], slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Values(want)))...)
		row := evaluated{what: "CodeQL, " + test.name, wanted: len(want)}
		for _, at := range slices.Sorted(maps.Keys(want)) {
			if slices.ContainsFunc(found[test.dir], func(r reported) bool {
				return slices.Contains(test.classes, r.class) && (r.at == at || r.from == at || r.at == want[at])
			}) {
				row.found++
			} else {
				t.Logf("%s: %s/%s is not reported", test.name, test.dir, at)
			}
		}
		rows = append(rows, row)
		total.wanted, total.found = total.wanted+row.wanted, total.found+row.found
	}
	for i, test := range codeqlTests {
		if i+1 < len(codeqlTests) && codeqlTests[i+1].dir == test.dir && codeqlTests[i+1].classes[0] == test.classes[0] {
			continue // the lines of both are known only at the last one
		}
		seen := make(map[string]bool)
		for _, r := range found[test.dir] {
			want := all[test.dir+test.classes[0]]
			if slices.Contains(test.classes, r.class) && !seen[r.at] && !slices.Contains(want, r.at) && !slices.Contains(want, r.from) {
				seen[r.at] = true
				t.Logf("%s: %s/%s is reported as %s, from %s", test.name, test.dir, r.at, r.class, r.from)
				rows[i].other(t, marked[r.class+" "+test.dir+"/"+r.at], r.at)
				total.other(t, marked[r.class+" "+test.dir+"/"+r.at], r.at)
			}
		}
	}
	return append(rows, total)
}

// callAt is where a call is, of FILE:LINE of one of its arguments: the suite marks arguments, and calls may have several lines.
func callAt(t *testing.T, dir, at string) string {
	t.Helper()
	name, line, _ := strings.Cut(at, ":")
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		from, to := files.Position(call.Lparen).Line, files.Position(call.Rparen).Line
		for _, a := range call.Args {
			if first, last := files.Position(a.Pos()).Line, files.Position(a.End()).Line; from < to && strconv.Itoa(last) == line && first != from {
				at = fmt.Sprintf("%s:%d", name, from)
			}
		}
		return true
	})
	return at
}
