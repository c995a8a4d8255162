package speedup

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/evidence"
	"github.com/govyre/vyre/megakernel"
)

// Trial measures the work in every way in which a plan of its waves can run, see megakernel.Trial. What each way came to
// is compared with a search on one core.
func Trial(ctx context.Context, dev driver.Device, w *Work, h *megakernel.History) (err error) {
	s, err := open(ctx, dev, w, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.setUp(); err != nil {
		return err
	}
	o := megakernel.Options{Label: "trial"}
	if dev.Caps().Simulated {
		o.Blocks = 1 // the times mean nothing, and each takes long
	}
	ran := false
	compare := func() error {
		_, err := s.digestsOf(evidence.BestOther, "trial")
		return err
	}
	err = megakernel.Trial(ctx, dev, s.waves(), nil, o, h, func(context.Context) error {
		if ran {
			if err := compare(); err != nil {
				return err
			}
		}
		ran = true
		return s.run(s.anew)
	})
	if err != nil {
		return err
	}
	return compare()
}
