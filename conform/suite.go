package conform

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
)

// Suite lists every family.
func Suite() []Family {
	return slices.Concat(append(deviceFamilies(), hostFamilies())...)
}

func regressions() []Family {
	return []Family{
		fileFamily("mismatch", "cases in which an oracle and a device once disagreed"),
		fileFamily("emission", "what writing code for a device gets wrong easily"),
	}
}

// Summary counts what Run did.
type Summary struct {
	Cases, Passed, Failed, Skipped int
	Failures                       []Failure // the first of them, up to 100
}

// Options chooses what Run does.
type Options struct {
	// Match keeps the cases whose "family/name" holds this text; empty keeps all.
	Match string
	// Progress is called after each family; may be nil.
	Progress func(family string, s Summary)
}

// Cases yields the cases of all families whose "family/name" holds match.
func Cases(match string) iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		for _, f := range Suite() {
			if !f.mayMatch(match) {
				continue
			}
			for _, c := range f.Cases() {
				if strings.Contains(c.Family+"/"+c.Name, match) && !yield(&c) {
					return
				}
			}
		}
	}
}

// mayMatch spares building the cases of a family that match rules out.
func (f Family) mayMatch(match string) bool {
	family, _, named := strings.Cut(match, "/")
	return !named || strings.HasSuffix(f.Name, family)
}

// Run tries every case on a device. It stops early only when ctx ends.
func Run(ctx context.Context, d Device, o Options) (Summary, error) {
	var s Summary
	for _, f := range Suite() {
		if !f.mayMatch(o.Match) {
			continue
		}
		for _, c := range f.Cases() {
			if !strings.Contains(c.Family+"/"+c.Name, o.Match) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return s, err
			}
			s.Cases++
			err := Try(ctx, d, &c)
			if errors.Is(err, ErrSkipped) {
				s.Skipped++
				continue
			}
			if err != nil {
				s.Failed++
				if len(s.Failures) < 100 {
					s.Failures = append(s.Failures, Failure{&c, err})
				}
				continue
			}
			s.Passed++
		}
		if o.Progress != nil {
			o.Progress(f.Name, s)
		}
	}
	return s, nil
}
