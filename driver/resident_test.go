package driver_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
)

// A device that fails while it starts a run may not get as far as telling how the run ended.
func TestResidencyForgetsARunThatNeverEnded(t *testing.T) {
	d, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := []byte{1, 2, 3, 4}
	s := d.NewSequence("s")
	s.Upload(driver.All(b), src, driver.IfChanged)
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	r := driver.NewResidency(s.Plan(), [][]byte{make([]byte, 4)}, false)
	for i, c := range []struct {
		change bool // of the input, before the run
		ends   bool // the device says that it succeeded
		send   bool
	}{{false, true, true}, {false, true, false}, {true, false, true}, {false, true, true}, {false, true, false}} {
		if c.change {
			src[0]++
		}
		if r.Begin(); r.Send[0] != c.send {
			t.Errorf("run %d: send is %v", i, r.Send[0])
		}
		if c.ends {
			r.End(true)
		}
	}
}
