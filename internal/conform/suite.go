package conform

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/govyre/vyre/driver"
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

	Shapes   int       // in random programs of shapes
	Values   int       // over which those ran, added up
	Failures []Failure // the first of them, up to 100
}

// Options chooses what Run does.
type Options struct {
	// Match keeps the cases whose "family/name" holds this text; empty keeps all.
	Match string
	// Skip leaves out the cases for which it returns true; may be nil.
	Skip func(*Case) bool
	// AtOnce is how many cases of a family run at the same time; 0 is one.
	AtOnce int
	// Trying is called before each case that is not left out, and what it returns after it; may be nil.
	Trying func(*Case) (tried func())
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
		cases := slices.DeleteFunc(f.Cases(), func(c Case) bool { return !strings.Contains(c.Family+"/"+c.Name, o.Match) })
		errs := o.try(ctx, d, cases)
		for i, err := range errs {
			switch s.Cases++; {
			case err == nil:
				s.Passed++
			case errors.Is(err, ErrSkipped):
				s.Skipped++
			case errors.Is(err, errEnded):
				s.Cases--
			default:
				s.Failed++
				if len(s.Failures) < 100 {
					s.Failures = append(s.Failures, Failure{&cases[i], err})
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if o.Progress != nil {
			o.Progress(f.Name, s)
		}
	}
	return s, nil
}

// errEnded is the outcome of a case that was not tried, or not to its end, because the run was over.
var errEnded = errors.New("not tried")

// try tries cases and returns what came of each.
func (o Options) try(ctx context.Context, d Device, cases []Case) []error {
	errs := make([]error, len(cases))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, min(o.AtOnce, len(cases))) {
		workers.Go(func() {
			for i := range next {
				switch c := &cases[i]; {
				case ctx.Err() != nil:
					errs[i] = errEnded
				case o.Skip != nil && o.Skip(c):
					errs[i] = ErrSkipped
				case o.Trying != nil:
					tried := o.Trying(c)
					errs[i] = Try(ctx, d, c)
					tried()
				default:
					errs[i] = Try(ctx, d, c)
				}
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, err := range errs {
		if ctx.Err() != nil && errors.Is(err, driver.Canceled) {
			errs[i] = errEnded // what was cut short is no verdict
		}
	}
	return errs
}
