// Package sarif has what findings need of the many types of SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange
// Format", 2020), and writes a document of them. `vyre taint` and gossa fill it.
package sarif

import (
	"encoding/json"
	"io"

	"github.com/govyre/vyre/internal/printable"
)

// Schema is where the schema of a document is published.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The types have the standard's names. What is left out where it is zero is optional.
type (
	Log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}
	Run struct {
		Tool        Tool            `json:"tool"`
		Invocations []Invocation    `json:"invocations,omitempty"`
		Bases       map[string]Base `json:"originalUriBaseIds,omitempty"`
		Columns     string          `json:"columnKind,omitempty"`
		Results     []Result        `json:"results"`
	}
	Tool struct {
		Driver Driver `json:"driver"`
	}
	Driver struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		URI     string `json:"informationUri,omitempty"`
		Rules   []Rule `json:"rules"`
	}
	Rule struct {
		ID         string      `json:"id"`
		Name       string      `json:"name,omitempty"`
		Short      Text        `json:"shortDescription"`
		Full       *Text       `json:"fullDescription,omitempty"`
		Help       string      `json:"helpUri,omitempty"`
		Properties *Properties `json:"properties,omitempty"`
	}
	Properties struct {
		Severity  string   `json:"security-severity,omitempty"`
		Precision string   `json:"precision"`
		Tags      []string `json:"tags"`
	}
	Text struct {
		Text string `json:"text"`
	}
	Invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	Notification struct {
		Level   string `json:"level"`
		Message Text   `json:"message"`
	}
	Base struct {
		Description Text `json:"description"`
	}
	Result struct {
		Rule      string            `json:"ruleId"`
		Index     *int              `json:"ruleIndex,omitempty"`
		Level     string            `json:"level"`
		Message   Text              `json:"message"`
		Locations []Location        `json:"locations"`
		Flows     []CodeFlow        `json:"codeFlows,omitempty"`
		Prints    map[string]string `json:"partialFingerprints"`
	}
	CodeFlow struct {
		Threads []ThreadFlow `json:"threadFlows"`
	}
	ThreadFlow struct {
		Locations []Step `json:"locations"`
	}
	Step struct {
		Location Location `json:"location"`
	}
	Location struct {
		Physical *Physical `json:"physicalLocation,omitempty"`
		Logical  []Logical `json:"logicalLocations"`
		Message  *Text     `json:"message,omitempty"`
	}
	Physical struct {
		Artifact Artifact `json:"artifactLocation"`
		Region   Region   `json:"region"`
	}
	Artifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	Region struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	Logical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind,omitempty"`
	}
)

// Flow is the one code flow of a path.
func Flow(steps []Step) []CodeFlow {
	if len(steps) == 0 {
		return nil
	}
	return []CodeFlow{{[]ThreadFlow{{steps}}}}
}

// Write writes a document with one run.
func Write(w io.Writer, run Run) error {
	e := json.NewEncoder(printable.JSONWriter(w))
	e.SetIndent("", " ")
	return e.Encode(Log{Schema, "2.1.0", []Run{run}})
}
