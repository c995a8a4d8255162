package driver_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir/text"
)

func group(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }

// TestTheDeclaredSizeStaysUnlessAnotherIsThreePercentFaster: the first candidate is the declared one.
func TestTheDeclaredSizeStaysUnlessAnotherIsThreePercentFaster(t *testing.T) {
	for _, c := range []struct {
		medians []time.Duration
		want    int // which candidate
	}{
		{[]time.Duration{1000}, 0},
		{[]time.Duration{1000, 970}, 0}, // 3 % are not enough
		{[]time.Duration{1000, 969}, 1},
		{[]time.Duration{1000, 969, 968, 1}, 3},
		{[]time.Duration{1000, 960, 960}, 1}, // the model's order
		{[]time.Duration{0, 0}, 0},
		{[]time.Duration{1, 0}, 1},
	} {
		var all []driver.TuneCandidate
		for i, m := range c.medians {
			all = append(all, driver.TuneCandidate{Workgroup: group(uint32(32 << i)), Median: m, Runs: 3})
		}
		if got := driver.Fastest(all); got != all[c.want].Workgroup {
			t.Errorf("%v: %v, want that of %v", c.medians, got, c.medians[c.want])
		}
	}
}

// TestADecisionIsForWhatItDependsOn: a change of any of that is another key, and numbers of items of one power of two
// share theirs.
func TestADecisionIsForWhatItDependsOn(t *testing.T) {
	parse := func(source string) func() [32]byte {
		ps, err := text.Parse("", "vyre 1\n"+source)
		if err != nil {
			t.Fatal(err)
		}
		return func() [32]byte { return driver.TuningKey(model("sm_90"), ps[0], driver.Options{}, 1000) }
	}
	ps, err := text.Parse("", "vyre 1\nkernel @k workgroup(32) {\n param @x: buf<u32> rw\n}")
	if err != nil {
		t.Fatal(err)
	}
	key := func(name string, o driver.Options, items uint64, change func(*driver.Caps)) [32]byte {
		c := model(name)
		if change != nil {
			change(c)
		}
		return driver.TuningKey(c, ps[0], o, items)
	}
	own := key("sm_90", driver.Options{}, 1000, nil)
	for what, other := range map[string][32]byte{
		"program":   parse("kernel @k workgroup(64) {\n param @x: buf<u32> rw\n}")(),
		"device":    key("sm_80", driver.Options{}, 1000, nil),
		"items":     key("sm_90", driver.Options{}, 1024, nil),
		"passes":    key("sm_90", driver.Options{Optimise: "0"}, 1000, nil),
		"registers": key("sm_90", driver.Options{MaxRegisters: 32}, 1000, nil),
		"lines":     key("sm_90", driver.Options{LineInfo: true}, 1000, nil),
		"target":    key("sm_90", driver.Options{Target: "sm_80"}, 1000, nil),
		"driver":    key("sm_90", driver.Options{}, 1000, func(c *driver.Caps) { c.DriverVersion = 12080 }),
		"units":     key("sm_90", driver.Options{}, 1000, func(c *driver.Caps) { c.Units = 114 }),
	} {
		if other == own {
			t.Errorf("another %s has the same key", what)
		}
	}
	for what, equal := range map[string][32]byte{
		"name":  parse("kernel @other workgroup(32) {\n param @y: buf<u32> rw\n}")(),
		"label": key("sm_90", driver.Options{Label: "l"}, 1000, nil),
		"items": key("sm_90", driver.Options{}, 512, nil),
	} {
		if equal != own {
			t.Errorf("another %s has another key", what)
		}
	}
	if key("sm_90", driver.Options{}, 0, nil) != key("sm_90", driver.Options{}, 1, nil) {
		t.Error("0 items are not those of 1")
	}
}

//ci:inputs 40000
func FuzzTuning(f *testing.F) {
	whole := driver.Tuning{Workgroup: group(256), Driver: 13000, Candidates: []driver.TuneCandidate{{Workgroup: group(64), Median: 5000, Runs: 20}, {Workgroup: group(256), Median: 4000, Runs: 20}}}
	f.Add(whole.Encode())
	for _, seed := range []string{"0 64 1 1 ", "0 64 1 1 64 1 1 -1 1 ", "0 64 1 1 64 1 1 1 1", "0 64 1 1 64 1 1 1 0 ", "0 64 1 1 4294967360 1 1 1 1 ", "1 ", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var read driver.Tuning
		if read.Decode(b) != nil {
			return
		}
		if again := read.Encode(); !bytes.Equal(again, b) {
			t.Errorf("taken was %q, which is written %q", b, again)
		}
		for _, c := range read.Candidates {
			if c.Workgroup == read.Workgroup && c.Workgroup[0] > 0 && c.Runs > 0 {
				return
			}
		}
		t.Errorf("taken was %q, whose choice was not measured", b)
	})
}
