package evidence_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/evidence"
)

func check(g evidence.Gate, rows ...line) (*evidence.Proof, error) {
	return g.Check(strings.NewReader(file(rows...)))
}

func TestTwoSamplesPass(t *testing.T) {
	g := evidence.Gate{Require: map[evidence.Protocol]float64{evidence.Naive: 100, evidence.Strong: 8, evidence.BestOther: 2}}
	proof, err := check(g, pair()...)
	if err != nil {
		t.Fatal(err)
	}
	ratio := [3]evidence.Ratio{
		{To: "naive", Wall: evidence.Spread{Min: 100, Median: 112.5, Max: 125}, Device: evidence.Spread{Min: 200, Median: 225, Max: 250}},
		{To: "strong", Wall: evidence.Spread{Min: 8, Median: 8, Max: 8}, Device: evidence.Spread{Min: 16, Median: 16, Max: 16}},
		{To: "best other", Wall: evidence.Spread{Min: 2, Median: 2, Max: 2}, Device: evidence.Spread{Min: 4, Median: 4, Max: 4}},
	}
	want := &evidence.Proof{Lines: 3, Samples: 2, Repetitions: 192, Ratios: ratio,
		Graphs: []evidence.Comparison{{Run: "a", Graph: "road:1024x1024", Samples: 2, Repetitions: 192, Ratios: ratio}}}
	if !reflect.DeepEqual(proof, want) {
		t.Errorf("\n got %+v\nwant %+v", proof, want)
	}
	rows, err := evidence.Read(strings.NewReader(file(pair()...)))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := evidence.Write(&text, rows); err != nil {
		t.Fatal(err)
	}
	if again, err := g.Check(strings.NewReader(text.String())); err != nil || !reflect.DeepEqual(again, proof) {
		t.Errorf("written and read again it proves\n%+v, %v\n, before\n%+v", again, err, proof)
	}
}

func TestOneSampleEachIsRejected(t *testing.T) {
	rows := pair()
	rows[1]["graph"] = "road:2048x512"
	_, err := check(evidence.Gate{}, rows...)
	if got := reasons(t, err); len(got) != 2 {
		t.Errorf("%d reasons, want one a graph:\n%v", len(got), err)
	}
	for i := range rows {
		expect(t, err, evidence.Error{Code: evidence.FewSamples, Line: i + 2, Field: "sample", Text: "graph " + rows[i]["graph"] + ", want at least 2"})
	}
}

// faults are planted in the first row, one at a time, and nothing else is found.
func TestPlantedFaults(t *testing.T) {
	type e = evidence.Error
	for _, c := range []struct {
		field, text string
		want        e
	}{
		{"nodes", "9999", e{Code: evidence.Scale, Text: "nodes is 9999, want at least 10000"}},
		{"edges", "79999", e{Code: evidence.Scale, Text: "want at least 80000"}},
		{"sm", "75", e{Code: evidence.Scale, Text: "sm is 75, want at least 80"}},
		{"memory_bytes", "17179869183", e{Code: evidence.Scale, Text: "want at least 17179869184"}},
		{"device", "cuda-sim:0", e{Code: evidence.Scale, Text: "want one that is not simulated"}},
		{"device", "simulated thing", e{Code: evidence.Scale, Text: "want one that is not simulated"}},
		{"resident_uploads", "1", e{Code: evidence.Polluted, Text: "resident_uploads is 1, want 0"}},
		{"resident_allocs", "2", e{Code: evidence.Polluted, Text: "is 2"}},
		{"resident_heap_allocs", "64", e{Code: evidence.Polluted, Text: "is 64"}},
		{"resident_waits", "18446744073709551615", e{Code: evidence.Polluted, Text: "is 18446744073709551615"}},
		{"resident_fallbacks", "1", e{Code: evidence.Polluted, Text: "is 1"}},
		{"naive_allocs", "191", e{Code: evidence.Inconsistent, Text: "naive_allocs is 191, want 3 × repetitions = 192"}},
		{"naive_uploads", "64", e{Code: evidence.Inconsistent, Text: "want repetitions × (1 + rounds) = 512"}},
		{"naive_waits", "513", e{Code: evidence.Inconsistent, Text: "want repetitions × (rounds + 1) = 512"}},
		{"strong_waits", "447", e{Code: evidence.Inconsistent, Text: "want repetitions × rounds = 448"}},
		{"resident_launches", "65", e{Code: evidence.Inconsistent, Text: "want repetitions = 64"}},
		{"resident_device_ns", "10001", e{Code: evidence.Inconsistent, Text: "10001, more than the 10000 of the whole region"}},
		{"digest_mismatches", "1", e{Code: evidence.BadDigest, Text: "results were wrong"}},
	} {
		t.Run(c.field+"="+c.text, func(t *testing.T) {
			rows := pair()
			rows[0][c.field] = c.text
			if slices.Contains([]string{"nodes", "edges"}, c.field) { // of both rows, or they would not be of one graph
				rows[1][c.field] = c.text
			}
			proof, err := check(evidence.Gate{}, rows...)
			c.want.Line, c.want.Field = 2, c.field
			expect(t, err, c.want)
			for _, r := range reasons(t, err) {
				if r.Code != c.want.Code || r.Field != c.field {
					t.Errorf("found beside it: %v", r)
				}
			}
			if proof == nil || proof.Ratios[0].Wall.Max != 125 {
				t.Errorf("rejected without its ratios: %+v", proof)
			}
			if c.field == "sm" || c.field == "memory_bytes" {
				if _, err := check(evidence.Gate{AnyDevice: true}, rows...); err != nil {
					t.Errorf("any device will do, but %v", err)
				}
			} else if _, err := check(evidence.Gate{AnyDevice: true}, rows...); err == nil {
				t.Error("passes where any device will do")
			}
		})
	}
}

