package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
)

// Taint is what a taint query found, as it is to be shown.
type Taint struct {
	Tool, Version string // who says so
	Graph         *graph.CSR
	Query         session.TaintQuery
	Contexts      string // none or exact
	*session.Tainted
	Run Run

	Shown     []session.Finding // those that no baseline has
	Known     int               // findings that it has
	Baselined bool              // there is a baseline
}

// TaintSchema is that of the document.
const TaintSchema = "vyre.taint/1"

type taintDoc struct {
	Schema   string         `json:"schema"`
	Graph    Graph          `json:"graph"`
	Contexts string         `json:"contexts"`
	Pairs    []pair         `json:"pairs"`
	Known    int            `json:"known,omitempty"` // findings that the baseline has
	Counts   map[string]int `json:"counts"`          // of all findings, by label
	Run      Run            `json:"run"`
}

// pair is a finding. Source is where its path begins.
type pair struct {
	Sink   Node   `json:"sink"`
	Label  string `json:"label"`
	Source *Node  `json:"source,omitempty"`
	Path   []Node `json:"path,omitempty"`
}

// Baseline is the findings of an earlier document.
type Baseline map[string]bool

// ReadBaseline reads what JSON wrote.
func ReadBaseline(b []byte) (Baseline, error) {
	var doc taintDoc
	if err := json.Unmarshal(b, &doc); err != nil || doc.Schema != TaintSchema {
		return nil, errors.Join(err, fmt.Errorf("it is no document of vyre taint --json, whose schema is %q", TaintSchema))
	}
	old := make(Baseline)
	for _, p := range doc.Pairs {
		name := p.Sink.Name
		if name == "" {
			name = fmt.Sprint(p.Sink.Node)
		}
		old[name+"\x00"+p.Label] = true
	}
	return old, nil
}

// Against chooses the findings that are shown: all that a baseline does not have. nil is none.
func (t *Taint) Against(old Baseline) {
	t.Shown, t.Known, t.Baselined = nil, 0, old != nil
	for _, f := range t.Findings {
		if old[t.key(f)] {
			t.Known++
		} else {
			t.Shown = append(t.Shown, f)
		}
	}
}

// key is what a finding is known by in a later graph: names where there are any.
func (t *Taint) key(f session.Finding) string {
	return t.called(f.Sink) + "\x00" + t.Query.Sources[f.Label].Label
}

// called is a node's name, or its id.
func (t *Taint) called(v uint32) string {
	if name := t.Graph.Name(v); name != "" {
		return name
	}
	return fmt.Sprint(v)
}

// shown is the same for people.
func (t *Taint) shown(v uint32) string { return printable.Text(t.called(v)) }

// JSON writes one document.
func (t *Taint) JSON(ctx context.Context, w io.Writer) error {
	of, err := Of(ctx, t.Graph)
	if err != nil {
		return err
	}
	doc := taintDoc{Schema: TaintSchema, Graph: of, Contexts: t.Contexts, Pairs: []pair{}, Known: t.Known, Counts: map[string]int{}, Run: t.Run}
	for i, n := range t.Counts {
		doc.Counts[t.Query.Sources[i].Label] = n
	}
	for _, f := range t.Shown {
		e := pair{Sink: NodeOf(t.Graph, f.Sink), Label: t.Query.Sources[f.Label].Label}
		for i, step := range f.Path {
			at := NodeOf(t.Graph, step.Node)
			if i > 0 {
				at.Kinds = t.Graph.KindNames(step.Mask)
			}
			e.Path = append(e.Path, at)
		}
		if len(e.Path) > 0 {
			e.Source = &e.Path[0]
		}
		doc.Pairs = append(doc.Pairs, e)
	}
	return json.NewEncoder(printable.JSONWriter(w)).Encode(doc)
}

// Text writes the findings with their paths, and how they were found.
func (t *Taint) Text(w io.Writer) error {
	sinks := len(slices.Compact(slices.Sorted(slices.Values(t.Query.Sinks))))
	fmt.Fprintf(w, "%s, from %d of %s to %d of %s\n", counted(len(t.Shown), "finding"), t.labels(), counted(len(t.Query.Sources), "label"), t.reachedSinks(), counted(sinks, "sink"))
	if t.Baselined {
		fmt.Fprintf(w, "%s in the baseline\n", Thousands(int64(t.Known)))
	}
	for _, f := range t.Shown {
		fmt.Fprintf(w, "\n%s → %s\n", printable.Text(t.Query.Sources[f.Label].Label), t.shown(f.Sink))
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for i, s := range f.Path {
			how := ""
			if i > 0 && t.Graph.Masks() != nil {
				how = strings.Join(printable.All(t.Graph.KindNames(s.Mask)), ", ")
			}
			fmt.Fprintf(columns, "\t%s\t%d%s\n", how, s.Node, Named(t.Graph, s.Node))
		}
		if err := columns.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, t.Run.Line())
	return err
}

// labels is how many sources have a finding that is shown, reachedSinks how many sinks.
func (t *Taint) labels() int {
	set := make(map[int]bool)
	for _, f := range t.Shown {
		set[f.Label] = true
	}
	return len(set)
}

func (t *Taint) reachedSinks() int {
	set := make(map[uint32]bool)
	for _, f := range t.Shown {
		set[f.Sink] = true
	}
	return len(set)
}
