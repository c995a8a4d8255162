package protocols

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
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
		"cpu":        {"road:7x6", "grid:5x7", "skew:64", "icfg:3,5,4", "icfg:3,8,4@0x200"},
		"cuda-sim:3": slow[:long.Count(1, 5, 5)],
	} {
		dev := device(t, name)
		var rows []evidence.Row
		for _, g := range graphs {
			some, err := Measure(context.Background(), dev, load(t, g), Options{Run: "a", Repetitions: 4, Samples: 2, Rehearsal: true, Say: t.Logf})
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
	long.Only(t, "searches 10,000 nodes 512 times with the interpreter")
	dev := device(t, "cpu")
	w := load(t, "skew:16384")
	o := Options{Run: "a", Repetitions: 64, Samples: 2, Rehearsal: true}
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
	rows, err := Measure(context.Background(), dev, w, Options{Run: "a", Repetitions: 4, Samples: 1, Rehearsal: true})
	var wrong *WrongResult
	if !errors.As(err, &wrong) || wrong.Repetition != 1 || wrong.Got[1]+1 != wrong.Want[1] || rows != nil {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	if !strings.Contains(err.Error(), "graph grid:4x4: repetition 1 of protocol best other (back-to-back k=4) came to the digest ") {
		t.Error(err)
	}
	w.Want[1]--
	drive(t, dev, w, 3, func(b *bench) error {
		ps, err := b.protocols(Options{Say: t.Logf})
		if err != nil {
			return err
		}
		for p := range ps {
			of := ps[p]
			of.answers = func() (func(int) []byte, error) {
				set, err := ps[p].answers()
				return func(k int) []byte {
					all := slices.Clone(set(k))
					if k == 1 {
						all[0] ^= 4
					}
					return all
				}, err
			}
			err := b.warm(evidence.Protocol(p), &of)
			if !errors.As(err, &wrong) || wrong.Protocol != evidence.Protocol(p) || wrong.Repetition != 2 {
				t.Errorf("%v: %v", evidence.Protocol(p), err)
			}
		}
		return nil
	})
}

// drive lends a search of so many repetitions.
func drive(t *testing.T, dev driver.Device, w *Work, reps int, do func(*bench) error) {
	t.Helper()
	if err := w.drive(t.Context(), dev, reps, do); err != nil {
		t.Error(err)
	}
}

// TestEveryAnswerIsOfItsOwnRepetition takes the answers of each protocol away between regions, on the device and on the
// host: a protocol that leaves one out cannot pass with that of an earlier region.
func TestEveryAnswerIsOfItsOwnRepetition(t *testing.T) {
	w := load(t, "icfg:2,5,3")
	drive(t, device(t, "cpu"), w, 2, func(b *bench) error {
		ps, err := b.protocols(Options{Say: t.Logf})
		if err != nil {
			return err
		}
		for p := range ps {
			of := ps[p]
			of.do, of.wait = func() error { return nil }, nil
			var wrong *WrongResult
			if err := b.warm(evidence.Protocol(p), &of); !errors.As(err, &wrong) || wrong.Repetition != 1 {
				t.Errorf("%v, with no search: %v", evidence.Protocol(p), err)
			}
		}
		return nil
	})
}

// TestVoidSamplesAreMeasuredAgain but not for ever: halves of protocols that take longer from time to time never agree.
func TestVoidSamplesAreMeasuredAgain(t *testing.T) {
	drive(t, device(t, "cpu"), load(t, "grid:4x4"), 2, func(b *bench) error {
		ps, err := b.protocols(Options{Say: t.Logf})
		if err != nil {
			return err
		}
		strong, turns := &ps[evidence.Strong], 0
		do := strong.do
		strong.do = func() error {
			turns++
			for range turns % 2 * 10 {
				if err := errors.Join(do(), b.anew()); err != nil {
					return err
				}
			}
			return do()
		}
		_, err = b.sample(ps, 1, Options{Run: "a", Say: t.Logf})
		if !errors.Is(err, evidence.ErrVoid) || !strings.Contains(err.Error(), "gave up after 5 attempts") || turns != 2*attempts {
			t.Errorf("after %d turns: %v", turns, err)
		}
		return nil
	})
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
	if n := dev.Stats().Get(metric.LiveBytes); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}
