package sass_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/sass"
	"github.com/govyre/vyre/internal/testing/long"
)

// builds are what texts are made into. A text is made into those of -O3 and into one of -O0, whose code is long: which
// target's, the module's place decides.
var builds = []build{{75, 0}, {75, 3}, {80, 0}, {80, 3}, {90, 0}, {90, 3}}

// buildsNow are those of this run: two, if it is quick.
func buildsNow() []build {
	if !long.Enabled() {
		return []build{{80, 3}, {90, 0}}
	}
	return builds
}

// plainFor are the targets of -O0, in turn.
var plainFor = [3]int{75, 80, 90}

// parameterBytes is what a text's parameters take: two addresses, two words and one of 64 bits.
const parameterBytes = 32

// runs is what a text is run with.
type runs struct {
	records []byte
	scalars [launches][3]uint64
}

// parameters are those of a launch, of memory at these addresses.
func (r *runs) parameters(launch int, in, out uint64) []byte {
	s := r.scalars[launch]
	b := binary.LittleEndian.AppendUint64(nil, in)
	b = binary.LittleEndian.AppendUint64(b, out)
	b = binary.LittleEndian.AppendUint32(b, uint32(s[0]))
	b = binary.LittleEndian.AppendUint32(b, uint32(s[1]))
	return binary.LittleEndian.AppendUint64(b, s[2])
}

// onMachine runs machine code, and returns the records of all launches.
func (r *runs) onMachine(a assembled, b build) ([]byte, error) {
	code, err := a.parse()
	if err != nil {
		return nil, err
	}
	var all []byte
	for i := range launches {
		out := make([]byte, invocations*outBytes)
		bank := b.constants(parameterBytes)
		copy(bank[b.parameters():], r.parameters(i, 1<<32, 2<<32))
		err := code.Run(sass.Launch{Constants: bank, Literals: a.literals, Grid: one, Group: [3]uint32{invocations, 1, 1},
			Memory: []sass.Segment{{At: 1 << 32, Data: r.records}, {At: 2 << 32, Data: out}}})
		if err != nil {
			return nil, err
		}
		all = append(all, out...)
	}
	return all, nil
}

// oneNaN gives all NaNs that are stored as floats the same bits: which they are the instructions leave open.
func (t *text) oneNaN(out []byte) {
	for _, l := range t.lines {
		if l.kind != keep {
			continue
		}
		for at := l.at; at < len(out); at += outBytes {
			switch {
			case strings.HasSuffix(l.op, ".f32"):
				if v := binary.LittleEndian.Uint32(out[at:]); v&0x7FFFFFFF > 0x7F800000 {
					binary.LittleEndian.PutUint32(out[at:], math.MaxInt32)
				}
			case strings.HasSuffix(l.op, ".f64"):
				if v := binary.LittleEndian.Uint64(out[at:]); v&math.MaxInt64 > 0x7FF<<52 {
					binary.LittleEndian.PutUint64(out[at:], 0x7FF8<<48)
				}
			}
		}
	}
}

// trial is a text with what it is run with.
type trial struct {
	text *text
	runs
}

// verdict is what came of a trial: outputs by who ran it, and what could not be judged.
type verdict struct {
	outs    []outcome
	unknown []string
}

type outcome struct {
	who string
	out []byte
	err error // in place of an output
}

// differ reports whether two outputs are not the same.
func (v *verdict) differ() bool {
	for _, o := range v.outs {
		if o.err != nil || !bytes.Equal(o.out, v.outs[0].out) {
			return true
		}
	}
	return false
}

// describe says who has which output, by the first place at which they differ.
func (v *verdict) describe() string {
	var b strings.Builder
	first := len(v.outs[0].out) - 8
	for _, o := range v.outs {
		for i := range o.out {
			if o.out[i] != v.outs[0].out[i] {
				first = min(first, i)
			}
		}
	}
	first &^= 7
	run, at := first/outBytes, first%outBytes
	fmt.Fprintf(&b, "launch %d, invocation %d, byte %d of its record:\n", run/invocations, run%invocations, at)
	for _, o := range v.outs {
		if o.err != nil {
			fmt.Fprintf(&b, "  %-12s %v\n", o.who, o.err)
			continue
		}
		fmt.Fprintf(&b, "  %-12s %#x\n", o.who, binary.LittleEndian.Uint64(o.out[first:]))
	}
	return b.String()
}

