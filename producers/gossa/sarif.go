package main

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/sarif"
)

const (
	// mostResults is how many results GitHub takes of one run.
	mostResults = 25_000
	// helpURI is where the page about classes is.
	helpURI = "https://github.com/govyre/vyre/tree/main/producers/gossa#classes"
)

// Paths are relative to one of these. Neither says where it is on this machine.
var sarifBases = map[string]sarif.Base{
	"%SRCROOT%":  {Description: sarif.Text{Text: "The root of the repository."}},
	"%PACKAGES%": {Description: sarif.Text{Text: "Where packages of others are: a path is an import path and a file."}},
}

// sarif writes the findings that are shown, with paths as code flows. Of too many, the most severe are there, and how many are not
// is said.
func (a *answer) sarif(w io.Writer) error {
	list := a.Shown
	run := sarif.Run{Tool: sarif.Tool{Driver: sarif.Driver{Name: "gossa", Version: version(), URI: strings.TrimSuffix(helpURI, "#classes"), Rules: []sarif.Rule{}}},
		Invocations: []sarif.Invocation{{Successful: true}}, Bases: sarifBases, Columns: "unicodeCodePoints", Results: []sarif.Result{}}
	note := func(s string) {
		n := &run.Invocations[0].Notifications
		*n = append(*n, sarif.Notification{Level: "warning", Message: sarif.Text{Text: printable.Text(s)}})
	}
	for _, s := range a.Notes {
		note(s)
	}
	if len(list) > mostResults {
		note(fmt.Sprintf("%d findings are left out, the least severe ones: a run has %d at most", len(list)-mostResults, mostResults))
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(x, y finding) int { return int(1000 * (y.Severity - x.Severity)) })
		list = list[:mostResults]
	}
	var ids []string
	for _, f := range list {
		ids = append(ids, f.Class)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(id))
	}
	for _, f := range list {
		run.Results = append(run.Results, a.tree.sarifResult(f, slices.Index(ids, f.Class)))
	}
	return sarif.Write(w, run)
}

// sarifRuleOf is the rule of a class.
func sarifRuleOf(id string) sarif.Rule {
	d, known := described[id]
	if !known {
		d.title, d.full = "Value from outside in a sink of class "+id, "A value from outside comes to where rules of this program say that it must not."
	}
	r := sarif.Rule{ID: "go/" + printable.Text(id), Name: camel(d.title), Short: sarif.Text{Text: d.title}, Full: &sarif.Text{Text: d.full}, Help: helpURI,
		Properties: &sarif.Properties{Precision: "high", Tags: []string{"security"}}}
	if c := classes[id]; c.cwe > 0 {
		r.Properties.Severity = fmt.Sprintf("%.1f", c.severity)
		r.Properties.Tags = append(r.Properties.Tags, fmt.Sprintf("external/cwe/cwe-%03d", c.cwe))
	}
	return r
}

// camel is a title in one word.
func camel(title string) string {
	var b strings.Builder
	for _, w := range strings.Fields(title) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

func (t *sourceTree) sarifResult(f finding, rule int) sarif.Result {
	id := f.id()
	r := sarif.Result{Rule: "go/" + printable.Text(f.Class), Index: &rule, Level: "warning",
		Message:   sarif.Text{Text: printable.Text(fmt.Sprintf("%s gets a value of %s", f.Callee, f.From))},
		Locations: []sarif.Location{t.sarifLocation(f.Sink, "")},
		// The first is what GitHub tells alerts apart by.
		Prints: map[string]string{"primaryLocationLineHash": id + ":1", "gossa/v1": id}}
	if f.Severity >= 7 {
		r.Level = "error"
	}
	if f.Others > 0 {
		r.Message.Text += fmt.Sprintf(", and of %s", counted(f.Others, "other source"))
	}
	if f.Confidence != exact {
		r.Message.Text += printable.Text(fmt.Sprintf(" (%s: %s)", f.Confidence, strings.Join(f.Because, ", ")))
	}
	var steps []sarif.Step
	for _, s := range f.Path {
		steps = append(steps, sarif.Step{Location: t.sarifLocation(s.spot, s.Words)})
	}
	r.Flows = sarif.Flow(steps)
	return r
}

// sarifLocation is a place: relative to the root of the repository, or to where packages are.
func (t *sourceTree) sarifLocation(s spot, words string) sarif.Location {
	l := sarif.Location{Logical: []sarif.Logical{{Name: printable.Text(s.Procedure), Kind: "function"}}}
	if words != "" {
		l.Message = &sarif.Text{Text: printable.Text(words)}
	}
	if s.Line > 0 {
		at := sarif.Artifact{URI: s.File, Base: "%PACKAGES%"}
		if file, is := t.file(s); is {
			if rel, err := filepath.Rel(t.root, file); err == nil {
				at = sarif.Artifact{URI: filepath.ToSlash(rel), Base: "%SRCROOT%"}
			}
		}
		at.URI = (&url.URL{Path: at.URI}).String()
		l.Physical = &sarif.Physical{Artifact: at, Region: sarif.Region{Line: s.Line, Column: t.column(s, false)}}
	}
	return l
}
