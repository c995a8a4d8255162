package rules_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// refused has rules that look right and are not: a checker that cannot say no shows nothing.
const refused = `
self-difference   real  (sub ?x ?x)                  => 0
times-zero        real  (mul ?x 0)                   => 0
plus-zero         real  (add ?x 0)                   => ?x
minus-neg-zero    real  (sub ?x -0)                  => ?x
neg-difference    real  (neg (sub ?x ?y))            => (sub ?y ?x)
difference-back   real  (sub (add ?x ?y) ?y)         => ?x
reassociate       real  (add (add ?x ?y) ?z)         <=> (add ?x (add ?y ?z))
contract          real  (add (mul ?x ?y) ?z)         => (fma ?x ?y ?z)
not-less          real  (not (lt ?x ?y))             => (le ?y ?x)
select-min        real  (select (lt ?x ?y) ?x ?y)    => (min ?x ?y)
equals-itself     real  (eq ?x ?x)                   => true
divides-itself    real  (div ?x ?x)                  => 1
third             real  (div ?x 3)                   => (mul ?x (div 1 3))
reciprocal        real  (div ?x #a)                  => (mul ?x (div 1 #a))
distribute        real  (mul ?x (add ?y ?z))         <=> (add (mul ?x ?y) (mul ?x ?z))
times-over        int   (div (mul ?x #a) #a)         => ?x
less-than-next    int   (lt ?x (add ?x 1))           => true
less-in-sums      int   (lt (add ?x ?z) (add ?y ?z)) => (lt ?x ?y)
signed-div-pow2   sint  (div ?x #a)                  => (shr ?x (ctz #a))   when pow2 #a
signed-rem-pow2   sint  (rem ?x #a)                  => (and ?x (sub #a 1)) when pow2 #a
int-by-itself     int   (div ?x ?x)                  => 1
zero-by           uint  (div 0 ?x)                   => 0
lost-bits         int   (shr (shl ?x ?k) ?k)         => ?x
lost-low-bits     int   (shl (shr ?x ?k) ?k)         => ?x
sum-of-counts     int   (shl (shl ?x ?k) ?j)         => (shl ?x (add ?k ?j))
sum-of-constants  int   (shl (shl ?x #k) #j)         => (shl ?x (add #k #j))
shift-of-sum      int   (shr (add ?x ?y) ?k)         <=> (add (shr ?x ?k) (shr ?y ?k))
masked-count      int   (shl ?x (and ?k 31))         => (shl ?x ?k)
div-div-wraps     uint  (div (div ?x #a) #b)         => (div ?x (mul #a #b))
signed-neg-shift  sint  (shr ?x #k)                  => 0                   when over #k
abs-of-int        sint  (abs ?x)                     => ?x
max-of-min        any   (min ?x (max ?x ?y))         => ?x
not-of-sum        int   (not (add ?x ?y))            <=> (add (not ?x) (not ?y))
neg-of-min        sint  (neg (min ?x ?y))            <=> (max (neg ?x) (neg ?y))
`

func parse(t *testing.T, text string) []*rules.Rule {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRefuteRefutesRulesThatOnlyLookRight(t *testing.T) {
	for _, r := range parse(t, refused) {
		if refuted(t, r, rules.Quick) == nil {
			t.Errorf("no counterexample to %v", r)
		}
	}
}

// Each class of rule that the page of e-graphs refuses has to fall at every type of it, not at one that others do not have.
func TestRefuteRefutesAtEveryType(t *testing.T) {
	for _, r := range parse(t, "a real (add (add ?x ?y) ?z) => (add ?x (add ?y ?z))\nb int (div ?x ?x) => 1\nc int (shl (shl ?x #k) #j) => (shl ?x (add #k #j))") {
		for typ := ir.Bool; typ <= ir.BF16; typ++ {
			c, err := rules.Refute(context.Background(), r, typ, rules.Quick)
			if err != nil || (c == nil) == r.Types.Has(typ) {
				t.Errorf("%v at %v: %v, %v", r, typ, c, err)
			}
		}
	}
}

func TestCounterexampleIsOne(t *testing.T) {
	for _, r := range parse(t, refused) {
		c := refuted(t, r, rules.Quick)
		left, right, ok := c.Rule.Sides(c.Bits)
		if !ok || left == right || left != c.Left || right != c.Right {
			t.Errorf("%v: the sides are %#x and %#x (%v)", c, left, right, ok)
		}
	}
}

func TestCounterexampleSaysRuleTypeAssignmentAndValues(t *testing.T) {
	c := refuted(t, parse(t, "half sint (div ?x 2) => (shr ?x 1)")[0], rules.Quick)
	const want = "half at i32 cut to 8 bits: ?x = 0x81, (div ?x 2) = 0xc1, (shr ?x 1) = 0xc0"
	if c.String() != want {
		t.Errorf("got  %v\nwant %s", c, want)
	}
}

// A wrong number that no width of 8 bits tells from the right one is found at full width.
func TestRefuteFindsWhatOnlyWideNumbersShow(t *testing.T) {
	for _, text := range []string{
		"top8 uint (shr ?x 200) => (and ?x 0)\nwide uint (and (shr ?x 40) 1) => 0", // true at 8 and 32 bits
		"fast uint (mul ?x 256) => 0",
		"const uint (add ?x 256) => ?x",
	} {
		list := parse(t, text)
		if c := refuted(t, list[len(list)-1], rules.Quick); c == nil || strings.Contains(c.String(), "cut to") {
			t.Errorf("%s: %v", text, c)
		}
	}
}

func TestRefuteEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := parse(t, "a int (add (add ?x ?y) ?z) => (add ?x (add ?y ?z))")[0]
	if c, err := rules.Refute(ctx, r, ir.U32, rules.Full); c != nil || !errors.Is(err, context.Canceled) {
		t.Fatal(c, err)
	}
	if c, err := rules.Refute(context.Background(), r, ir.U32, rules.Quick); c != nil || err != nil {
		t.Fatal(c, err)
	}
}

