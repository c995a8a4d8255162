package speedup

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/evidence"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
)

func device(t *testing.T, name string) driver.Device {
	t.Helper()
	dev, err := driver.Open(name, driver.OpenOptions{CacheDir: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func load(t *testing.T, name string) *Work {
	t.Helper()
	n, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := n.Load(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRowsOfRealRuns measures small graphs from the start to the file. The gate finds nothing wrong with them but that
// they are small and rehearsed, and that what does the work here allocates.
func TestRowsOfRealRuns(t *testing.T) {
	slow := []string{"skew:16@7", "road:4x4", "icfg:2,5,3", "skew:64", "grid:3x4"}
	for name, graphs := range map[string][]string{
		"cpu":      {"road:7x6", "grid:5x7", "skew:64", "icfg:3,5,4", "icfg:3,8,4@0x200"},
		"cuda-sim": slow[:long.Count(1, 5, 5)],
	} {
		dev := device(t, name)
		var rows []evidence.Row
		for _, g := range graphs {
			some, err := Measure(context.Background(), dev, load(t, g), Options{Run: "a", Repetitions: 4, Samples: 2, Rehearsal: true, Say: t.Logf, blocks: 2})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, some...)
		}
		for _, r := range rejections(t, rows) {
			if r.Code != evidence.Scale && r.Field != "resident_heap_allocs" {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
}

// rejections is what the gate says of rows.
func rejections(t *testing.T, rows []evidence.Row) evidence.Rejections {
	t.Helper()
	var file strings.Builder
	if err := evidence.Write(&file, rows); err != nil {
		t.Fatal(err)
	}
	proof, err := evidence.Gate{AnyDevice: true}.Check(strings.NewReader(file.String()))
	var rejected evidence.Rejections
	if !errors.As(err, &rejected) || proof == nil {
		t.Fatalf("%v\n%s", err, file.String())
	}
	return rejected
}

// TestGateTakesRowsOfRealRuns measures, on the interpreter, a graph that is large enough but for its arcs. Nothing but
// those, what the interpreter allocates, and that it is no GPU, stands in the way.
func TestGateTakesRowsOfRealRuns(t *testing.T) {
	if !long.Enabled() {
		t.Skip("long: searches 10,000 nodes 512 times with the interpreter")
	}
	dev := device(t, "cpu")
	w := load(t, "skew:16384")
	o := Options{Run: "a", Repetitions: 64, Samples: 2, Rehearsal: true, blocks: 4}
	rows, err := Measure(context.Background(), dev, w, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rejections(t, rows) {
		if r.Field != "resident_heap_allocs" && r.Field != "device" && r.Field != "edges" {
			t.Error(r)
		}
	}
}

// TestWrongResultEndsTheMeasurement plants another right result, so that all that were computed are wrong, and one
// wrong repetition among right ones.
func TestWrongResultEndsTheMeasurement(t *testing.T) {
	dev := device(t, "cpu")
	w := load(t, "grid:4x4")
	w.Want[1]++
	rows, err := Measure(context.Background(), dev, w, Options{Run: "a", Repetitions: 4, Samples: 1, Rehearsal: true, blocks: 2})
	var wrong *WrongResult
	if !errors.As(err, &wrong) || wrong.Protocol != evidence.Naive || wrong.Repetition != 1 || wrong.Got[1]+1 != wrong.Want[1] || rows != nil {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	if !strings.Contains(err.Error(), "graph grid:4x4: repetition 1 of protocol naive came to the digest ") {
		t.Error(err)
	}
	w.Want[1]--
	s, err := open(context.Background(), dev, w, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.blocks = 2
	ps, err := s.protocols(Options{Say: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	for p := range ps {
		do := ps[p].do
		ps[p].do = func() error {
			if err := do(); err != nil {
				return err
			}
			return driver.Write(s.ctx, driver.Part(s.slots, 16+8, 1), []byte{0xff}) // of the second repetition
		}
		err := s.warm(evidence.Protocol(p), &ps[p])
		if !errors.As(err, &wrong) || wrong.Protocol != evidence.Protocol(p) || wrong.Repetition != 2 {
			t.Errorf("%v: %v", evidence.Protocol(p), err)
		}
	}
}

// TestVoidSamplesAreMeasuredAgain but not for ever: halves of protocols that take longer from time to time never agree.
func TestVoidSamplesAreMeasuredAgain(t *testing.T) {
	s, err := open(context.Background(), device(t, "cpu"), load(t, "grid:4x4"), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.blocks = 2
	ps, err := s.protocols(Options{Say: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	do, turns := ps[evidence.Strong].do, 0
	ps[evidence.Strong].do = func() error {
		if turns++; turns%2 == 0 {
			time.Sleep(100 * time.Millisecond)
		}
		return do()
	}
	_, err = s.sample(ps, 1, Options{Run: "a", Say: t.Logf})
	if !errors.Is(err, evidence.ErrVoid) || !strings.Contains(err.Error(), "gave up after 5 attempts") || turns != 2*attempts {
		t.Errorf("after %d turns: %v", turns, err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"skew:64": "skew:64@0x10", "skew:64@7": "skew:64@0x7", "icfg:2,3,4": "icfg:2,3,4", "icfg:2,3,4@0x200": "icfg:2,3,4@0x200", "road:03x4": "road:3x4",
	} {
		if n, err := Parse(name); err != nil || n.String() != want {
			t.Errorf("%s: %v, %v, want %s", name, n, err, want)
		}
	}
	for name, want := range map[string]string{
		"skew:64@": `filter ""`, "skew:64@0": `filter "0"`, "road:4x4@1": "no kinds to filter by", "town:4": `no generator "town"`, "skew:64@0x100000000": "want a mask",
	} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	lonely, err := Parse("chain:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lonely.Load(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "nothing to search") {
		t.Errorf("got %v", err)
	}
}

// plain is a device without cooperative launches.
type plain struct{ driver.Device }

func (d plain) Caps() *driver.Caps {
	c := *d.Device.Caps()
	c.GridBarrier = false
	return &c
}

func TestOptionsThatCannotBe(t *testing.T) {
	dev := device(t, "cpu")
	for want, err := range map[string]error{
		"cpu has no launches whose groups wait for each other": Options{Repetitions: 2, Samples: 1}.Check(plain{dev}),
		"3 repetitions, want an even number":                   Options{Repetitions: 3, Samples: 1}.Check(dev),
		"0 samples, want at least 1":                           Options{Repetitions: 2}.Check(dev),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestInterruptedMeasurement ends with the context, and gives everything back.
func TestInterruptedMeasurement(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	dev := device(t, "cpu")
	rows, err := Measure(ctx, dev, load(t, "grid:4x4"), Options{Run: "a", Repetitions: 2, Samples: 1000, Rehearsal: true, Say: func(string, ...any) { cancel() }})
	if !errors.Is(err, driver.Canceled) || rows != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if n := dev.Stats().Get(driver.LiveBytes); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}

// TestStagesAreTried in all ways, whatever their number, and names of them are read.
func TestStagesAreTried(t *testing.T) {
	for _, items := range []uint32{1, 70} {
		h := new(megakernel.History)
		if err := TrialStages(context.Background(), device(t, "cpu"), items, h); err != nil {
			t.Fatal(err)
		}
		if len(h.Ways) != 3 || !strings.Contains(h.Explain(1000), "chosen by evidence") {
			t.Errorf("%d items: %s", items, h.Explain(1000))
		}
	}
	for name, want := range map[string]uint32{"stages:1": 1, "stages:268435456": 1 << 28, "stages:0": 0, "stages:268435457": 0, "stages:": 0, "stages:-1": 0, "stages:x": 0} {
		n, ok, err := ParseStages(name)
		if !ok || (err == nil) != (want > 0) || err == nil && n != want {
			t.Errorf("%s: %d, %v, %v", name, n, ok, err)
		}
	}
	if _, ok, err := ParseStages("grid:4x4"); ok || err != nil {
		t.Errorf("a graph is taken for stages: %v", err)
	}
}
