package opt_test

import (
	"cmp"
	"context"
	"fmt"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// optimising is the interpreter after the passes: a device that has to agree with the
// interpreter alone.
type optimising struct {
	opt.Options
	schedule interp.Schedule
	detect   interp.Detect
	budget   uint64 // of rows; 0 takes one that every case keeps to
}

func (d optimising) Name() string {
	return fmt.Sprintf("interp after the passes %v", d.Passes)
}

func (d optimising) Run(ctx context.Context, p *ir.Program, l conform.Launch) (conform.Outcome, error) {
	q, _, err := opt.Run(p, d.Options)
	if err != nil {
		return conform.Outcome{}, err
	}
	// A pass that makes a loop endless should not cost minutes.
	budget := cmp.Or(d.budget, 1<<22)
	out, err := conform.Interp(interp.Options{Schedule: d.schedule, Detect: d.detect, Budget: budget}).Run(ctx, q, l)
	if err != nil {
		return out, fmt.Errorf("%w\n%s", err, text.Of(q))
	}
	for _, r := range out.Reports {
		if r.Kind == conform.Racy {
			return out, fmt.Errorf("the passes made a race: %s", r.Text)
		}
	}
	out.Reports, out.Detected = nil, false
	return out, nil
}
