// Package faults holds what tests expect of a session whose calls of the driver fail, one after another.
package faults

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
)

// ErrWrong stands in the chain of a session's error if a run without an error gave a wrong result, or took too long.
var ErrWrong = errors.New("a run without an error is wrong")

// EachCall lets each call of a session whose number every divides fail with each result, and returns how many attempts there
// were; with -long those as far apart that begin at a call which is drawn, so that all are come to in time. Whatever call it is, the error says which, nothing is left, no result is wrong, and the next session works.
func EachCall(t *testing.T, config cusim.Config, every int, session func(*cusim.Driver) error, results ...cu.Result) (attempts int) {
	t.Helper()
	first := every
	if long.Enabled() {
		first = 1 + int(long.Seed(t, 0)%uint64(every))
	}
	for a := range cusim.EachCall(config, first, every, session, results...) {
		if a.Call == "" {
			t.Fatalf("without any fault: %v", a.Err)
		}
		attempts++
		at := fmt.Sprintf("call %d, %s, with %v", a.Nth, a.Call, a.Result)
		var e *driver.Error
		if a.Err != nil && (!errors.As(a.Err, &e) || e.Call == "" && e.Kind != driver.DeviceLost && !lacks(a.Call, e.Kind)) {
			t.Errorf("%s: the error names no call: %v", at, a.Err)
		}
		if errors.Is(a.Err, ErrWrong) {
			t.Errorf("%s: %v", at, a.Err)
		}
		// A thread that gets its first context has none that the failure could break.
		if left := a.Driver.Left(); left != "" && !GivesBack(a.Call) && a.Call != "cuCtxSetCurrent" {
			t.Errorf("%s: %s left behind after %v", at, left, a.Err)
		}
		a.Driver.Heal()
		if err := session(a.Driver); err != nil {
			t.Errorf("%s: the next session fails: %v", at, err)
		}
	}
	return attempts
}

// OnDevice returns a session that opens a device on a simulated driver, and closes it after do, whose context lasts three
// minutes. A run that does not end holds up closing for a second.
func OnDevice(do func(ctx context.Context, dev driver.Device) error) (session func(*cusim.Driver) error) {
	return func(drv *cusim.Driver) error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		dev, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
		if err != nil {
			return err
		}
		return errors.Join(do(ctx, dev), dev.Close())
	}
}

// Session returns a session that makes an object, runs it twice, again after a run that failed, and closes what there is in any case.
func (make Maker) Session() (session func(*cusim.Driver) error) {
	return OnDevice(func(ctx context.Context, dev driver.Device) (err error) {
		o, err := make(ctx, dev)
		if o.Close != nil {
			defer func() { err = errors.Join(err, o.Close()) }()
		}
		if err != nil {
			return err
		}
		return Twice(ctx, func() error { return o.Run(ctx) })
	})
}

// Twice runs twice what may fail, and goes on after a failure: the next run gives the right result, or an error again. A run
// that outlasts ctx is wrong.
func Twice(ctx context.Context, run func() error) (err error) {
	for range 2 {
		if e := run(); e != nil {
			err = errors.Join(err, e, run())
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: it took too long: %w", ErrWrong, errors.Join(err, ctx.Err()))
	}
	return err
}

// lacks reports whether an error is that of a device which does not have what nobody could ask it for.
func lacks(call string, k driver.Kind) bool {
	return call == "cuDeviceGetAttribute" && k == driver.Unsupported
}

// GivesBack reports whether a call gives something back: if it fails, the driver keeps it.
func GivesBack(call string) bool {
	switch call {
	case "cuMemFree_v2", "cuMemFreeHost", "cuModuleUnload", "cuStreamDestroy_v2", "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2",
		"cuGraphDestroy", "cuGraphExecDestroy", "cuMemFreeAsync", "cuMemPoolDestroy", "cuLinkDestroy":
		return true
	}
	return false
}
