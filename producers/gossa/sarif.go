package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

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
		Tool        sarifTool            `json:"tool"`
		Invocations []sarifInvocation    `json:"invocations"`
		Bases       map[string]sarifBase `json:"originalUriBaseIds"`
		Columns     string               `json:"columnKind"`
		Results     []sarifResult        `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Made  string      `json:"version"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		Short      sarifText       `json:"shortDescription"`
		Full       sarifText       `json:"fullDescription"`
		Help       string          `json:"helpUri"`
		Properties sarifProperties `json:"properties"`
	}
	sarifProperties struct {
		Severity  string   `json:"security-severity,omitempty"`
		Precision string   `json:"precision"`
		Tags      []string `json:"tags"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifBase struct {
		Description sarifText `json:"description"`
	}
	sarifResult struct {
		Rule      string            `json:"ruleId"`
		Index     int               `json:"ruleIndex"`
		Level     string            `json:"level"`
		Message   sarifText         `json:"message"`
		Locations []sarifLocation   `json:"locations"`
		Flows     []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Prints    map[string]string `json:"partialFingerprints"`
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
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const (
	// mostResults is how many results GitHub takes of one run.
	mostResults = 25_000
	// helpURI is where the page about classes is.
	helpURI = "https://github.com/govyre/vyre/tree/main/producers/gossa#classes"
)

// Paths are relative to one of these. Neither says where it is on this machine.
var sarifBases = map[string]sarifBase{
	"%SRCROOT%":  {sarifText{"The root of the repository."}},
	"%PACKAGES%": {sarifText{"Where packages of others are: a path is an import path and a file."}},
}

// sarif writes the findings that are shown, with paths as code flows. Of too many, the most severe are there, and how many are not
// is said.
func (a *answer) sarif(w io.Writer) error {
	list := a.Shown
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "gossa", Made: version(), URI: strings.TrimSuffix(helpURI, "#classes"), Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true}}, Bases: sarifBases, Columns: "unicodeCodePoints", Results: []sarifResult{}}
	note := func(s string) {
		n := &run.Invocations[0].Notifications
		*n = append(*n, sarifNotification{"warning", sarifText{printable.Text(s)}})
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
	e := json.NewEncoder(printable.JSONWriter(w))
	e.SetIndent("", " ")
	return e.Encode(sarifLog{"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifRuleOf is the rule of a class.
func sarifRuleOf(id string) sarifRule {
	d, known := described[id]
	if !known {
		d.title, d.full = "Value from outside in a sink of class "+id, "A value from outside comes to where rules of this program say that it must not."
	}
	r := sarifRule{ID: "go/" + printable.Text(id), Name: camel(d.title), Short: sarifText{d.title}, Full: sarifText{d.full}, Help: helpURI,
		Properties: sarifProperties{Precision: "high", Tags: []string{"security"}}}
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

func (t *sourceTree) sarifResult(f finding, rule int) sarifResult {
	id := f.id()
	r := sarifResult{Rule: "go/" + printable.Text(f.Class), Index: rule, Level: "warning",
		Message:   sarifText{printable.Text(fmt.Sprintf("%s gets a value of %s", f.Callee, f.From))},
		Locations: []sarifLocation{t.sarifLocation(f.Sink, "")},
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
	var steps []sarifStep
	for _, s := range f.Path {
		steps = append(steps, sarifStep{t.sarifLocation(s.spot, s.Words)})
	}
	if steps != nil {
		r.Flows = []sarifCodeFlow{{[]sarifThread{{steps}}}}
	}
	return r
}

// sarifLocation is a place: relative to the root of the repository, or to where packages are.
func (t *sourceTree) sarifLocation(s spot, words string) sarifLocation {
	l := sarifLocation{Logical: []sarifLogical{{printable.Text(s.Procedure), "function"}}}
	if words != "" {
		l.Message = &sarifText{printable.Text(words)}
	}
	if s.Line > 0 {
		at := sarifArtifact{s.File, "%PACKAGES%"}
		if file, is := t.file(s); is {
			if rel, err := filepath.Rel(t.root, file); err == nil {
				at = sarifArtifact{filepath.ToSlash(rel), "%SRCROOT%"}
			}
		}
		at.URI = (&url.URL{Path: at.URI}).String()
		l.Physical = &sarifPhysical{at, sarifRegion{s.Line, t.column(s, false)}}
	}
	return l
}
