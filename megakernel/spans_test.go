package megakernel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/internal/testing/pprofs"
	"github.com/govyre/vyre/megakernel"
)

// traced is a timeline as ui.perfetto.dev reads it.
type traced struct {
	OtherData struct{ Device, Spans, Dropped string }
	Events    []struct {
		Ph, Cat, Name string
		Pid, Tid      int
		Ts, Dur       json.Number
		Args          struct{ Name, In string }
	} `json:"traceEvents"`
}

// timeline makes one of what do does.
func timeline(t *testing.T, dev driver.Device, do func()) (out traced) {
	t.Helper()
	var w bytes.Buffer
	stop, err := driver.Timeline(dev, &w)
	if err != nil {
		t.Fatal(err)
	}
	do()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(w.Bytes(), &out); err != nil {
		t.Fatalf("%v\n%s", err, w.Bytes())
	}
	return out
}

// ns is a number of microseconds with three digits behind the point.
func ns(t *testing.T, n json.Number) int64 {
	t.Helper()
	v, err := strconv.ParseInt(strings.Replace(n.String(), ".", "", 1), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTimelineHasEveryRound of every topology, in the row of each group that takes part and in that of the rounds, and the run comes to the
// same as without.
func TestTimelineHasEveryRound(t *testing.T) {
	const blocks = 3
	g := chain(9)
	want, nodes, _ := g.reached(2)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
			for _, tail := range []megakernel.Tail{megakernel.TailNever, megakernel.TailAlways} {
				if tail == megakernel.TailAlways && topology != megakernel.Cooperative {
					continue
				}
				var rec megakernel.Record
				run := func() {
					p, err := megakernel.New(t.Context(), dev, reach(g, m, 2), nil, megakernel.Options{Label: "a plan", Topology: topology, Tail: tail, Blocks: blocks, PollRounds: 3})
					if err == nil {
						rec, err = p.Run(t.Context())
						p.Close()
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				run()
				before := rec
				out := timeline(t, dev, run)
				name := fmt.Sprintf("%s, %v, tail %d", device, topology, tail)
				if got := m.read(m.seen); rec != before || rec.Items != nodes || !slices.Equal(got, want) {
					t.Errorf("%s: %v, without a timeline %v; reached %x", name, rec, before, got)
				}
				rounds, spans := rows(t, name, out)
				ends := int(rec.Rounds)
				switch {
				case topology == megakernel.Drained:
					ends = 1
				case tail == megakernel.TailAlways:
					ends = 2 // the first one, and a stay of all others
				}
				var all []string
				for k := range ends {
					all = append(all, fmt.Sprintf("round %d", k))
				}
				if want := append([]string{"before the rounds"}, all...); len(rounds) == len(want) && rounds[len(all)] == want[0] && dev.Caps().Simulated {
					// Streams of a simulation have clocks of their own, and rounds that the host polls have another one.
				} else if !slices.Equal(rounds, want) {
					t.Errorf("%s: rounds %q, want %q", name, rounds, want)
				}
				each := blocks * ends
				if tail == megakernel.TailAlways {
					each = blocks + 1 // one block alone
				}
				if n := spans["before the rounds"]; n != blocks {
					t.Errorf("%s: %d spans before the rounds", name, n)
				}
				if n := len(out.Events); out.OtherData.Dropped != "0" || out.OtherData.Spans != strconv.Itoa(blocks+each) || n == 0 {
					t.Errorf("%s: %+v, want %d spans", name, out.OtherData, blocks+each)
				}
			}
		}
	}
}

// rows checks that the spans of a row do not overlap, and returns the rounds in order and how many spans each has.
func rows(t *testing.T, name string, out traced) (rounds []string, spans map[string]int) {
	t.Helper()
	until, spans := map[int]int64{}, map[string]int{}
	for _, e := range out.Events {
		if e.Ph != "X" {
			continue
		}
		begin, took := ns(t, e.Ts), ns(t, e.Dur)
		if begin < until[e.Tid] || took < 0 {
			t.Errorf("%s: %+v begins before the one before it has ended, at %d ns", name, e, until[e.Tid])
		}
		until[e.Tid] = begin + took
		if e.Cat == "round" {
			rounds = append(rounds, e.Name)
		} else if spans[e.Args.In]++; !strings.HasPrefix(e.Name, "wave ") || e.Tid == 0 {
			t.Errorf("%s: span %+v", name, e)
		}
	}
	return rounds, spans
}

// TestProfileOfATracedPlan has the rounds inside of the waves, inside of the launch, and adds up to what it does without.
func TestProfileOfATracedPlan(t *testing.T) {
	g := chain(9)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
			var w bytes.Buffer
			var device time.Duration
			stop, err := driver.Profile(dev, &w)
			if err != nil {
				t.Fatal(err)
			}
			timeline(t, dev, func() {
				p, err := megakernel.New(t.Context(), dev, reach(g, m, 2), nil, megakernel.Options{Topology: topology, Tail: megakernel.TailNever, Blocks: 3})
				if err == nil {
					_, err = p.Run(t.Context())
					device = p.Result().Device
					p.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			prof, err := pprofs.Read(&w)
			if err != nil {
				t.Fatal(err)
			}
			took, waves := map[string]int64{}, int64(0)
			for _, s := range prof.Samples {
				if strings.HasSuffix(s.Stack[len(s.Stack)-2].Name, " zero") || len(s.Stack) > 3 && strings.HasPrefix(s.Stack[len(s.Stack)-3].Name, "transfers") {
					continue
				}
				took["all"] += s.Values[1]
				if strings.HasPrefix(s.Stack[0].Name, "round ") || strings.HasSuffix(s.Stack[0].Name, " the rounds") {
					took[s.Stack[0].Name] += s.Values[1]
					waves += s.Values[1]
					if f := s.Stack[1]; !strings.HasPrefix(f.Name, "wave ") || f.Line == 0 || !strings.HasPrefix(s.Stack[2].Name, "megakernel") {
						t.Errorf("%v: stack %+v", topology, s.Stack)
					}
				}
			}
			if took["all"] != int64(device) || waves == 0 || waves > int64(device) {
				t.Errorf("%s, %v: samples add up to %d ns, those of waves to %d; the run took %d", dev.Name(), topology, took["all"], waves, device)
			}
			if topology != megakernel.Drained && took["round 1"] <= 0 {
				t.Errorf("%s, %v: %v", dev.Name(), topology, took)
			}
		}
	}
}

// TestPlansWithoutATimelineAreAsBefore: their text is the same byte for byte before, beside and after one, and has no timer in it.
func TestPlansWithoutATimelineAreAsBefore(t *testing.T) {
	g := chain(9)
	dev, other := open(t, "cuda-sim"), open(t, "cuda-sim")
	texts := func(dev driver.Device, topology megakernel.Topology) []string {
		p, err := megakernel.New(t.Context(), dev, reach(g, g.upload(t, dev), 2), nil, megakernel.Options{Topology: topology, Blocks: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		return p.Texts()
	}
	for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
		before := texts(dev, topology)
		if all := strings.Join(before, ""); len(before) == 0 || !strings.Contains(all, ".entry") || strings.Contains(all, "%globaltimer") {
			t.Errorf("%v: texts %d", topology, len(all))
		}
		timeline(t, dev, func() {
			if during := strings.Join(texts(dev, topology), ""); strings.Count(during, "%globaltimer") < 2 {
				t.Errorf("%v: nothing reads the timer", topology)
			}
			if !slices.Equal(texts(other, topology), before) {
				t.Errorf("%v: the text for another device is another one", topology)
			}
		})
		if !slices.Equal(texts(dev, topology), before) {
			t.Errorf("%v: afterwards the text is another one", topology)
		}
	}
}

// TestTimelineOfManyGroups has some of them, evenly spread.
func TestTimelineOfManyGroups(t *testing.T) {
	g := chain(2)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		out := timeline(t, dev, func() {
			p, err := megakernel.New(t.Context(), dev, reach(g, m, 0), nil, megakernel.Options{Topology: megakernel.HostLoop, Blocks: 70})
			if err == nil {
				_, err = p.Run(t.Context())
				p.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		of := map[string]bool{}
		for _, e := range out.Events {
			if e.Name == "thread_name" {
				of[e.Args.Name] = true
			}
		}
		if len(of) != 1+24 || !of["group 0"] || !of["group 69"] || of["group 1"] {
			t.Errorf("%s: %v", device, of)
		}
	}
}

// TestTimelineOfMoreThanHasRoom says how many spans it has not, and the run comes to its end all the same. So does one that was given up before.
func TestTimelineOfMoreThanHasRoom(t *testing.T) {
	const blocks = 4
	rounds := spans.PerLaunch/blocks + 10
	g := chain(rounds)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	out := timeline(t, dev, func() {
		p, err := megakernel.New(t.Context(), dev, reach(g, m, 0), nil, megakernel.Options{Topology: megakernel.Cooperative, Tail: megakernel.TailNever, Blocks: blocks})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		given, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Run(given); err == nil {
			t.Error("a run that was given up has no error")
		}
		if rec, err := p.Run(t.Context()); err != nil || rec.Rounds != uint32(rounds) {
			t.Errorf("%v, %v", rec, err)
		}
	})
	if d := out.OtherData; d.Spans != strconv.Itoa(spans.PerLaunch) || d.Dropped != strconv.Itoa(11*blocks) {
		t.Errorf("%+v", d)
	}
}
