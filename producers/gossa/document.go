package main

// document is the form of --json: all that is known of findings.
type document struct {
	Schema     string            `json:"schema"`
	Tool       string            `json:"tool"`
	Findings   []documentFinding `json:"findings"`
	Known      int               `json:"known"`   // findings that the baseline has
	Guarded    int               `json:"guarded"` // findings that are not here, behind a check of unknown content
	Ignored    int               `json:"ignored"` // findings that //gossa:ignore ends
	Nosec      int               `json:"nosec"`
	Notes      []string          `json:"notes,omitempty"`
	Reached    int               `json:"reached"`     // functions of the program's own
	NotReached int               `json:"not_reached"` // those that nothing reaches
	Unreached  []documentSpot    `json:"unreached,omitempty"`
}

const findingsSchema = "gossa.findings/1"

type documentFinding struct {
	ID         string         `json:"id"` // the same in a later version of the program: lines do not matter to it
	Class      string         `json:"class"`
	CWE        int            `json:"cwe,omitempty"`
	Severity   float64        `json:"severity,omitempty"`
	Confidence string         `json:"confidence"`
	Because    []string       `json:"because,omitempty"`
	Callee     string         `json:"callee"`
	Nth        int            `json:"nth"`
	Sink       documentSpot   `json:"sink"`
	From       string         `json:"from"`
	Source     documentSpot   `json:"source"`
	Others     int            `json:"others"`
	Path       []documentStep `json:"path,omitempty"`
}

type documentSpot struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"` // of bytes, from 1 on
	Procedure string `json:"procedure"`
}

type documentStep struct {
	documentSpot
	Words string `json:"words"`
}

func (a *answer) document(unreached bool) document {
	d := document{Schema: findingsSchema, Tool: "gossa " + version(), Findings: []documentFinding{}, Known: a.Known, Guarded: a.Guarded, Ignored: a.Ignored, Nosec: a.Nosec,
		Notes: a.Notes, Reached: a.Reached, NotReached: len(a.Unreached)}
	for _, f := range a.Shown {
		of := documentFinding{ID: f.id(), Class: f.Class, CWE: f.CWE, Severity: f.Severity, Confidence: f.Confidence.String(), Because: f.Because,
			Callee: f.Callee, Nth: f.Nth, Sink: documentSpot(f.Sink), From: f.From, Source: documentSpot(f.Source), Others: f.Others}
		for _, s := range f.Path {
			of.Path = append(of.Path, documentStep{documentSpot(s.spot), s.Words})
		}
		d.Findings = append(d.Findings, of)
	}
	for _, s := range a.unreached(unreached) {
		d.Unreached = append(d.Unreached, documentSpot(s))
	}
	return d
}