func TestFewRepetitions(t *testing.T) {
	_, err := check(evidence.Gate{}, good(1, 63, 1_000_000, 10_000), pair()[1])
	expect(t, err, evidence.Error{Code: evidence.Scale, Line: 2, Field: "repetitions", Text: "repetitions is 63, want at least 64"})
}

// A product of 64 bits must not come round to what the file says.
func TestCountersThatOverflow(t *testing.T) {
	rows := pair()
	rows[0]["repetitions"], rows[0]["rounds"] = "18446744073709551615", "18446744073709551615"
	rows[0]["strong_waits"] = "1" // what the product is, modulo 2⁶⁴
	_, err := check(evidence.Gate{}, rows...)
	expect(t, err, evidence.Error{Code: evidence.Inconsistent, Line: 2, Field: "strong_waits", Text: "more than 2⁶⁴"})
	expect(t, err, evidence.Error{Code: evidence.Inconsistent, Line: 2, Field: "naive_allocs", Text: "more than 2⁶⁴"})
}

func TestRowsAreCompared(t *testing.T) {
	for _, c := range []struct {
		name  string
		plant func(second line)
		want  evidence.Error
	}{
		{"another result", func(l line) { l["digest"] = strings.Repeat("0", 32) }, evidence.Error{Code: evidence.BadDigest, Field: "digest", Text: "differs from that of graph road:1024x1024 in line 2"}},
		{"another graph of the name", func(l line) { l["graph_digest"] = strings.Repeat("0", 64) }, evidence.Error{Code: evidence.BadDigest, Field: "graph_digest", Text: "in line 2"}},
		{"more nodes", func(l line) { l["nodes"] = "1048577" }, evidence.Error{Code: evidence.Inconsistent, Field: "nodes", Text: "nodes is 1048577, and 1048576 for graph"}},
		{"more edges", func(l line) { l["edges"] = "2515339" }, evidence.Error{Code: evidence.Inconsistent, Field: "edges", Text: "and 2515338"}},
		{"more seeds", func(l line) { l["seeds"] = "2" }, evidence.Error{Code: evidence.Inconsistent, Field: "seeds", Text: "seeds is 2, and 1"}},
		{"the same sample", func(l line) { l["sample"] = "1" }, evidence.Error{Code: evidence.Duplicate, Field: "sample", Text: "sample 1 of run a, graph road:1024x1024 is in line 2 too"}},
		{"a copy under another number", func(l line) { maps.Copy(l, good(2, 64, 1_000_000, 10_000)) }, evidence.Error{Code: evidence.Duplicate, Field: "naive_ns", Text: "every time is that of line 2"}},
		{"another run", func(l line) { l["run"] = "b" }, evidence.Error{Code: evidence.FewSamples, Field: "sample", Text: "1 sample of run b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := pair()
			c.plant(rows[1])
			c.want.Line = 3
			_, err := check(evidence.Gate{}, rows...)
			expect(t, err, c.want)
		})
	}
}