// judge runs texts as each build makes them, and on the simulated device.
func judge(ctx context.Context, a assembler, trials []trial, builds []build) ([]verdict, error) {
	texts := make([]*text, len(trials))
	for i := range trials {
		texts[i] = trials[i].text
	}
	verdicts := make([]verdict, len(trials))
	sim, err := onSimulation(trials)
	if err != nil {
		return nil, err
	}
	for i := range trials {
		texts[i].oneNaN(sim[i])
		verdicts[i].outs = append(verdicts[i].outs, outcome{"simulated", sim[i], nil})
	}
	for _, b := range builds {
		made, err := a.assemble(ctx, module(texts, b.sm), b)
		if err != nil {
			return nil, err
		}
		for i := range trials {
			v := &verdicts[i]
			out, err := trials[i].onMachine(made[texts[i].name], b)
			var unknown *sass.UnknownError
			switch {
			case errors.As(err, &unknown):
				v.unknown = append(v.unknown, unknown.Text)
				continue
			case err != nil:
			default:
				texts[i].oneNaN(out)
			}
			v.outs = append(v.outs, outcome{b.String(), out, err})
		}
	}
	return verdicts, nil
}

// atOnce is how many texts make a module.
const atOnce = 200

// TestLevelsAgree: what ptxas makes of random texts without optimisation, with it, and for several targets does what the
// simulated device does. Each text that differs is made small.
func TestLevelsAgree(t *testing.T) {
	a := newAssembler(t)
	first := long.Seed(t, 1)
	n := uint64(long.Count(8, 400, 50_000))
	unknown := make(tally)
	judged, whole, made := 0, 0, 0
	for from := first; from < first+n; from += atOnce {
		if timeUp(t) {
			n = from - first
			break
		}
		if done := from - first; done > 0 && done%2000 == 0 {
			t.Logf("%d texts so far", done)
		}
		var trials []trial
		for seed := from; seed < min(from+atOnce, first+n); seed++ {
			x, pool := randomText(seed, seed%2 == 1)
			tr := trial{text: x}
			tr.records, tr.scalars = fillRecords(seed, pool)
			trials = append(trials, tr)
		}
		some := slices.DeleteFunc(slices.Clone(buildsNow()), func(b build) bool { return long.Enabled() && b.level == 0 && b.sm != plainFor[from/atOnce%3] })
		verdicts, err := judge(t.Context(), a, trials, some)
		if err != nil {
			t.Fatalf("seeds from %d: %v", from, err)
		}
		made += len(some) * len(trials)
		for i := range verdicts {
			v := &verdicts[i]
			judged += len(v.outs) - 1
			if len(v.unknown) == 0 {
				whole++
			}
			for _, u := range v.unknown {
				unknown.add(u)
			}
			if v.differ() {
				t.Logf("seed %d differs", from+uint64(i))
				small, how := shrink(t.Context(), a, trials[i], v)
				var b strings.Builder
				small.text.print(&b)
				t.Errorf("seed %d: %s%s", from+uint64(i), how.describe(), b.String())
			}
		}
	}
	report(t, made, judged, unknown)
	t.Logf("%d of %d texts were judged in all of theirs", whole, n)
}

// timeUp reports whether the test has to end: what it has found by then is said.
func timeUp(t *testing.T) bool {
	at, limited := t.Deadline()
	return limited && time.Until(at) < 2*time.Minute
}

// report says how much of a sweep was judged, and what kept it from judging the rest.
func report(t *testing.T, made, judged int, unknown tally) {
	t.Helper()
	t.Logf("of %d that were assembled, %d were judged and %d not", made, judged, made-judged)
	for _, name := range unknown.sorted() {
		t.Logf("%6d × not known: %s, such as %s", unknown[name].n, name, unknown[name].example)
	}
	if judged == 0 {
		t.Error("nothing was judged")
	}
}

// tally counts instructions by their names.
type tally map[string]struct {
	n       int
	example string
}

func (c tally) add(text string) {
	name := text
	if strings.HasPrefix(name, "@") {
		_, name, _ = strings.Cut(name, " ")
	}
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
	of := c[name]
	of.n++
	of.example = text
	c[name] = of
}

// sorted are the names, those first that were counted most.
func (c tally) sorted() []string {
	return slices.SortedFunc(maps.Keys(c), func(a, b string) int { return cmp.Or(c[b].n-c[a].n, strings.Compare(a, b)) })
}
