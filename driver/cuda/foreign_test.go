package cuda_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
)

// retried does again what fails with an error of the caller's driver.
type retried struct {
	t  *testing.T
	at string
}

func (r retried) do(f func() error) error {
	err := f()
	if err == nil {
		return nil
	}
	var e *driver.Error
	if !errors.As(err, &e) || !errors.Is(err, errForeign) || e.Kind != driver.Internal || e.Sticky {
		r.t.Errorf("%s: %v", r.at, err)
	}
	return f()
}

var errForeign = errors.New("out of patience")

// A caller's own driver may fail with errors of its own, at any call: whoever made the call is told so, nothing panics, and the same
// objects go on working.
func TestADriverMayFailWithErrorsOfItsOwn(t *testing.T) {
	add, together := parse(t, noted), parse(t, countDownTogether)
	session := func(sim *cusim.Driver, r retried) (err error) {
		var d *cuda.Device
		err = r.do(func() (err error) {
			d, err = cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
			return err
		})
		if err != nil {
			return err
		}
		defer func() {
			if failed := d.Close(); failed != nil && !errors.Is(failed, errForeign) {
				err = errors.Join(err, failed)
			}
		}()
		var k, meet driver.Kernel
		for _, c := range []func() error{
			func() (err error) { k, err = d.Compile(ctx, add, driver.Options{}); return err },
			func() (err error) {
				if d.Caps().GridBarrier { // unless nobody could say so
					meet, err = d.Compile(ctx, together, driver.Options{})
				}
				return err
			},
		} {
			if err := r.do(c); err != nil {
				return err
			}
		}
		s, out := d.NewSequence("again"), make([]byte, 128)
		x, flag := s.Scratch(128), s.Scratch(4)
		in := s.Upload(driver.All(x), words(32, 1), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1))
		s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1)) })
		s.Fill(driver.All(flag), 2, 4)
		if meet != nil {
			s.Launch(meet, driver.Groups(2), driver.All(flag))
		}
		loop := s.While(driver.All(flag), 3, func() { s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1)); s.Fill(driver.All(flag), 0, 4) })
		s.Read(driver.All(x), out)
		var g *driver.Graph
		capture := func() (err error) {
			if g == nil && loop.Lowering() == driver.LoopGraph { // the host's where the driver did not take it
				g, err = s.Capture(driver.CaptureOptions{})
			}
			return err
		}
		for round := range uint32(5) {
			if round == 3 {
				if err := r.do(capture); err != nil {
					return err
				}
			}
			ways := []driver.Prepared{s}
			if g != nil {
				ways = append(ways, g)
			}
			for _, p := range ways {
				if err := errors.Join(in.Set(words(32, round)), st.SetArg(1, driver.U32(round/2))); err != nil {
					return err
				}
				run := func() error { _, err := p.Run(ctx); return err }
				if err := r.do(run); err != nil {
					return err
				}
				if err := differ("x", out, words(32, round+round/2+3)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	clean := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	if err := session(clean, retried{t, "with no call failing"}); err != nil {
		t.Fatal(err)
	}
	every := long.Every(7, 1)
	n := clean.Count("")
	for k := 1 + int(long.Seed(t, 0)%uint64(every)); k <= n; k += every {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Faults: cusim.Faults{{Nth: k, Err: errForeign}}})
		at := fmt.Sprintf("with call %d of %d failing", k, n)
		if err := session(sim, retried{t, at}); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}
