package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/internal/printable"
)

// evidenceCmd is about measured comparisons.
type evidenceCmd struct {
	Run   evidenceRunCmd   `cmd:"" help:"Measure a search by four protocols, and write a file of comparisons."`
	Check evidenceCheckCmd `cmd:"" help:"Check a file of measured comparisons, and print every ratio."`

	Explain evidenceExplainCmd `cmd:"" help:"Print what runs on a device came to, and what is chosen by it."`
}

// maxEvidence bounds a file of comparisons; one of the most rows that are read is smaller.
const maxEvidence = 64 << 20

// evidenceCheckCmd holds a file against the gate.
type evidenceCheckCmd struct {
	File             string   `arg:"" help:"CSV file; - is standard input."`
	RequireNaive     *float64 `placeholder:"R" help:"The least ratio of the naive protocol's time to the resident one's, in every sample."`
	RequireStrong    *float64 `placeholder:"R" help:"The same for the strong protocol."`
	RequireBestOther *float64 `placeholder:"R" help:"The same for the best other one."`
	AnyDevice        bool     `help:"Let small GPUs pass, and devices that are none: for rehearsals."`
	JSON             bool     `help:"Print ratios and rejections as one JSON document."`
}

// Help is the long help of the command.
func (evidenceCheckCmd) Help() string {
	return `A file passes if its counters follow from its rounds and repetitions, the resident regions had no upload, wait or
allocation in them, all results agree, and graph, device and number of samples are large enough. Every ratio is
printed, whatever is required: to naive, to strong and to the best other protocol, by wall and device time. The exit
status is 0 if the file passes and 1 if it is rejected.

Example:
  vyre evidence check speedup.csv --require-naive 20 --require-strong 1 --require-best-other 1`
}

// evidenceDoc is the form of --json.
type evidenceDoc struct {
	File       string           `json:"file"`
	Passed     bool             `json:"passed"`
	Proof      *evidence.Proof  `json:"proof,omitempty"` // none if a row could not be read
	Rejections []rejectionEntry `json:"rejections"`
}

type rejectionEntry struct {
	Code  evidence.Code `json:"code"`
	Line  int           `json:"line,omitempty"`
	Field string        `json:"field,omitempty"`
	Text  string        `json:"text"`
}

func (c *evidenceCheckCmd) Run(t *terminal) error {
	gate := c.gate()
	if err := gate.Valid(); err != nil {
		return asUsage(err)
	}
	b, err := t.read(c.File, maxEvidence)
	if err != nil {
		return err
	}
	return checkEvidence(t, c.File, gate, b, c.JSON)
}

// checkEvidence holds a file against a gate, and prints what comes out.
func checkEvidence(t *terminal, file string, gate evidence.Gate, b []byte, asJSON bool) error {
	proof, err := gate.Check(bytes.NewReader(b))
	var rejected evidence.Rejections
	if err != nil && !errors.As(err, &rejected) {
		return err
	}
	if asJSON {
		err = printEvidenceJSON(t, file, proof, rejected)
	} else {
		err = printEvidence(t, file, proof, rejected)
	}
	if err == nil && len(rejected) > 0 {
		return errSilent
	}
	return err
}

// gate is what the flags ask for.
func (c *evidenceCheckCmd) gate() evidence.Gate {
	g := evidence.Gate{Require: map[evidence.Protocol]float64{}, AnyDevice: c.AnyDevice}
	for p, need := range map[evidence.Protocol]*float64{
		evidence.Naive: c.RequireNaive, evidence.Strong: c.RequireStrong, evidence.BestOther: c.RequireBestOther,
	} {
		if need != nil {
			g.Require[p] = *need
		}
	}
	return g
}

// printEvidence prints the ratios, and to standard error why they do not count.
func printEvidence(t *terminal, file string, proof *evidence.Proof, rejected evidence.Rejections) error {
	verdict := "passed"
	if len(rejected) > 0 {
		verdict = "rejected"
	}
	if _, err := fmt.Fprintf(t.out, "%s: %s\n", file, verdict); err != nil {
		return err
	}
	for _, r := range rejected {
		if r.Line > 0 {
			fmt.Fprintf(t.err, "%s:%d: %s: %s\n", file, r.Line, r.Code, r.Text)
		} else {
			fmt.Fprintf(t.err, "%s: %s: %s\n", file, r.Code, r.Text)
		}
	}
	if proof == nil {
		return nil
	}
	return proof.Write(t.out)
}

func printEvidenceJSON(t *terminal, file string, proof *evidence.Proof, rejected evidence.Rejections) error {
	doc := evidenceDoc{File: file, Passed: len(rejected) == 0, Proof: proof, Rejections: []rejectionEntry{}}
	for _, r := range rejected {
		doc.Rejections = append(doc.Rejections, rejectionEntry{r.Code, r.Line, r.Field, r.Text})
	}
	return json.NewEncoder(printable.JSONWriter(t.out)).Encode(doc)
}
