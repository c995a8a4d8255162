package mine_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/mine"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

var ctx = context.Background()

// devices are those that evaluate terms: the interpreter, machine code, and the simulated GPU.
func devices(t *testing.T) map[string]driver.Device {
	t.Helper()
	all := make(map[string]driver.Device)
	for _, e := range []cpu.Engine{cpu.Interp, cpu.Auto} {
		d, err := cpu.Open(cpu.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		all["cpu, "+string(e)] = d
	}
	sim, err := driver.Open("cuda-sim", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all["cuda-sim"] = sim
	t.Cleanup(func() {
		for name, d := range all {
			if n := d.Stats().Get(metric.LiveBytes); n != 0 {
				t.Errorf("%s: %d bytes are left", name, n)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

func one(t *testing.T) driver.Device {
	t.Helper()
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// ops are those with these names.
func ops(t *testing.T, names string) (list []ir.Op) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		op, ok := ir.OpByName(name)
		if !ok {
			t.Fatal(name)
		}
		list = append(list, op)
	}
	return list
}

// mined are the rules that are found without those with these names, as lines.
func mined(t *testing.T, d driver.Device, o mine.Options, without ...string) (*mine.Found, string) {
	t.Helper()
	b, err := mine.Open(ctx, d, o)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.DeleteFunc(slices.Clone(rules.Table()), func(r *rules.Rule) bool { return slices.Contains(without, r.Name) })
	f, err := mine.Rules(ctx, b, known, rules.Quick)
	if err = errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	for _, r := range f.Rules {
		w.WriteString(r.String() + "\n")
	}
	return f, w.String()
}

// TestRulesTakenOutAreFoundAgain, on every device, with the classes that the table has, and nothing else.
//
//ci:race TakenOut|FalseCandidates
func TestRulesTakenOutAreFoundAgain(t *testing.T) {
	for name, d := range devices(t) {
		_, got := mined(t, d, mine.Options{Ops: ops(t, "add neg brev abs"), Type: ir.I32, Vars: 2, Size: 2}, "brev-brev", "abs-neg", "abs-abs")
		const want = `brev-brev int (brev (brev ?x)) => ?x
abs-neg any (abs (neg ?x)) => (abs ?x)
abs-abs any (abs (abs ?x)) => (abs ?x)
`
		if got != want {
			t.Errorf("%s: found\n%swant\n%s", name, got, want)
		}
	}
}

// TestNothingIsFoundThatTheTableHas.
func TestNothingIsFoundThatTheTableHas(t *testing.T) {
	f, got := mined(t, one(t), mine.Options{Ops: ops(t, "add sub and or xor neg not"), Type: ir.U32, Vars: 2, Size: 2})
	if got != "" || f.Known != f.Candidates || f.Candidates < 20 {
		t.Errorf("of %d candidates %d are known; found %s", f.Candidates, f.Known, got)
	}
}

// TestConstantsAreGeneralised: a rule has a constant, with the condition that it needs.
func TestConstantsAreGeneralised(t *testing.T) {
	_, got := mined(t, one(t), mine.Options{Ops: ops(t, "rem and sub"), Type: ir.U32, Vars: 1, Constants: 1, Literals: []string{"1"},
		Condition: "pow2 #a", Size: 2}, "rem-pow2")
	if want := "rem uint (rem ?x #a) => (and ?x (sub #a 1)) when pow2 #a\n"; !strings.HasPrefix(got, want) {
		t.Errorf("found %s, want %s first", got, want)
	}
}

// TestFalseCandidatesAreRefused: no input is the literal, so a comparison with it looks false.
func TestFalseCandidatesAreRefused(t *testing.T) {
	f, got := mined(t, one(t), mine.Options{Ops: ops(t, "eq"), Type: ir.U32, Vars: 1, Size: 1, Literals: []string{"1234567", "false"}})
	if got != "" || len(f.Refuted) != 1 || f.Refuted[0].Left == f.Refuted[0].Right {
		t.Errorf("found %s, refuted %v", got, f.Refuted)
	}
}

// TestFloats: zeros of both signs and NaNs tell terms apart.
func TestFloats(t *testing.T) {
	for name, d := range devices(t) {
		_, got := mined(t, d, mine.Options{Ops: ops(t, "add sub neg abs"), Type: ir.F32, Vars: 2, Size: 2}, "fadd-neg", "abs-abs", "real-sub-neg")
		const want = `add-neg-3 any (add ?x (neg ?y)) => (sub ?x ?y)
abs-sub any (abs (sub ?x ?x)) => (sub ?x ?x)
abs-abs any (abs (abs ?x)) => (abs ?x)
`
		if got != want {
			t.Errorf("%s: found\n%swant\n%s", name, got, want)
		}
	}
}

// TestWideWordsAndBools has values of 64 bits, counts of 32 and bools in one bank.
func TestWideWordsAndBools(t *testing.T) {
	for name, d := range devices(t) {
		_, got := mined(t, d, mine.Options{Ops: ops(t, "popc lt select"), Type: ir.I64, Vars: 1, Bools: 1, Size: 2}, "select-same", "lt-self")
		const want = `lt any (lt ?x ?x) => false
select-2 any (select ?c ?x ?x) => ?x
`
		if got != want {
			t.Errorf("%s: found\n%swant\n%s", name, got, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	good := mine.Options{Ops: ops(t, "add"), Type: ir.U32, Vars: 1, Size: 1}
	for name, c := range map[string]struct {
		change func(*mine.Options)
		want   string
	}{
		"type":      {func(o *mine.Options) { o.Type = ir.F16 }, "terms of type f16"},
		"no ops":    {func(o *mine.Options) { o.Ops = nil }, "no terms"},
		"no values": {func(o *mine.Options) { o.Vars = 0 }, "no terms"},
		"values":    {func(o *mine.Options) { o.Vars = 9 }, "9 values"},
		"size":      {func(o *mine.Options) { o.Size = 99 }, "99 ops of a term"},
		"load":      {func(o *mine.Options) { o.Ops = ops(t, "load") }, "a rule cannot have op load"},
		"cvt":       {func(o *mine.Options) { o.Ops = ops(t, "cvt") }, "a rule cannot have op cvt"},
		"float op":  {func(o *mine.Options) { o.Ops = ops(t, "sqrt") }, "op sqrt has no operands"},
		"twice":     {func(o *mine.Options) { o.Ops = ops(t, "add add") }, "twice"},
		"literal":   {func(o *mine.Options) { o.Literals = []string{"0)"} }, `"0)" is not a literal`},
		"real":      {func(o *mine.Options) { o.Literals = []string{"0.5"} }, `"0.5" is not a literal`},
		"condition": {func(o *mine.Options) { o.Constants, o.Condition = 1, "odd #a" }, `condition "odd #a"`},
		"about":     {func(o *mine.Options) { o.Condition = "pow2 #a" }, `condition "pow2 #a"`},
		"never":     {func(o *mine.Options) { o.Constants, o.Condition = 1, "differ #a #a" }, "no constants found"},
		"full":      {func(o *mine.Options) { o.Terms = 1; o.Vars = 1 }, "more than 1 terms differ, at 1 ops"},
		"terms":     {func(o *mine.Options) { o.Terms = 1 << 30 }, "room for 1073741824 terms"},
	} {
		o := good
		c.change(&o)
		if _, err := mine.Open(ctx, one(t), o); err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := mine.Open(ended, one(t), good); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// notFound are the patterns whose results the search does not reach.
var notFound = []string{"llvm-82414", "llvm-118155", "llvm-164495", "llvm-167190"}

// TestMissedPeepholesOfLLVM finds results for patterns that LLVM missed.
func TestMissedPeepholesOfLLVM(t *testing.T) {
	long.Only(t, "banks of 150,000 terms for each pattern, and searches for counterexamples")
	text, err := os.ReadFile("testdata/llvm.rules")
	if err != nil {
		t.Fatal(err)
	}
	list, err := rules.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	d := one(t)
	for i, r := range list {
		if !long.Turn(i, 0) {
			continue
		}
		var q *rules.Rule
		for _, names := range []string{"xor sub", "min max", "and or xor not lt min max add sub ctz"} { // beside those of the pattern
			if q, err = mine.Cheaper(ctx, d, mine.Options{Ops: ops(t, names), Literals: []string{"0", "1", "ones"}, Size: 3, Terms: 150_000}, r, rules.Full); err != nil {
				t.Fatal(err)
			}
			if q != nil {
				break
			}
		}
		if t.Log(r.Name, q); q == nil && !slices.Contains(notFound, r.Name) {
			t.Errorf("nothing is found for %s", r)
		}
	}
}

// TestMissedPeepholesHold: the lines of the file are true, by a search of its own.
func TestMissedPeepholesHold(t *testing.T) {
	text, err := os.ReadFile("testdata/llvm.rules")
	if err != nil {
		t.Fatal(err)
	}
	list, err := rules.Parse(string(text))
	if err != nil || len(list) < 38 {
		t.Fatal(len(list), err)
	}
	for _, r := range list {
		if c := proved(t, r); c != nil {
			t.Error(c)
		}
	}
}

// proved looks for a counterexample at all types.
func proved(t *testing.T, r *rules.Rule) *rules.Counterexample {
	t.Helper()
	for typ := ir.Bool; typ <= ir.BF16; typ++ {
		c, err := rules.Refute(ctx, r, typ, rules.Effort(long.Count(int(rules.Quick), int(rules.Full), int(rules.Full))))
		if err != nil {
			t.Fatal(err)
		}
		if c != nil {
			return c
		}
	}
	return nil
}
