package compile

import (
	"fmt"
	"slices"
)

// Constraint says that one run stands before another, and why. That groups stand in order goes without saying.
type Constraint struct{ First, Then, Why string }

// constraints are what the order of the table has to satisfy. Between runs that none of them binds, any order gives a
// program that means the same; a test runs such orders.
var constraints = []Constraint{
	{"canonical", "algebra.early", "the rules look for constants on the right"},
	{"canonical", "gvn.early", "equal terms must look equal"},
	{"fold.early", "branch.early", "a condition is a constant once it is computed"},
	{"mem2reg.early", "gvn.early", "what a load gave is a value, which may be equal to another"},
	{"mem2reg.early", "dce.merged", "of what is carried much is not needed"},
	{"gvn.early", "dce.merged", "what lost its uses goes"},
	{"narrow.early", "algebra.narrowed", "conversions meet and cancel out"},
	{"algebra.narrowed", "gvn.narrowed", "terms that are equal in 32 bits look equal"},
	{"gvn.narrowed", "dce.narrowed", "what lost its uses goes"},
	{"narrow.early", "bounds.early", "an index of 32 bits is compared with a length of 32 bits"},
	{"gvn.narrowed", "join", "equal conditions are one value"},
	{"join", "forward.early", "what the first arm stored is there in the second"},
	{"forward.early", "dse.early", "a load that has its value elsewhere reads nothing any more"},
	{"dse.early", "dce.unrolled", "what only a dead store needed goes"},
	{"bounds.early", "unroll.first", "an access with a check costs more, and so does its copy"},

	{"licm.first", "unswitch", "a condition that does not change stands in front of the loop"},
	{"unswitch", "unroll.first", "a loop with one way through it is shorter"},
	{"unswitch", "branch.unrolled", "the condition is a constant in each of the two loops"},
	{"licm.first", "unroll.first", "what is moved out is not copied"},
	{"unroll.first", "fold.unrolled", "counters become constants by unrolling"},
	{"unroll.first", "gvn.unrolled", "rounds have terms in common"},
	{"fold.unrolled", "branch.unrolled", "a condition is a constant once it is computed"},
	{"gvn.unrolled", "unroll.again", "what the rounds have in common is counted once when the next loop is weighed"},
	{"dce.unrolled", "unroll.again", "what is left over does not count when the next loop is weighed"},
	{"unroll.again", "fold.again", "counters become constants by unrolling"},
	{"fold.again", "mem2reg.unrolled", "indices become constants by unrolling"},
	{"unroll.again", "mem2reg.unrolled", "indices become constants by unrolling"},
	{"mem2reg.unrolled", "gvn.again", "what a load gave is a value, which may be equal to another"},
	{"mem2reg.unrolled", "branch.again", "an arm without stores may become a choice"},
	{"fold.again", "branch.again", "a condition is a constant once it is computed"},
	{"unroll.again", "licm.unrolled", "what an inner loop indexed by its counter does not change in the outer one"},
	{"gvn.again", "licm.unrolled", "equal loads leave a loop once"},
	{"branch.again", "licm.unrolled", "a load that is no longer in an arm runs in every round"},
	{"branch.again", "dce.late", "what no select chooses goes"},
	{"licm.unrolled", "bounds.late", "a load that left its arm may be proven in bounds where it is"},
	{"gvn.unrolled", "dce.late", "what lost its uses goes"},
	{"gvn.again", "dce.late", "what lost its uses goes"},
	{"mem2reg.unrolled", "dce.late", "of what is carried much is not needed"},

	{"forward.late", "dse.late", "a load that has its value elsewhere reads nothing any more"},
	{"dse.late", "dce.idiom", "what only a dead store needed goes"},
	{"dse.late", "barrier", "with nothing to order it goes"},
	{"narrow.late", "bounds.late", "an index of 32 bits is compared with a length of 32 bits"},
	{"narrow.late", "views", "the length of a view is compared in 32 bits where it fits"},
	{"bounds.late", "branch.checked", "a check that is proven is one of a constant"},
	{"branch.checked", "dce.idiom", "what only a check needed goes"},
	{"bounds.late", "views", "an access that is in bounds needs no condition"},
	{"branch.again", "views", "an if around a load would become a choice again"},
	{"views", "dce.idiom", "the index that stood for none goes"},
	{"bounds.late", "vector", "one proof covers all elements"},
	{"unroll.again", "idiom", "counted rounds become sums, a round's conditions choices"},
	{"idiom", "dce.idiom", "what an op stands for goes"},
	{"idiom", "barrier", "an atomic left to one lane may bring barriers of the warp"},
	{"unroll.again", "vector", "neighbours appear by unrolling"},

	{"bounds.late", "irce", "a loop in bounds needs none in front"},
	{"unroll.again", "irce", "unrolled rounds stop before the ends by themselves"},
	{"irce", "guards", "accesses that are in bounds together are so in all rounds"},
	{"irce", "dce.idiom", "the test of the loop is another one in the loop in front"},
	{"irce", "vector", "accesses in bounds may be one"},
	{"mem2reg.unrolled", "pack", "an array whose indices are constants is none any more"},
	{"forward.late", "pack", "what was just stored is not loaded"},
	{"bounds.late", "pack", "an access that is in bounds needs no check"},
	{"pack", "clamp", "a load out of bounds is of an element that is zero"},
	{"pack", "vector", "elements of several arrays become neighbours"},
	{"bounds.late", "clamp", "a load that is in bounds is left alone"},
	{"forward.late", "clamp", "what was just stored is not loaded"},
	{"clamp", "guards", "local arrays have their own way"},
	{"bounds.late", "guards", "an access that is in bounds needs no part in a check"},
	{"guards", "vector", "accesses that are in bounds together may be one"},
	{"vector", "egraph", "indices are compared in the form in which they were written"},
	{"guards", "egraph", "so are those of guards"},
	{"idiom", "egraph", "what an op stands for is one row"},
	{"egraph", "search", "a term that rules find needs no bank"},
	{"search", "branch.equated", "a condition may have become a constant"},
	{"search", "dce.lowered", "what lost its uses goes"},
	{"egraph", "branch.equated", "a condition is a constant once facts have decided it"},
	{"egraph", "schedule", "a load waits for what its index became"},
	{"egraph", "dce.lowered", "what lost its uses goes"},
	{"vector", "schedule", "accesses are joined where they stand together"},
	{"bounds.late", "schedule", "a load that is in bounds takes no check along"},

	{"accurate", "expand", "an exact function may have a recipe"},
	{"expand", "fold.lowered", "steps of a function have constant operands"},
	{"expand", "gvn.lowered", "two functions of one value have steps in common"},
	{"gvn.lowered", "dce.lowered", "what lost its uses goes"},

	{"ptx.carries", "ptx.select", "links of a chain are written one after the other"},
	{"ptx.lanes", "ptx.select", "a store of records is of a warp where its lanes go together"},
	{"ptx.select", "ptx.address", "places are worked out for the instructions that need them"},
	{"ptx.address", "ptx.predicate", "an arm is as long as what works out its places"},
	{"ptx.predicate", "ptx.copies", "copies of two arms become selections while they are copies"},
	{"ptx.copies", "ptx.dce", "a move to a value that nobody reads goes"},
	{"ptx.dce", "ptx.sink", "what nobody reads holds nothing up"},
	{"ptx.dce", "ptx.align", "a branch to the next instruction parts nobody"},
	{"ptx.align", "ptx.print", "a barrier is spelt by what is known about its lanes"},
	{"ptx.sink", "ptx.print", "the text is the last to be made"},
}

