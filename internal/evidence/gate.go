package evidence

import (
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
)

// Gate is what a file has to pass. The zero value requires no ratio, and everything else.
type Gate struct {
	// Require has the least ratio of a protocol's time to the resident one's, which every sample must reach by the
	// wall. A protocol that is not in it is required nothing of.
	Require map[Protocol]float64
	// AnyDevice allows small GPUs, and devices that are none, for rehearsals. A simulated one never passes.
	AnyDevice bool
}

// What a file must have at least.
const (
	minNodes       = 10_000
	minEdges       = 80_000
	minRepetitions = 64
	minSamples     = 2
	minSM          = 80
	minMemory      = 16 << 30
)

// Check reads a file and says what it proves, and why it is rejected, if it is: by an error of type Rejections. There
// is a proof beside that as long as all rows could be read, so that nobody needs to ask for less to see the ratios.
// Any other error is r's.
func (g Gate) Check(r io.Reader) (*Proof, error) {
	if err := g.Valid(); err != nil {
		return nil, err
	}
	rows, err := Read(r)
	if err != nil {
		return nil, err
	}
	var bad Rejections
	for i := range rows {
		g.scale(&bad, &rows[i])
		counters(&bad, &rows[i])
		g.below(&bad, &rows[i])
	}
	between(&bad, rows)
	return prove(rows), bad.err()
}

// Worth returns as Rejections why samples of a subject would be rejected whatever they come to: too small a graph, too
// few repetitions of each protocol in a sample, or samples, or a device that does not count. It is asked before them.
func (g Gate) Worth(dev driver.Device, s Subject, repetitions, samples int) error {
	var bad Rejections
	var r Row
	s.on(dev, &r)
	r.numbers[fRepetitions] = uint64(max(repetitions, 0))
	g.scale(&bad, &r)
	if samples < minSamples {
		bad.add(FewSamples, 0, fSample.String(), "%d sample of graph %s, want at least %d", samples, s.Graph, minSamples)
	}
	return bad.err()
}

// Valid returns why the gate is none, as Check does before it reads anything: a ratio that every file has, or none, is
// a mistake.
func (g Gate) Valid() error {
	var bad Rejections
	for p := range Resident {
		if need, ok := g.Require[p]; ok && !(need > 0 && !math.IsInf(need, 1)) {
			bad.add(BadRequired, 0, p.String(), "a ratio to %v of %v cannot be required; want one above 0, and finite", p, need)
		}
	}
	for p := range g.Require {
		if p >= Resident {
			bad.add(BadRequired, 0, "", "a ratio can be required to naive, to strong and to best other")
		}
	}
	return bad.err()
}

// scale compares a row with the floors.
func (g Gate) scale(bad *Rejections, r *Row) {
	floor := func(f field, need uint64) {
		if have := r.numbers[f]; have < need {
			bad.add(Scale, r.line, f.String(), "%v is %d, want at least %d", f, have, need)
		}
	}
	floor(fNodes, minNodes)
	floor(fEdges, minEdges)
	floor(fRepetitions, minRepetitions)
	switch d := r.words[fDevice]; {
	case strings.HasPrefix(d, rehearsed):
		bad.add(Scale, r.line, fDevice.String(), "device is %q, and a rehearsal is no evidence", d)
	case strings.HasPrefix(d, simulated), strings.HasPrefix(d, "cuda-sim"):
		bad.add(Scale, r.line, fDevice.String(), "device is %q, want one that is not simulated", d)
	}
	if !g.AnyDevice {
		floor(fSM, minSM)
		floor(fMemory, minMemory)
	}
}

