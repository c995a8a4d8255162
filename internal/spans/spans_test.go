package spans_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/spans"
)

func TestMessageIsReadBack(t *testing.T) {
	for _, n := range []spans.Name{
		{},
		{Plan: `a "plan", of 2`, Wave: "wave 1\nX", When: spans.InRound, File: `C:\kernels of mine\k.go`, Line: 1 << 30},
		{Plan: "π\x00\xff", Wave: "`", When: spans.After, Line: -1},
	} {
		got, ok := spans.Parse(n.Message())
		if !ok || got != n {
			t.Errorf("%+v became %+v, %v", n, got, ok)
		}
	}
	for _, m := range []string{"", "span", "span ", `span 3 0 "" "" ""`, `span 0 0 "" ""`, `span 0 0 "a" "b" c`, `printf 1/1: "x"`} {
		if n, ok := spans.Parse(m); ok {
			t.Errorf("%q is %+v", m, n)
		}
	}
}

// FuzzParse reads messages that anybody may have written into a program.
//
//ci:inputs 40000
func FuzzParse(f *testing.F) {
	f.Add(spans.Name{Plan: "p", Wave: "w", When: spans.After, File: "f", Line: 2}.Message())
	f.Add(`span 1 99999999999999999999 "" "" ""`)
	f.Add("span 0 0 \"\\")
	f.Fuzz(func(t *testing.T, m string) {
		n, ok := spans.Parse(m)
		if !ok {
			return
		}
		if again, ok := spans.Parse(n.Message()); !ok || again != n {
			t.Errorf("%q is %+v, and then %+v", m, n, again)
		}
	})
}

type event struct {
	Ph, Cat, Name string
	Pid, Tid      int
	Ts, Dur       float64
	Args          struct{ Name, In string }
}

// written is a file as a reader of JSON has it.
func written(t *testing.T, f *spans.File) (events []event, dropped string) {
	t.Helper()
	var w bytes.Buffer
	if err := f.Write(&w, "a \"device\""); err != nil {
		t.Fatal(err)
	}
	var out struct {
		OtherData   struct{ Dropped string }
		TraceEvents []event
	}
	if err := json.Unmarshal(w.Bytes(), &out); err != nil {
		t.Fatalf("%v\n%s", err, w.String())
	}
	return out.TraceEvents, out.OtherData.Dropped
}

// TestFileHasRowsOfRoundsAndGroups, whatever the order in which spans come, and times from the first one on.
func TestFileHasRowsOfRoundsAndGroups(t *testing.T) {
	seed, step := spans.Name{Plan: "p", Wave: "seed"}, spans.Name{Plan: "p", Wave: "st<ep>\x7f", When: spans.InRound}
	var f spans.File
	f.Add(step, spans.Span{Group: 4, Round: 1, Begin: 5_001_000, End: 5_002_001})
	f.Add(step, spans.Span{Group: 0, Round: 0, Begin: 5_000_500, End: 5_000_900})
	f.Add(step, spans.Span{Group: 4, Round: 0, Begin: 5_000_400, End: 5_000_950})
	f.Add(seed, spans.Span{Group: 0, Begin: 5_000_000, End: 5_000_001})
	f.Add(spans.Name{Plan: "other", Wave: "seed", When: spans.After}, spans.Span{Begin: 6_000_000, End: 6_000_000})
	for range 2 { // writing changes nothing
		var got []string
		events, _ := written(t, &f)
		for _, e := range events {
			if e.Ph == "M" {
				got = append(got, fmt.Sprint(e.Pid, e.Tid, " ", e.Args.Name))
			} else {
				got = append(got, fmt.Sprintf("%d %d %s %s %s %.3f+%.3f", e.Pid, e.Tid, e.Cat, e.Name, e.Args.In, e.Ts, e.Dur))
			}
		}
		want := `1 0 p on a "device"
1 0 rounds
1 1 group 0
1 1 wave seed before the rounds 0.000+0.001
1 5 group 4
1 0 round before the rounds  0.000+0.001
1 5 wave st<ep>` + "\x7f" + ` round 0 0.400+0.550
1 1 wave st<ep>` + "\x7f" + ` round 0 0.500+0.400
1 5 wave st<ep>` + "\x7f" + ` round 1 1.000+1.001
1 0 round round 0  0.400+0.550
1 0 round round 1  1.000+1.001
2 0 other on a "device"
2 0 rounds
2 1 group 0
2 1 wave seed after the rounds 1000.000+0.000
2 0 round after the rounds  1000.000+0.000`
		if !sameLines(got, strings.Split(want, "\n")) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
		}
	}
}

// sameLines reports whether the lines are the same ones, in any order.
func sameLines(a, b []string) bool {
	n := map[string]int{}
	for _, l := range a {
		n[l]++
	}
	for _, l := range b {
		n[l]--
	}
	for _, v := range n {
		if v != 0 {
			return false
		}
	}
	return len(a) == len(b)
}

// TestFileIsBounded: of a plan the newest spans stay, and a plan that comes when the file is full has none.
//
//ci:race !FileIsBounded
func TestFileIsBounded(t *testing.T) {
	var f spans.File
	const plans = spans.Most/spans.PerPlan + 1
	for k := range plans {
		for i := range uint64(spans.PerPlan + 3) {
			f.Add(spans.Name{Plan: fmt.Sprint(k), Wave: "w"}, spans.Span{Begin: 10 + i, End: 10 + i})
		}
	}
	if want := uint64((plans-1)*3 + spans.PerPlan + 3); f.Dropped != want {
		t.Errorf("%d were dropped, want %d", f.Dropped, want)
	}
	var small spans.File
	for i := range uint64(spans.PerPlan + 3) {
		small.Add(spans.Name{Plan: "p", Wave: "w"}, spans.Span{Begin: 1000 * i, End: 1000 * i})
	}
	first, last, n := 1e18, 0.0, 0
	events, dropped := written(t, &small)
	for _, e := range events {
		if e.Cat == "wave" {
			first, last, n = min(first, e.Ts), max(last, e.Ts), n+1
		}
	}
	if n != spans.PerPlan || last-first != spans.PerPlan-1 || dropped != "3" {
		t.Errorf("%d spans over %v µs, %s dropped", n, last-first, dropped)
	}
}

type full struct{ room int }

var errFull = errors.New("full")

func (w *full) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriterThatFails(t *testing.T) {
	var f spans.File
	for i := range uint64(1000) {
		f.Add(spans.Name{Plan: "p", Wave: "w"}, spans.Span{Begin: i, End: i})
	}
	for _, room := range []int{0, 5000, 50_000} {
		if err := f.Write(&full{room}, "d"); err != errFull {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}
