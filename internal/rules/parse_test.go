package rules_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

func TestParseSaysWhereAndWhatAndWhatToDo(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"name only", "a", `1:2: unknown class ""; fix: choose int,`},
		{"no name", "(add ?x 0) => ?x", "1:1: the rule has no name; fix: begin"},
		{"class", "a integer (add ?x 0) => ?x", `1:3: unknown class "integer"; fix: choose int, uint`},
		{"op", "a int (plus ?x 0) => ?x", `1:8: unknown op "plus"; fix:`},
		{"op with an effect", "a int (load ?x) => ?x", "1:8: op load has an effect"},
		{"op with a tolerance", "a real (fast_sqrt ?x) => ?x", "1:9: op fast_sqrt has an effect, an immediate or a tolerance"},
		{"op whose type is stated", "a int (cvt ?x) => ?x", "1:8: op cvt has an effect"},
		{"arity", "a int (add ?x) => ?x", "1:8: op add has 1 operands, not 2; fix: give it 2"},
		{"arity on the right", "a int (add ?x 0) => (neg ?x ?x)", "1:22: op neg has 2 operands, not 1"},
		{"open", "a int (add ?x (neg ?y) => ?x", "1:24: \"=>\" is not a term"},
		{"open at the end", "a int (add ?x 0) => (neg ?x", "1:21: the parenthesis is not closed; fix: add )"},
		{"closed twice", "a int (add ?x 0)) => ?x", `1:17: expected => or <=>, not ")"`},
		{"no arrow", "a int (add ?x 0)", `1:17: expected => or <=>, not ""; fix: put an arrow`},
		{"no right side", "a int (add ?x 0) =>", "1:20: a term is missing"},
		{"no left side", "a int => ?x", "1:7: \"=>\" is not a term"},
		{"variable alone on the left", "a int ?x => ?x", "1:7: the left side is not an op"},
		{"word", "a int (add x 0) => x", `1:12: "x" is not a term; fix: write ?x for any value, #x for a constant`},
		{"variable without a name", "a int (add ? 0) => 0", "1:12: a variable has no name; fix: write ?x"},
		{"not a number", "a real (add ?x nan) => ?x", `1:16: "nan" is not a term`},
		{"right side has more", "a int (add ?x 0) => (add ?x ?y)", "1:29: the left side has no ?y; fix: use variables of the left"},
		{"left side has more", "a int (and ?x (or ?x ?y)) <=> (and ?x ?x)", "1:31: the right side has no ?y, so it cannot become the left; fix: write =>"},
		{"variable alone on the right", "a int (not (not ?x)) <=> ?x", "1:26: the right side of <=> is not an op"},
		{"computed on the left", "a int (add ?x (neg #a)) => (sub ?x #a)", "1:15: (neg #a) is computed before anything is matched"},
		{"computed on the right", "a int (add (add ?x #a) #b) <=> (add ?x (add #a #b))", "1:40: (add #a #b) is computed"},
		{"condition", "a int (add ?x #a) => ?x when nought #a", `1:30: unknown condition "nought"; fix: choose one of all-counts, below, differ`},
		{"no condition", "a int (add ?x #a) => ?x when", `1:29: unknown condition ""`},
		{"condition about a value", "a int (add ?x ?a) => ?x when pow2 ?a", "1:35: the condition is about ?a, which is not a constant; fix: write #a"},
		{"condition about nothing", "a int (add ?x #a) => ?x when pow2 #b", `1:35: the condition is about "#b", which the rule does not have`},
		{"condition with too few", "a int (add ?x #a) => ?x when differ #a", "1:39: condition differ has too few constants or too many; fix: name 2"},
		{"condition with too many", "a int (add ?x #a) => ?x when pow2 #a #a", "1:38: condition pow2 has too few"},
		{"condition of floats", "a int (add ?x #a) => ?x when nan #a", `1:1: the types of rule "a" do not fit together at any type of class int`},
		{"literal of another type", "a int (add ?x true) => ?x", `1:1: the types of rule "a" do not fit`},
		{"fraction of integers", "a int (mul ?x 0.5) => ?x", `1:1: the types of rule "a" do not fit`},
		{"op of another class", "a real (and ?x ?x) => ?x", `1:1: the types of rule "a" do not fit`},
		{"sides of two types", "a int (eq ?x ?x) => ?x", `1:1: the types of rule "a" do not fit`},
		{"too much", "a int (add ?x 0) => ?x if", `1:24: unexpected "if" after the rule`},
		{"twice", "a int (add ?x 0) => ?x\na int (sub ?x 0) => ?x", `2:1: the name "a" is taken by line 1`},
		{"seven variables", "a int (add ?a (add ?b (add ?e (add ?f (add ?g (add ?h ?i)))))) => ?a", "1:55: ?i is variable 7 of the rule, and 6 are the most"},
		{"deep", "a int " + strings.Repeat("(neg ", 1000000), "1:87: terms nest deeper than 16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := rules.Parse(tt.line); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s…", err, tt.want)
			}
		})
	}
}

func TestParseReportsEachLineAndKeepsTheOthers(t *testing.T) {
	list, err := rules.Parse("// mine\n\na int (plus ?x 0) => ?x\nb int (add ?x 0) => ?x\r\nc int (add ?x) => ?x\n")
	if len(list) != 1 || list[0].Name != "b" {
		t.Errorf("rules %v", list)
	}
	if text := err.Error(); !strings.Contains(text, "3:8:") || !strings.Contains(text, "\n5:8:") {
		t.Errorf("got %s", text)
	}
}

func TestRuleIsParsedFromWhatItPrints(t *testing.T) {
	for _, r := range rules.Table() {
		list, err := rules.Parse(r.String())
		if err != nil || list[0].String() != r.String() || list[0].Both != r.Both || list[0].Typed != r.Typed || list[0].Types&^r.Types != 0 {
			t.Errorf("%v: %v, %v", r, list, err)
		}
	}
}

// Table does not look at the types of its rules as Parse does, because that takes longer than parsing.
func TestTableKnowsItsTypes(t *testing.T) {
	for _, r := range rules.Table() {
		for typ := ir.Bool; typ <= ir.BF16; typ++ {
			if r.Types.Has(typ) && r.At(typ) == nil {
				t.Errorf("%v is not a rule at %v", r, typ)
			}
		}
	}
}

func TestTableHasEachNameOnce(t *testing.T) {
	names := make(map[string]bool)
	for _, r := range rules.Table() {
		if names[r.Name] {
			t.Errorf("two rules have the name %s", r.Name)
		}
		names[r.Name] = true
	}
}

//ci:inputs 2
func FuzzParse(f *testing.F) {
	f.Add("a int (add ?x #a) => ?x when pow2 #a")
	f.Add("b any (select ?c (neg ?x) true) <=> (min ?x ones)")
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := rules.Parse(text)
		for _, r := range list {
			again, err := rules.Parse(r.String())
			if err != nil || again[0].String() != r.String() {
				t.Errorf("%q: %v, %v", r.String(), again, err)
			}
		}
	})
}
