package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/printable"
)

// form is how findings are printed, and when that is a failure.
type form struct {
	JSON      bool   `help:"Print one JSON document." xor:"form"`
	SARIF     bool   `name:"sarif" help:"Print SARIF 2.1.0, a result for each finding." xor:"form"`
	FailOn    string `enum:"none,any" default:"none" help:"End with exit status 3 if any finding is printed (${enum})."`
	Guarded   bool   `help:"Print also findings behind a check whose content is not known."`
	Unreached bool   `help:"List the functions of the program's own that nothing reaches."`
}

// answer is what was found in packages, as it is printed.
type answer struct {
	Findings  []finding // sorted, without those that comments end
	Shown     []finding // of these, what the baseline does not have
	Known     int       // findings that it has
	Guarded   int       // findings behind a check of unknown content, if they are not shown
	Ignored   int       // findings that //gossa:ignore ends
	Nosec     int       // those that #nosec ends
	Notes     []string  // packages that are left out, and comments that say nothing
	Reached   int       // functions of the program's own
	Unreached []spot    // those that nothing reaches
	tree      *sourceTree
}

// id is made of the class, the procedure, and what is called there for the how manyth time.
func (f *finding) id() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.Class, f.Sink.Procedure, f.Callee, f.Nth))
	return hex.EncodeToString(sum[:8])
}

// sort puts findings in the order of their places.
func (a *answer) sort() {
	slices.SortFunc(a.Findings, func(x, y finding) int {
		return cmp.Or(strings.Compare(x.Sink.File, y.Sink.File), cmp.Compare(x.Sink.Line, y.Sink.Line), cmp.Compare(x.Sink.Column, y.Sink.Column),
			strings.Compare(x.Class, y.Class), strings.Compare(x.id(), y.id()))
	})
}

// against chooses what is shown: findings that known does not have, with those that are guarded or without.
func (a *answer) against(known map[string]bool, guards bool) {
	a.Shown, a.Known, a.Guarded = nil, 0, 0
	for _, f := range a.Findings {
		switch {
		case known[f.id()]:
			a.Known++
		case f.Confidence == guarded && !guards:
			a.Guarded++
		default:
			a.Shown = append(a.Shown, f)
		}
	}
}

// ids are those of all findings.
func (a *answer) ids() map[string]bool {
	list := make(map[string]bool, len(a.Findings))
	for _, f := range a.Findings {
		list[f.id()] = true
	}
	return list
}

// readBaseline reads which findings a document has that --json printed.
func readBaseline(file string, in io.Reader) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	read := os.ReadFile
	if file == "-" {
		read = func(string) ([]byte, error) { return io.ReadAll(in) }
	}
	b, err := read(file)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := json.Unmarshal(b, &doc); err != nil || doc.Schema != findingsSchema {
		return nil, errors.Join(err, fmt.Errorf("--baseline %s: it is no document of gossa taint --json, whose schema is %q", file, findingsSchema))
	}
	known := make(map[string]bool)
	for _, f := range doc.Findings {
		known[f.ID] = true
	}
	return known, nil
}

// mostNotes is how many are said to people: without its dependencies, a program has one for most of its packages.
const mostNotes = 20

// print prints what is to be shown, and says whether that is a failure.
func (o *form) print(ctx context.Context, s streams, a *answer) (err error) {
	for _, note := range a.Notes[:min(mostNotes, len(a.Notes))] {
		fmt.Fprintln(s.err, "gossa:", printable.Lines(note))
	}
	if more := len(a.Notes) - mostNotes; more > 0 {
		fmt.Fprintf(s.err, "gossa: and %d more, which --json has\n", more)
	}
	switch {
	case o.JSON:
		err = json.NewEncoder(printable.JSONWriter(s.out)).Encode(a.document(o.Unreached))
	case o.SARIF:
		err = a.sarif(s.out)
	default:
		err = a.text(s.out, o.Unreached)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && o.FailOn == "any" && len(a.Shown) > 0 {
		err = found{fmt.Errorf("findings: %d", len(a.Shown))}
	}
	return err
}

// text is for people, and for tools that read file:line.
func (a *answer) text(w io.Writer, unreached bool) error {
	var b strings.Builder
	for _, s := range a.Shown {
		fmt.Fprintf(&b, "%s: %s\n", s.Sink.line(), printable.Text(s.headline()))
		if s.Confidence != exact {
			fmt.Fprintf(&b, "\t%s: %s\n", s.Confidence, printable.Text(strings.Join(s.Because, ", ")))
		}
		for _, p := range s.Path {
			fmt.Fprintf(&b, "\t%s: %s\n", p.line(), printable.Text(p.Words))
		}
	}
	for _, s := range a.unreached(unreached) {
		fmt.Fprintf(&b, "%s: not reached: %s\n", s.line(), printable.Text(s.Procedure))
	}
	fmt.Fprintln(&b, a.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// unreached are the functions that nothing reaches, if somebody asked for them.
func (a *answer) unreached(asked bool) []spot {
	if asked {
		return a.Unreached
	}
	return nil
}

// headline says of a finding what it is.
func (f *finding) headline() string {
	s := f.Class
	if f.CWE > 0 {
		s += fmt.Sprintf(" (CWE-%d)", f.CWE)
	}
	s += ": " + f.Callee + " ← " + f.From
	switch f.Others {
	case 0:
	case 1:
		s += " (1 other)"
	default:
		s += fmt.Sprintf(" (%d others)", f.Others)
	}
	return s
}

// line is a place as compilers print it.
func (s spot) line() string {
	return fmt.Sprintf("%s:%d", printable.Text(filepath.FromSlash(s.File)), s.Line)
}

// summary counts.
func (a *answer) summary() string {
	s := counted(len(a.Shown), "finding")
	for _, more := range []struct {
		n    int
		what string
	}{{a.Known, "in the baseline"}, {a.Ignored, "ignored"}, {a.Nosec, "with #nosec"}, {a.Guarded, "behind checks (--guarded)"}} {
		if more.n > 0 {
			s += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return s + fmt.Sprintf("; %s reached, %d not", counted(a.Reached, "function"), len(a.Unreached))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
