package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var (
	measure     = flag.Bool("measure", false, "measure gossa beside other programs; some minutes")
	gosec       = flag.String("gosec", "gosec", "with -measure: where gosec is")
	govulncheck = flag.String("govulncheck", "govulncheck", "with -measure: where govulncheck is")
)

// lineSet is lines of the corpus, FILE:LINE.
type lineSet map[string]bool

// TestOthersSayOfTheSamePrograms prints the table of findings of docs/graph.md: of the lines where a flow ends, how many a tool
// reports, and how many others. gosec and govulncheck name no source, so that flows cannot be compared. Programs that need
// rules of their own are left out: those of the others are not ours to choose.
func TestOthersSayOfTheSamePrograms(t *testing.T) {
	if !*measure {
		t.Skip("only with -measure")
	}
	a := analyse(t, 0.1)
	a.names = slices.DeleteFunc(a.names, func(name string) bool { return strings.Contains(wantRules, "want/"+name+".") })
	there := make(lineSet)
	for _, name := range a.names {
		for flow := range a.marked[name].want {
			there[sinkOf(flow)] = true
		}
		for flow := range a.marked[name].missed {
			there[sinkOf(flow)] = true
		}
	}
	t.Logf("%d programs, %s", len(a.names), runtime.Version())
	t.Logf("| | lines reported | of %d where a flow ends | others |", len(there))
	row := func(tool string, said lineSet) {
		right, all := 0, 0
		for at := range said {
			if name, _, _ := strings.Cut(at, "/"); slices.Contains(a.names, name) {
				all++
				if there[at] {
					right++
				}
			}
		}
		t.Logf("| %s | %d | %d | %d |", tool, all, right, all-right)
	}
	for _, contexts := range []string{"exact", "none"} {
		row("gossa taint --contexts "+contexts, a.sinks(t, contexts))
	}
	for _, tool := range []struct {
		name, at string
		says     func(*testing.T, *corpus, *rules, string) map[string]lineSet
	}{{"gosec", *gosec, gosecSays}, {"govulncheck", *govulncheck, govulncheckSays}} {
		at, err := exec.LookPath(tool.at)
		if err != nil {
			t.Logf("| %s | not measured: %v | | |", tool.name, err)
			continue
		}
		version := ""
		if info, err := buildinfo.ReadFile(at); err == nil {
			version = " " + info.Main.Version
		}
		said := tool.says(t, a.corpus, a.rules, at)
		for _, how := range slices.Sorted(maps.Keys(said)) {
			row(tool.name+version+", "+how, said[how])
		}
	}
}

// sinkOf is the line where a flow ends.
func sinkOf(flow string) string {
	_, at, _ := strings.Cut(flow, " → ")
	return at
}

// sinks are the lines where the flows end that gossa reports.
func (a *analysed) sinks(t *testing.T, contexts string) lineSet {
	lines := make(lineSet)
	for _, flows := range a.found(t, a.graph, a.values.flowing(t, a.graph, contexts, nil), a.marked) {
		for flow := range flows {
			lines[sinkOf(flow)] = true
		}
	}
	return lines
}

// gosecInjections are gosec's rules about what comes into queries, pages, commands, files and requests: by the form of a call,
// and by taint.
var gosecInjections = map[string]*regexp.Regexp{
	"by the form of a call": regexp.MustCompile("^G(107|20[1-4]|304)$"), "by taint": regexp.MustCompile("^G7"), "either": regexp.MustCompile("^G(107|20[1-4]|304|7..)$"),
}

func gosecSays(t *testing.T, c *corpus, _ *rules, gosec string) map[string]lineSet {
	run := exec.CommandContext(t.Context(), gosec, "-quiet", "-no-fail", "-fmt=json", "./...")
	run.Dir = c.dir
	var said struct {
		Issues []struct {
			Rule       string `json:"rule_id"`
			File, Line string
		}
	}
	if err := json.Unmarshal(output(t, run), &said); err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]lineSet)
	for how, rules := range gosecInjections {
		lines[how] = make(lineSet)
		for _, i := range said.Issues {
			if rules.MatchString(i.Rule) {
				file, err := filepath.Rel(c.dir, i.File)
				if err != nil {
					t.Fatal(err)
				}
				first, _, _ := strings.Cut(i.Line, "-")
				lines[how][filepath.ToSlash(file)+":"+first] = true
			}
		}
	}
	return lines
}

// govulncheckSays asks of each program which calls of sinks are reached, by a database in which all sinks are vulnerable.
func govulncheckSays(t *testing.T, c *corpus, r *rules, govulncheck string) map[string]lineSet {
	database := vulnerable(t, c, r)
	lines := make(lineSet)
	for _, name := range c.names {
		run := exec.CommandContext(t.Context(), govulncheck, "-db", "file://"+filepath.ToSlash(database), "-format=json", "./"+name+"/...")
		run.Dir = c.dir
		for said := json.NewDecoder(bytes.NewReader(output(t, run))); ; {
			var message struct {
				Finding struct {
					Trace []struct {
						Position struct {
							Filename string
							Line     int
						}
					}
				}
			}
			if err := said.Decode(&message); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if trace := message.Finding.Trace; len(trace) > 1 { // a shorter one says that a package is imported
				lines[fmt.Sprintf("%s:%d", trace[1].Position.Filename, trace[1].Position.Line)] = true
			}
		}
	}
	return map[string]lineSet{"one call of each sink in each program": lines}
}

// vulnerable writes a database for govulncheck, in the form of go.dev/doc/security/vuln/database: a folder.
func vulnerable(t *testing.T, c *corpus, r *rules) string {
	type imported struct {
		Path    string   `json:"path"`
		Symbols []string `json:"symbols"`
	}
	symbols := make(map[string][]string)
	for _, n := range r.list {
		if n.kind == sinkRule && n.standard() {
			path := packageIn(n.name)
			symbols[path] = append(symbols[path], strings.NewReplacer("(*", "", "(", "", ")", "").Replace(n.name[len(path)+1:]))
		}
	}
	var imports []imported
	for _, path := range slices.Sorted(maps.Keys(symbols)) {
		imports = append(imports, imported{path, symbols[path]})
	}
	list, err := json.Marshal(imports)
	if err != nil {
		t.Fatal(err)
	}
	const date = `"modified":"2026-01-01T00:00:00Z"`
	c.write(t, "db/index/db.json", "{"+date+"}")
	c.write(t, "db/index/modules.json", `[{"path":"stdlib","vulns":[{"id":"GO-2026-0001",`+date+`}]}]`)
	c.write(t, "db/ID/GO-2026-0001.json", `{"schema_version":"1.3.1","id":"GO-2026-0001",`+date+`,"details":"a sink","affected":[{"package":{"name":"stdlib","ecosystem":"Go"},`+
		`"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],"ecosystem_specific":{"imports":`+string(list)+`}}]}`)
	return filepath.Join(c.dir, "db")
}

// output is what a command prints.
func output(t *testing.T, run *exec.Cmd) []byte {
	out, err := run.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		t.Fatalf("%v: %v", run, err)
	}
	return out
}