// neighbours are ops that take each other's operands.
var neighbours = map[string]string{"add": "sub", "sub": "add", "and": "or", "or": "and", "shl": "shr", "shr": "shl", "lt": "le", "le": "lt",
	"eq": "ne", "ne": "eq", "min": "max", "max": "min", "neg": "not", "not": "neg", "mul": "add", "xor": "or", "div": "rem", "rem": "div",
	"addsat": "subsat", "rotl": "rotr", "ctz": "clz", "minp": "maxp", "maxp": "minp", "abs": "neg"}

// mutants are the lines of rules that differ from r in one place of a side: a number one off, operands exchanged, another op,
// the condition dropped.
func mutants(r *rules.Rule) (lines []string) {
	arrow := " => "
	if r.Both {
		arrow = " <=> "
	}
	when := ""
	if _, cond, ok := strings.Cut(r.String(), " when "); ok {
		when = " when " + cond
		lines = append(lines, r.Left.String()+arrow+r.Right.String())
	}
	for _, m := range variants(r.Right) {
		lines = append(lines, r.Left.String()+arrow+m+when)
	}
	for _, m := range variants(r.Left) {
		lines = append(lines, m+arrow+r.Right.String()+when)
	}
	for i := range lines {
		lines[i] = "mutant " + r.Class + " " + lines[i]
	}
	return lines
}

// variants are the texts of terms that differ from t in one place.
func variants(t *rules.Term) (list []string) {
	literals := map[string][]string{"true": {"false"}, "false": {"true"}, "ones": {"0", "(sub ones 1)"}, "top": {"ones", "(add top 1)"},
		"width": {"(add width 1)", "(sub width 1)"}, "0": {"1", "-1"}, "1": {"0", "2"}, "2": {"1", "3"}, "-1": {"0", "-2"}, "-0": {"0", "-1"}}
	switch t.Kind {
	case rules.Literal:
		return literals[t.String()]
	case rules.Value:
		return nil
	case rules.Constant:
		return []string{"(add " + t.String() + " 1)", "(sub " + t.String() + " 1)"}
	}
	write := func(op string, args []string) { list = append(list, "("+op+" "+strings.Join(args, " ")+")") }
	info := t.Op.Info()
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = a.String()
	}
	if to, ok := neighbours[info.Name]; ok {
		write(to, args)
	}
	if n := len(args); n >= 2 && info.Attr&ir.Commutative == 0 && args[n-1] != args[n-2] && info.In[n-1].Set.One() == ir.None {
		swapped := append([]string{}, args...)
		swapped[n-1], swapped[n-2] = args[n-2], args[n-1]
		write(info.Name, swapped)
	}
	for i, a := range t.Args {
		for _, m := range variants(a) {
			changed := append([]string{}, args...)
			changed[i] = m
			write(info.Name, changed)
		}
	}
	return list
}