// cleans lists passes that leave something for another: each run of the first needs a constraint with a run of the second.
var cleans = [][2]string{
	{"gvn", "dce"}, {"mem2reg", "dce"}, {"mem2reg", "gvn"}, {"dse", "dce"}, {"idiom", "dce"},
	{"forward", "dse"}, {"expand", "fold"}, {"egraph", "dce"}, {"search", "dce"}, {"ptx.copies", "ptx.dce"},
}

// Constraints returns the constraints between runs. The caller must not change it.
func Constraints() []Constraint { return constraints }

// check reports what is wrong with a table.
func check(table []Run) error {
	at := make(map[string]int)
	for i, r := range table {
		p, ok := Of(r.Pass)
		switch {
		case at[r.Name] != 0:
			return fmt.Errorf("two runs are called %s", r.Name)
		case !ok || p.Bound == "" || p.Does == "":
			return fmt.Errorf("the run %s is of the pass %q, which is not described", r.Name, r.Pass)
		case i > 0 && r.Group < table[i-1].Group:
			return fmt.Errorf("%s of the group %v stands after %s of the group %v", r.Name, r.Group, table[i-1].Name, table[i-1].Group)
		case p.Required && (r.Level != O0 || r.When != Always):
			return fmt.Errorf("%s does not always run and is required", r.Name)
		}
		at[r.Name] = i + 1
	}
	for _, c := range constraints {
		switch first, then := at[c.First], at[c.Then]; {
		case first == 0 || then == 0:
			return fmt.Errorf("the constraint %s before %s names a run that does not exist", c.First, c.Then)
		case first > then:
			return fmt.Errorf("%s stands after %s, but %s", c.First, c.Then, c.Why)
		}
	}
	for _, need := range cleans {
		for _, r := range table {
			if r.Pass != need[0] {
				continue
			}
			if !slices.ContainsFunc(constraints, func(c Constraint) bool {
				return c.First == r.Name && table[at[c.Then]-1].Pass == need[1]
			}) {
				return fmt.Errorf("no constraint says which run of %s comes after %s", need[1], r.Name)
			}
		}
	}
	return nil
}

func init() {
	if err := check(table); err != nil {
		panic("BUG: compile: " + err.Error())
	}
}
