package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/mine"
	"github.com/govyre/vyre/ir"
)

// terms measures how long a bank of terms takes on the device and on device cpu: evaluating candidates, and telling them apart.
func (b *bench) terms(ops int) error {
	o := mine.Options{Ops: []ir.Op{ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNeg, ir.OpNot, ir.OpMin, ir.OpMax},
		Type: ir.U32, Vars: 3, Size: ops, Terms: 1 << min(24, 9+3*ops)}
	host, err := vyre.Open("cpu")
	if err != nil {
		return err
	}
	defer host.Close()
	cores := fmt.Sprintf("%d cores", runtime.GOMAXPROCS(0))
	var median [2]time.Duration
	var want closure
	var tried int
	for k, dev := range []vyre.Device{host, b.dev} {
		var t times
		for n := range 1 + max(1, b.runs/4) {
			bank, err := mine.Open(b.ctx, dev, o)
			if err != nil {
				return err
			}
			got := closure{classes: bank.Terms(), digest: bank.Digest()}
			if err := bank.Close(); err != nil {
				return err
			}
			switch {
			case k == 0 && n == 0:
				want, tried = got, bank.Tried()
			case got != want:
				return errors.New("terms that differ on the device are others than on the host")
			case n > 0: // the first run warms what comes after
				t = append(t, bank.Spent())
			}
		}
		w := workload{name: fmt.Sprintf("terms of %d ops", ops), n: tried}
		b.line(w, []string{cores, "device"}[k], "candidates of 64 inputs", t, want)
		median[k] = t.median()
	}
	fmt.Fprintf(b.out, "# terms of %d ops: %d candidates, %.3g a second on the device, %.3g on %s, ratio %.2f\n", ops, tried,
		float64(tried)/median[1].Seconds(), float64(tried)/median[0].Seconds(), cores, float64(median[0])/float64(median[1]))
	return nil
}
