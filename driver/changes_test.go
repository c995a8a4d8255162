package driver_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
)

func TestPlanTellsWhatChangedSinceAnyTime(t *testing.T) {
	d, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	k := compile(t, d, `vyre 1
kernel @nothing workgroup(1) {
  param %n: u32
}`)
	s := d.NewSequence("s")
	steps := make([]*driver.Step, 5)
	for i := range steps {
		steps[i] = s.Launch(k, driver.Groups(1), driver.U32(0))
	}
	if err := steps[4].SetGrid(driver.Groups(2)); err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	p := s.Plan()
	clocks := []uint64{p.Clock()}
	for i, c := range []struct {
		name string
		set  func() error
		want []int // since each of the clocks so far, the next list begins at -1
	}{
		{"nothing", func() error { return nil }, []int{-1}},
		{"an argument", func() error { return steps[1].SetArg(0, driver.U32(1)) }, []int{1, -1, 1, -1}},
		{"a grid", func() error { return steps[3].SetGrid(driver.Groups(2)) }, []int{3, 1, -1, 3, 1, -1, 3, -1}},
		{"a domain", func() error { return steps[1].SetDomain(7) }, []int{1, 3, -1, 1, 3, -1, 1, 3, -1, 1, -1}},
		{"the same again", func() error { return steps[1].SetDomain(8) }, []int{1, 3, -1, 1, 3, -1, 1, 3, -1, 1, -1, 1, -1}},
		{"what is refused", func() error {
			if steps[0].SetArg(0, driver.F32(1)) == nil {
				t.Error("an argument of another type is taken")
			}
			return nil
		}, []int{1, 3, -1, 1, 3, -1, 1, 3, -1, 1, -1, 1, -1, -1}},
		{"the last in the list", func() error { return steps[3].SetDomain(8) }, []int{3, 1, -1, 3, 1, -1, 3, 1, -1, 3, 1, -1, 3, 1, -1, 3, -1, 3, -1}},
	} {
		if err := c.set(); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, clock := range clocks {
			for l := range p.ChangedSince(clock) {
				got = append(got, l.Index)
			}
			got = append(got, -1)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("change %d, %s: changed since each clock are %v, want %v", i, c.name, got, c.want)
		}
		clocks = append(clocks, p.Clock())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
