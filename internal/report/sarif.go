package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
)

// What SARIF 2.1.0 needs of its many types (OASIS, "Static Analysis Results Interchange Format", 2020).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID   string    `json:"id"`
		Text sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string           `json:"ruleId"`
		Level     string           `json:"level"`
		Message   sarifText        `json:"message"`
		Locations []sarifLocation  `json:"locations"`
		Flows     []sarifCodeFlow  `json:"codeFlows,omitempty"`
		Prints    sarifFingerprint `json:"partialFingerprints"`
	}
	sarifFingerprint struct {
		Pair string `json:"vyreTaint/v1"`
	}
	sarifCodeFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region sarifRegion `json:"region"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// SARIF writes the findings, with paths as code flows.
func (t *Taint) SARIF(w io.Writer) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: t.Tool, Version: t.Version, Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for _, s := range t.Query.Sources {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{printable.Text(s.Label), sarifText{"values of " + printable.Text(s.Label) + " come to a sink"}})
	}
	for _, f := range t.Shown {
		label := printable.Text(t.Query.Sources[f.Label].Label)
		r := sarifResult{Rule: label, Level: "warning", Message: sarifText{fmt.Sprintf("values of %s come to %s", label, t.shown(f.Sink))},
			Locations: []sarifLocation{t.location(f.Sink, "")}, Prints: sarifFingerprint{t.shown(f.Sink) + " < " + label}}
		if f.Path != nil {
			r.Flows = []sarifCodeFlow{{[]sarifThread{{t.steps(f.Path)}}}}
		}
		run.Results = append(run.Results, r)
	}
	e := json.NewEncoder(printable.JSONWriter(w))
	e.SetIndent("", " ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (t *Taint) steps(path []session.Step) (list []sarifStep) {
	for i, s := range path {
		how := ""
		if i > 0 {
			how = strings.Join(printable.All(t.Graph.KindNames(s.Mask)), ", ")
		}
		list = append(list, sarifStep{t.location(s.Node, how)})
	}
	return list
}

// location is where a node stands, as far as the graph says it, and what it is called.
func (t *Taint) location(v uint32, how string) sarifLocation {
	l := sarifLocation{Logical: []sarifLogical{{t.shown(v)}}}
	if how != "" {
		l.Message = &sarifText{how}
	}
	if at := graph.ParsePosition(t.Graph.Position(v)); at.Line > 0 {
		l.Physical = &sarifPhysical{Region: sarifRegion{at.Line, at.Column}}
		l.Physical.Artifact.URI = uriOf(at.File)
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
