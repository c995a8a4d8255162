package memory

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// use is what device memory is for.
type use uint8

const (
	outside  use = iota // the driver has it
	idle                // kept for reuse
	reserved            // a buffer's
	internal            // the device's own
	numUses
)

var gaugeOf = [numUses]driver.Metric{idle: metric.IdleBytes, reserved: metric.ReservedBytes, internal: metric.InternalBytes}

// ledger accounts for every byte obtained from the driver, in exact numbers. The lock of the
// memory is held.
type ledger struct {
	counters *driver.Counters
	obtained int64
	bytes    [numUses]int64
	pending  int64            // being obtained for buffers
	blocks   map[cu.Ptr]int64 // obtained, with their sizes
}

// move enters that bytes went from one use to another.
func (l *ledger) move(from, to use, n int64) {
	if from == outside {
		l.obtain(n)
	} else {
		l.add(from, -n)
	}
	if to == outside {
		l.obtain(-n)
	} else {
		l.add(to, n)
	}
}

func (l *ledger) obtain(n int64) {
	l.obtained += n
	l.counters.High(metric.PeakBytes, l.counters.Gauge(metric.DriverBytes, n))
}

func (l *ledger) add(u use, n int64) {
	l.bytes[u] += n
	l.counters.Gauge(gaugeOf[u], n)
}

// check returns an error if the books do not balance, which is a mistake of this package.
func (l *ledger) check() error {
	sum := int64(0)
	for _, n := range l.bytes {
		if sum += n; n < 0 {
			sum = -1
			break
		}
	}
	if sum == l.obtained {
		return nil
	}
	return &driver.Error{Kind: driver.Internal, Msg: fmt.Sprintf("%d bytes were obtained from the driver, %d are reserved, %d idle and %d internal",
		l.obtained, l.bytes[reserved], l.bytes[idle], l.bytes[internal])}
}