// counters compares the counters of a row with what follows from its rounds and repetitions.
func counters(bad *Rejections, r *Row) {
	for _, f := range []field{fResidentUploads, fResidentAllocs, fResidentHeapAllocs, fResidentWaits, fResidentFallbacks} {
		if n := r.numbers[f]; n != 0 {
			bad.add(Polluted, r.line, f.String(), "%v is %d, want 0: the host took part", f, n)
		}
	}
	reps, rounds := r.numbers[fRepetitions], r.numbers[fRounds]
	for _, c := range []struct {
		f     field
		plus  uint64 // a repetition has times × rounds + plus of them
		times uint64
		says  string
	}{
		{f: fNaiveAllocs, plus: 3, says: "3 × repetitions"},
		{f: fNaiveUploads, plus: 1, times: 1, says: "repetitions × (1 + rounds)"},
		{f: fNaiveWaits, plus: 1, times: 1, says: "repetitions × (rounds + 1)"},
		{f: fStrongWaits, times: 1, says: "repetitions × rounds"},
		{f: fResidentLaunches, plus: 1, says: "repetitions"},
	} {
		each := satAdd(c.times*rounds, c.plus)
		if hi, want := bits.Mul64(reps, each); hi != 0 || r.numbers[c.f] != want {
			bad.add(Inconsistent, r.line, c.f.String(), "%v is %d, want %s = %s", c.f, r.numbers[c.f], c.says, wide(hi, want))
		}
	}
	if d, all := r.numbers[fResidentDeviceNS], r.numbers[fResidentNS]; d > all {
		bad.add(Inconsistent, r.line, fResidentDeviceNS.String(), "resident_device_ns is %d, more than the %d of the whole region", d, all)
	}
	if n := r.numbers[fDigestMismatches]; n != 0 {
		bad.add(BadDigest, r.line, fDigestMismatches.String(), "digest_mismatches is %d, want 0: results were wrong", n)
	}
}

// wide prints a product that may need more than 64 bits.
func wide(hi, lo uint64) string {
	if hi != 0 {
		return "more than 2⁶⁴"
	}
	return strconv.FormatUint(lo, 10)
}

// below compares the ratios of a row with what is required.
func (g Gate) below(bad *Rejections, r *Row) {
	for p := range Resident {
		need, ok := g.Require[p]
		if have := r.ratio(p, fResidentNS); ok && have < need {
			bad.add(Below, r.line, p.String(), "the ratio to %v is %v, %v is required", p, have, need)
		}
	}
}

// between compares rows with each other.
func between(bad *Rejections, rows []Row) {
	type sample struct {
		runGraph
		n uint64
	}
	type times [6]uint64
	seen, timed, first := map[sample]int{}, map[times]int{}, map[string]*Row{}
	for i := range rows {
		r := &rows[i]
		s := sample{runGraph{r.words[fRun], r.words[fGraph]}, r.numbers[fSample]}
		n := r.numbers
		t := times{n[fNaiveNS], n[fStrongNS], n[fBestOtherNS], n[fResidentNS], n[fResidentDeviceNS], n[fSetupNS]}
		if line := seen[s]; line != 0 {
			bad.add(Duplicate, r.line, fSample.String(), "sample %d of run %s, graph %s is in line %d too", s.n, s.run, s.graph, line)
		} else if line := timed[t]; line != 0 {
			bad.add(Duplicate, r.line, fNaiveNS.String(), "every time is that of line %d: one of them was copied", line)
		}
		seen[s], timed[t] = r.line, r.line
		if first[s.graph] == nil {
			first[s.graph] = r
		}
		sameGraph(bad, first[s.graph], r)
	}
	order, groups := grouped(rows)
	for _, key := range order {
		if have := len(groups[key]); have < minSamples {
			bad.add(FewSamples, groups[key][0].line, fSample.String(), "%d sample of run %s, graph %s, want at least %d", have, key.run, key.graph, minSamples)
		}
	}
}

// sameGraph compares what belongs to a graph with its first row.
func sameGraph(bad *Rejections, first, r *Row) {
	for _, f := range []field{fGraphDigest, fDigest} {
		if first.words[f] != r.words[f] {
			bad.add(BadDigest, r.line, f.String(), "%v differs from that of graph %s in line %d", f, r.words[fGraph], first.line)
		}
	}
	for _, f := range []field{fNodes, fEdges, fSeeds} {
		if a, b := first.numbers[f], r.numbers[f]; a != b {
			bad.add(Inconsistent, r.line, f.String(), "%v is %d, and %d for graph %s in line %d", f, b, a, r.words[fGraph], first.line)
		}
	}
}