// TestOneByte changes every byte of every counter to every other digit.
func TestOneByte(t *testing.T) {
	fields := strings.Split(evidence.Header, ",")
	counters := []string{"rounds", "repetitions", "digest", "graph_digest", "nodes", "edges", "seeds"}
	counters = append(counters, fields[slices.Index(fields, "naive_allocs"):]...)
	for row, original := range pair() {
		for _, f := range counters {
			for at := range original[f] {
				for d := byte('0'); d <= '9'; d++ {
					if original[f][at] == d {
						continue
					}
					rows := pair()
					rows[row][f] = original[f][:at] + string(d) + original[f][at+1:]
					if _, err := check(evidence.Gate{}, rows...); len(reasons(t, err)) == 0 {
						t.Errorf("line %d, %s: %s in place of %s passes", row+2, f, rows[row][f], original[f])
					}
				}
			}
		}
	}
}

func TestBelowWhatIsRequired(t *testing.T) {
	for p, least := range map[evidence.Protocol]float64{evidence.Naive: 100, evidence.Strong: 8, evidence.BestOther: 2} {
		need := math.Nextafter(least, 1000)
		if _, err := check(evidence.Gate{Require: map[evidence.Protocol]float64{p: least}}, pair()...); err != nil {
			t.Errorf("%v of %v: %v", p, least, err)
		}
		_, err := check(evidence.Gate{Require: map[evidence.Protocol]float64{p: need}}, pair()...)
		expect(t, err, evidence.Error{Code: evidence.Below, Line: 2, Field: p.String(), Text: fmt.Sprintf("the ratio to %v is %v, %v is required", p, least, need)})
	}
}

// What cannot be required is said before the file is looked at.
func TestRequiredIsCheckedFirst(t *testing.T) {
	for _, need := range []float64{0, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
		for p := evidence.Naive; p < evidence.Resident; p++ {
			_, err := evidence.Gate{Require: map[evidence.Protocol]float64{p: need}}.Check(brokenReader{})
			expect(t, err, evidence.Error{Code: evidence.BadRequired, Field: p.String(), Text: fmt.Sprintf("a ratio to %v of %v cannot be required", p, need)})
		}
	}
	_, err := evidence.Gate{Require: map[evidence.Protocol]float64{evidence.Resident: 1}}.Check(brokenReader{})
	expect(t, err, evidence.Error{Code: evidence.BadRequired, Text: "to naive, to strong and to best other"})
}

// Printed ratios are never more than there is.
func TestProofPrintsEveryRatio(t *testing.T) {
	rows := append(pair(), good(1, 64, 199_999, 10_001), good(2, 64, 30_000, 10_002))
	for _, r := range rows[2:] {
		r["graph"] = "skew:1048576/0x10"
	}
	proof, err := check(evidence.Gate{}, rows...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := proof.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `5 lines, 4 samples, 320 repetitions
run a, graph road:1024x1024: 2 samples, 192 repetitions
  resident to      wall min     median        max  device min     median        max
  naive             100.000    112.500    125.000     200.000    225.000    250.000
  strong              8.000      8.000      8.000      16.000     16.000     16.000
  best other          2.000      2.000      2.000       4.000      4.000      4.000
run a, graph skew:1048576/0x10: 2 samples, 128 repetitions
  resident to      wall min     median        max  device min     median        max
  naive               2.999     11.498     19.997       5.998     22.999     39.999
  strong              8.000      8.000      8.000      16.000     16.000     16.001
  best other          2.000      2.000      2.000       4.000      4.000      4.000
all samples
  resident to      wall min     median        max  device min     median        max
  naive               2.999     59.998    125.000       5.998    119.999    250.000
  strong              8.000      8.000      8.000      16.000     16.000     16.001
  best other          2.000      2.000      2.000       4.000      4.000      4.000
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
