package queue

import (
	"context"

	"github.com/govyre/vyre/driver"
)

// begin starts a launch that goes on when ctx ends: items would be lost in the middle of one. giveUp ends it, if the device can.
func (q *Queue) begin(ctx context.Context) error {
	if err := driver.MayStart(ctx, "run", q.o.Label, q.dev.Name()); err != nil {
		return err
	}
	begun, cancel := context.WithCancel(context.WithoutCancel(ctx))
	q.cancel = cancel
	_, err := q.ring.seq.Start(begun)
	return err
}

// giveUp says that nobody wants to know what comes of the launch in flight.
func (q *Queue) giveUp() {
	if q.cancel != nil {
		q.cancel()
	}
}