// trueToo are the mutants that are true and not rules, with the reason.
var trueToo = map[string]string{
	"(or (and (or ?x ?y) ?z) ?x) => (or ?x (and ?y ?z))":                        "the bits of x are there anyway",
	"(or (or (and ?x ?y) ?z) ?y) => (or ?z ?y)":                                 "the bits of y are there anyway",
	"(select (lt -1 ?x) ?x (neg ?x)) => (abs ?x)":                               "-1 < x is 0 <= x",
	"(select (le 1 ?x) ?x (neg ?x)) => (abs ?x)":                                "1 <= x is 0 < x",
	"(select (le ?x -1) (neg ?x) ?x) => (abs ?x)":                               "x <= -1 is x < 0",
	"(select (lt ?x 1) (neg ?x) ?x) => (abs ?x)":                                "x < 1 is x <= 0",
	"(select (lt -1 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?x ?y))": "-1 < x is 0 <= x",
	"(select (le 1 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?x ?y))":  "1 <= x is 0 < x",
	"(select (le (sub ?x ?y) -1) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?x ?y))": "x <= -1 is x < 0",
	"(select (lt (sub ?x ?y) 1) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?x ?y))":  "x < 1 is x <= 0",
	"(select (lt 0 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?y ?x))":  "abs is even",
	"(select (le 0 (sub ?x ?y)) (sub ?x ?y) (sub ?y ?x)) => (abs (sub ?y ?x))":  "abs is even",
	"(select (lt (sub ?x ?y) 0) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?y ?x))":  "abs is even",
	"(select (le (sub ?x ?y) 0) (sub ?y ?x) (sub ?x ?y)) => (abs (sub ?y ?x))":  "abs is even",
	"(minp ?x #a) => (add #a 1) when nan #a":                                    "a NaN and 1 is a NaN",
	"(minp ?x #a) => (sub #a 1) when nan #a":                                    "a NaN less 1 is a NaN",
	"(maxp ?x #a) => (add #a 1) when nan #a":                                    "a NaN and 1 is a NaN",
	"(maxp ?x #a) => (sub #a 1) when nan #a":                                    "a NaN less 1 is a NaN",
	"(or (or ?x ?y) (or ?x ?y)) => (or ?x ?y)":                                  "or of equal operands",
	"(or (and ?x ?y) (or ?x ?y)) => (or ?x ?y)":                                 "absorption",
	"(and (and ?x ?y) (and ?x ?y)) => (and ?x ?y)":                              "and of equal operands",
	"(or (le ?x ?y) (le ?x ?y)) => (le ?x ?y)":                                  "or of equal operands",
	"(and (lt ?x ?y) (lt ?x ?y)) => (lt ?x ?y)":                                 "and of equal operands",
	"(or ?x ?y) <=> (or (xor ?x ?y) (and ?x ?y))":                               "the xor and the and have no bit in common",
}

// shape is a rule without the names of its variables and the order of operands that commute: equal rules have one shape.
func shape(r *rules.Rule) string {
	least := ""
	for swaps := range 1 << 6 {
		left := swaps
		names := make(map[string]string)
		var write func(t *rules.Term) string
		write = func(t *rules.Term) string {
			switch t.Kind {
			case rules.Literal:
				return t.String()
			case rules.Apply:
				args := t.Args
				if len(args) == 2 && t.Op.Info().Attr&ir.Commutative != 0 {
					if left&1 != 0 {
						args = []*rules.Term{args[1], args[0]}
					}
					left >>= 1
				}
				text := "(" + t.Op.Info().Name
				for _, a := range args {
					text += " " + write(a)
				}
				return text + ")"
			}
			name := t.String()
			if names[name] == "" {
				names[name] = name[:1] + string(rune('a'+len(names)))
			}
			return names[name]
		}
		text := write(r.Left) + "=>" + write(r.Right)
		if _, cond, ok := strings.Cut(r.String(), " when "); ok {
			for from, to := range names {
				cond = strings.ReplaceAll(cond, from, strings.ToUpper(to))
			}
			text += cond
		}
		if least == "" || text < least {
			least = text
		}
	}
	return least
}

// TestRefuteRefutesMutants: changed in one place a rule is no longer true, or it is another rule.
//
//ci:race RefutesMutants
func TestRefuteRefutesMutants(t *testing.T) {
	admitted := make(map[string]ir.TypeSet)
	for _, r := range rules.Table() {
		admitted[shape(r)] |= r.Types
	}
	for _, r := range rules.Table() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for _, line := range mutants(r) {
				list, _ := rules.Parse(line) // some name variables that are gone, or have types that do not fit
				for _, m := range list {
					_, rule, _ := strings.Cut(line, " ("+m.Left.String()[1:])
					known := m.Types&^admitted[shape(m)] == 0 || trueToo[m.Left.String()+rule] != ""
					if c := refuted(t, m, rules.Quick); c == nil && !known {
						t.Errorf("true too: %s", line)
					} else if c != nil && known {
						t.Errorf("said to be true: %v", c)
					}
				}
			}
		})
	}
}
