package report

import (
	"context"
	"fmt"
	"io"
)

// Form is how a command prints a Taint, and when that is a failure. The tags are flags, as
// github.com/alecthomas/kong reads them.
type Form struct {
	JSON     bool   `help:"Print one JSON document." xor:"form"`
	SARIF    bool   `name:"sarif" help:"Print SARIF 2.1.0, a result for each finding." xor:"form"`
	Baseline string `placeholder:"FILE" help:"Report only what is not in this document, which --json printed earlier; - is standard input."`
	FailOn   string `enum:"none,any" default:"none" help:"End with exit status 3 if there is any finding that is reported (${enum})."`
}

// Known reads the findings of the baseline, if there is one.
func (f *Form) Known(read func(name string) ([]byte, error)) (Baseline, error) {
	if f.Baseline == "" {
		return nil, nil
	}
	b, err := read(f.Baseline)
	if err != nil {
		return nil, err
	}
	old, err := ReadBaseline(b)
	if err != nil {
		return nil, fmt.Errorf("--baseline %s: %w", f.Baseline, err)
	}
	return old, nil
}

// Print prints what was found beyond what is known, and says whether that is a failure.
func (f *Form) Print(ctx context.Context, w io.Writer, t *Taint, known Baseline) (fails bool, err error) {
	t.Against(known)
	switch {
	case f.JSON:
		err = t.JSON(ctx, w)
	case f.SARIF:
		err = t.SARIF(w)
	default:
		err = t.Text(w)
	}
	return f.FailOn == "any" && len(t.Shown) > 0, err
}
