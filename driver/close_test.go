package driver_test

import (
	"context"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

// stuck is an executor whose runs do not end; it notes until when each Close waits.
type stuck struct{ until []time.Time }

func (x *stuck) Prepare(*driver.Plan, bool) (driver.Runner, error) { return x, nil }

func (x *stuck) Capture(*driver.Plan, bool, driver.CaptureOptions) (driver.Runner, error) {
	return x, nil
}

func (*stuck) Start(context.Context, []driver.Runner, bool) error { return nil }

func (*stuck) Done() bool { return false }

func (*stuck) Wait(context.Context, *driver.Result) error { return nil }

func (x *stuck) Close(until time.Time) error {
	x.until = append(x.until, until)
	return nil
}

// A device that closes waits its time once, however many sequences and graphs have runs that do not end.
func TestACloseHasOneDeadline(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := &stuck{}
	for range 4 {
		s := driver.NewSequence(d, x, "s")
		s.Fill(driver.All(s.Scratch(4)), 1, 4)
		if _, err := s.Capture(driver.CaptureOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if len(x.until) != 8 {
		t.Fatalf("%d runners were closed, want 8", len(x.until))
	}
	for _, u := range x.until {
		if !u.Equal(x.until[0]) {
			t.Fatalf("runners are waited for until %v, want one time", x.until)
		}
	}
}

// A device frees its context when it closes, so it waits for whoever is about to give something back.
func TestCloseOfTheDeviceWaitsForACloseUnderWay(t *testing.T) {
	core, err := driver.NewCore(nil, "bare", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var l driver.Leaf
	entered, freed := make(chan struct{}), make(chan struct{})
	if err := l.Init(core, nil, "kept", func() {
		close(entered)
		for core.Alive("wait", "") == nil {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
		close(freed)
	}); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- l.Close() }()
	<-entered
	if first, err := core.Shut(); !first || err != nil {
		t.Error(first, err)
	}
	select {
	case <-freed:
	default:
		t.Error("the device was closed before what it had was freed")
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
