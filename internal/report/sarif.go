package report

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/sarif"
)

// SARIF writes the findings, with paths as code flows.
func (t *Taint) SARIF(w io.Writer) error {
	run := sarif.Run{Tool: sarif.Tool{Driver: sarif.Driver{Name: t.Tool, Version: t.Version, Rules: []sarif.Rule{}}}, Results: []sarif.Result{}}
	for _, s := range t.Query.Sources {
		label := printable.Text(s.Label)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.Rule{ID: label, Short: sarif.Text{Text: "values of " + label + " come to a sink"}})
	}
	for _, f := range t.Shown {
		label := printable.Text(t.Query.Sources[f.Label].Label)
		run.Results = append(run.Results, sarif.Result{Rule: label, Level: "warning", Message: sarif.Text{Text: fmt.Sprintf("values of %s come to %s", label, t.shown(f.Sink))},
			Locations: []sarif.Location{t.location(f.Sink, "")}, Flows: sarif.Flow(t.steps(f.Path)),
			Prints: map[string]string{"vyreTaint/v1": t.shown(f.Sink) + " < " + label}})
	}
	return sarif.Write(w, run)
}

func (t *Taint) steps(path []session.Step) (list []sarif.Step) {
	for i, s := range path {
		how := ""
		if i > 0 {
			how = strings.Join(printable.All(t.Graph.KindNames(s.Mask)), ", ")
		}
		list = append(list, sarif.Step{Location: t.location(s.Node, how)})
	}
	return list
}

// location is where a node is, as far as the graph says it, and its name.
func (t *Taint) location(v uint32, how string) sarif.Location {
	l := sarif.Location{Logical: []sarif.Logical{{Name: t.shown(v)}}}
	if how != "" {
		l.Message = &sarif.Text{Text: how}
	}
	if at := graph.ParsePosition(t.Graph.Position(v)); at.Line > 0 {
		l.Physical = &sarif.Physical{Artifact: sarif.Artifact{URI: uriOf(at.File)}, Region: sarif.Region{Line: at.Line, Column: at.Column}}
	}
	return l
}

// drive begins an absolute path of Windows.
var drive = regexp.MustCompile(`^[A-Za-z]:[/\\]`)

// uriOf is a path as a URI reference: relative paths stay relative, absolute ones have the scheme file, also those of another
// system than this one.
func uriOf(path string) string {
	if drive.MatchString(path) || strings.Contains(path, `\`) && !strings.Contains(path, "/") {
		path = strings.ReplaceAll(path, `\`, "/") // no other system's names are likely to look so
	}
	switch host, rest, _ := strings.Cut(strings.TrimPrefix(path, "//"), "/"); {
	case drive.MatchString(path):
		return (&url.URL{Scheme: "file", Path: "/" + path}).String()
	case strings.HasPrefix(path, "//") && validHost.MatchString(host):
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + rest}).String()
	case strings.HasPrefix(path, "/"):
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

var validHost = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
