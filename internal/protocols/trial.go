package protocols

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/megakernel"
)

// Trial measures the work in every way in which a plan of the session's waves can run, see megakernel.Trial. The answer
// of each run is compared with a search on one core.
func Trial(ctx context.Context, dev driver.Device, w *Work, h *megakernel.History) error {
	return w.drive(ctx, dev, 1, func(b *bench) error {
		of := protocol{name: "trial", answers: b.onDevice}
		compare := func() error {
			_, err := b.check(evidence.BestOther, &of, 1)
			return err
		}
		o := megakernel.Options{Label: "trial"}
		if dev.Caps().Simulated {
			o.Blocks = 1 // the times mean nothing, and each takes long
		}
		ran := false
		err := megakernel.Trial(ctx, dev, b.search.Waves, b.search.Dependencies, o, h, func(context.Context) error {
			if ran {
				if err := compare(); err != nil {
					return err
				}
			}
			ran = true
			return b.anew()
		})
		if err != nil {
			return err
		}
		return compare()
	})
}
