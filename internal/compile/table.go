package compile

import "slices"

// Pass is what a pass is, wherever it runs.
type Pass struct {
	Name  string
	Does  string // in a few words, for `vyre passes`
	Bound string // how its work grows with the n rows or instructions that it is given
	// Required passes make what the target has of what it lacks, or text. They cannot be left out.
	Required bool
	// Reopens says that what the pass changes gives more to do to passes that ran before it.
	Reopens bool
}

// all describes the passes, in the order of their first runs.
var all = []Pass{
	{Name: "canonical", Bound: "n", Does: "one form for equal terms: order of operands, constants right"},
	{Name: "fold", Bound: "n", Does: "constant folding: computes what has constant operands only"},
	{Name: "algebra", Bound: "n", Does: "algebraic simplification by rules that are exact for every value"},
	{Name: "branch", Bound: "n", Does: "control-flow simplification: constant and implied conditions, empty arms, if-conversion of ifs that only choose a value"},
	{Name: "dce", Bound: "n", Does: "dead-code elimination: drops what no effect needs"},
	{Name: "mem2reg", Bound: "n + what it carries", Does: "scalar replacement: makes values of the elements of local arrays"},
	{Name: "gvn", Bound: "n", Does: "global value numbering: equal values and equal loads become one"},
	{Name: "narrow", Bound: "n", Does: "integer narrowing: does 64-bit arithmetic in 32 bits where the value fits"},
	{Name: "join", Bound: "n", Does: "branch fusion: makes one if of neighbours with one condition"},
	{Name: "forward", Bound: "n", Does: "store-to-load forwarding: gives a load the value that was stored there", Reopens: true},
	{Name: "dse", Bound: "n", Does: "dead-store elimination: drops stores that a later one overwrites", Reopens: true},
	{Name: "bounds", Bound: "n", Does: "bounds-check elimination: proves accesses in bounds, which then need no check", Reopens: true},
	{Name: "views", Bound: "n", Does: "checks an access of a view against the length of the view only"},
	{Name: "licm", Bound: "n", Does: "loop-invariant code motion: moves code out of loops", Reopens: true},
	{Name: "unswitch", Bound: "n + what it writes", Does: "loop unswitching: takes ifs out of loops that do not change their condition", Reopens: true},
	{Name: "unroll", Bound: "n + what it writes", Does: "loop unrolling: writes out rounds, all of them or several at a time", Reopens: true},
	{Name: "irce", Bound: "n + what it writes", Does: "inductive range-check elimination: does the rounds of a loop that are in bounds in a loop without checks"},
	{Name: "idiom", Bound: "n", Does: "idiom recognition: rotates, bit fields, bit counts, tables that fit a word, and atomics that one lane can do for its warp"},
	{Name: "barrier", Bound: "n", Does: "barrier elimination: drops barriers and fences that order nothing"},
	{Name: "pack", Bound: "n and a sort of stores", Does: "array interleaving: puts arrays that are indexed alike into one"},
	{Name: "clamp", Bound: "n", Does: "index clamping: loads from local arrays without waiting for the check of the index"},
	{Name: "guards", Bound: "n + what it writes", Does: "guard widening: checks accesses at constant distances together"},
	{Name: "vector", Bound: "n", Does: "load and store vectorisation: joins accesses of neighbours into one of 8 or 16 bytes"},
	{Name: "egraph", Bound: "n", Does: "equality saturation: puts the cheapest of all terms that the rules make equal in the place of arithmetic"},
	{Name: "search", Bound: "n and terms of a bank", Does: "superoptimisation: looks arithmetic up in a bank of terms, and puts cheaper ones in its place that are proved equal"},
	{Name: "schedule", Bound: "n", Does: "scheduling: moves loads in front of divisions, square roots and branches that they do not need, and atomics in front of what others return"},
	{Name: "accurate", Bound: "n", Does: "puts exact functions in the place of approximate ones"},
	{Name: "expand", Bound: "n + what it writes", Does: "lowering: replaces exact functions and division by constants by simpler ops", Required: true},
	{Name: "ptx.lanes", Bound: "n", Does: "finds indices by which the lanes of a warp can store records for each other"},
	{Name: "ptx.carries", Bound: "n", Does: "finds sums whose carries hand on to each other, for the carry flag"},
	{Name: "ptx.select", Bound: "n", Does: "instruction selection: chooses instructions for each row", Required: true},
	{Name: "ptx.address", Bound: "n", Does: "address lowering: works out places in memory, once for accesses that share one", Required: true},
	{Name: "ptx.predicate", Bound: "n", Does: "predication: turns short branches into guards"},
	{Name: "ptx.copies", Bound: "n", Does: "parallel copies: puts the moves of carried values in order", Required: true},
	{Name: "ptx.dce", Bound: "n", Does: "dead-code elimination: drops unreachable and unread instructions, and labels without a branch", Required: true},
	{Name: "ptx.sink", Bound: "n", Does: "code sinking: moves what the entry computes past loops that do not read it"},
	{Name: "ptx.align", Bound: "n for each depth of loops", Does: "convergence analysis: finds barriers that all lanes of a warp reach together"},
	{Name: "ptx.print", Bound: "n", Does: "writes the text", Required: true},
}

// Group is a part of the way from program to text.
type Group uint8

// The groups, in their order.
const (
	Early    Group = iota // cleans up what the front end wrote, and learns what there is to know without touching loops
	Loops                 // moves code out of loops and writes out their rounds
	Late                  // uses what is constant, straight or in bounds now; barriers and wide accesses
	Lowering              // makes the ops that the target has, and cleans up after that
	Text                  // instructions, then text: package ptx
)

var groupNames = [...]string{Early: "early", Loops: "loops", Late: "late", Lowering: "lowering", Text: "text"}

func (g Group) String() string { return groupNames[g] }

// Level says how much is run.
type Level uint8

// The levels. The zero Level is O2.
const (
	Default Level = iota
	O0            // what makes text of a program, and nothing that changes it more than it has to
	O1            // and what is cheap and nearly always pays
	O2            // and everything else that pays in time
	O3            // and e-graphs, which take as long as all of that
	Named         // what no level runs, but a choice that names it
)

// When says on what a run depends beside the choice.
type When uint8

// The conditions.
const (
	Always       When = iota
	IfReopened        // a pass that reopens has changed something
	IfInnerLoops      // unrolling has written out the rounds of a loop that has loops in it
	IfChecks          // the program has checks of memcheck
)

// Run is one place at which a pass is called.
type Run struct {
	Name  string // the pass, and after a dot what it runs after; the pass alone if that runs once
	Pass  string
	Group Group
	Level Level // the lowest at which it runs
	When  When
}

// gpu names the passes and runs whose work machine code for the CPU does not use. It compares the indices of eight lanes
// at once whatever is known of one, has no rotates and bit fields, makes atomics of one lane after the other, and the
// processor moves loads ahead by itself.
var gpu = []string{"bounds.early", "narrow.late", "irce", "idiom", "pack", "clamp", "guards", "schedule"}

// GPU reports whether only code for a GPU gains by the run.
func (r Run) GPU() bool { return slices.ContainsFunc(gpu, r.is) }

// CPU reports whether machine code for the CPU needs the run: it has no approximate functions.
func (r Run) CPU() bool { return r.is("accurate") }

// table is the compiler: its runs, in order.
var table = []Run{
	{"canonical", "canonical", Early, O1, Always},
	{"fold.early", "fold", Early, O1, Always},
	{"algebra.early", "algebra", Early, O1, Always},
	{"branch.early", "branch", Early, O1, Always},
	{"dce.early", "dce", Early, O1, Always},
	{"mem2reg.early", "mem2reg", Early, O1, Always},
	{"gvn.early", "gvn", Early, O1, Always},
	{"dce.merged", "dce", Early, O1, Always},
	{"narrow.early", "narrow", Early, O2, Always},
	{"algebra.narrowed", "algebra", Early, O2, Always},
	{"gvn.narrowed", "gvn", Early, O2, Always},
	{"dce.narrowed", "dce", Early, O2, Always},
	{"join", "join", Early, O2, Always},
	{"forward.early", "forward", Early, O2, Always},
	{"dse.early", "dse", Early, O2, Always},
	{"bounds.early", "bounds", Early, O2, Always},

	{"licm.first", "licm", Loops, O2, Always},
	{"unswitch", "unswitch", Loops, O2, Always},
	{"unroll.first", "unroll", Loops, O2, Always},
	{"fold.unrolled", "fold", Loops, O2, IfReopened},
	{"algebra.unrolled", "algebra", Loops, O2, IfReopened},
	{"branch.unrolled", "branch", Loops, O2, IfReopened},
	{"dce.unrolled", "dce", Loops, O2, IfReopened},
	{"gvn.unrolled", "gvn", Loops, O2, IfReopened},
	{"unroll.again", "unroll", Loops, O2, IfInnerLoops},
	{"fold.again", "fold", Loops, O2, IfInnerLoops},
	{"algebra.again", "algebra", Loops, O2, IfInnerLoops},
	{"mem2reg.unrolled", "mem2reg", Loops, O2, IfReopened},
	{"gvn.again", "gvn", Loops, O2, IfInnerLoops},
	{"branch.again", "branch", Loops, O2, IfReopened},
	{"licm.unrolled", "licm", Loops, O2, IfReopened},

	{"narrow.late", "narrow", Late, O2, IfReopened},
	{"dce.late", "dce", Late, O2, IfReopened},
	{"forward.late", "forward", Late, O2, IfReopened},
	{"dse.late", "dse", Late, O2, IfReopened},
	{"bounds.late", "bounds", Late, O2, IfReopened},
	{"branch.checked", "branch", Late, O2, IfChecks},
	{"views", "views", Late, O2, Always},
	{"irce", "irce", Late, O2, Always},
	{"idiom", "idiom", Late, O2, Always},
	{"dce.idiom", "dce", Late, O2, Always},
	{"barrier", "barrier", Late, O2, Always},
	{"pack", "pack", Late, O2, Always},
	{"clamp", "clamp", Late, O2, Always},
	{"guards", "guards", Late, O2, Always},
	{"vector", "vector", Late, O2, Always},
	{"egraph", "egraph", Late, O3, Always},
	{"search", "search", Late, Named, Always},
	{"branch.equated", "branch", Late, O3, Always},
	{"schedule", "schedule", Late, O2, Always},

	{"accurate", "accurate", Lowering, Named, Always},
	{"expand", "expand", Lowering, O0, Always},
	{"fold.lowered", "fold", Lowering, O1, Always},
	{"algebra.lowered", "algebra", Lowering, O1, Always},
	{"gvn.lowered", "gvn", Lowering, O1, Always},
	{"dce.lowered", "dce", Lowering, O1, Always},

	{"ptx.lanes", "ptx.lanes", Text, O2, Always},
	{"ptx.carries", "ptx.carries", Text, O1, Always},
	{"ptx.select", "ptx.select", Text, O0, Always},
	{"ptx.address", "ptx.address", Text, O0, Always},
	{"ptx.predicate", "ptx.predicate", Text, O0, Always},
	{"ptx.copies", "ptx.copies", Text, O0, Always},
	{"ptx.dce", "ptx.dce", Text, O0, Always},
	{"ptx.sink", "ptx.sink", Text, O0, Always},
	{"ptx.align", "ptx.align", Text, O0, Always},
	{"ptx.print", "ptx.print", Text, O0, Always},
}

// All returns the passes in the order of their first runs. The caller must not change it.
func All() []Pass { return all }

// Table returns the runs in order. The caller must not change it.
func Table() []Run { return table }

// Of returns what the pass with that name is; false if there is none.
func Of(name string) (Pass, bool) {
	for i := range all {
		if all[i].Name == name {
			return all[i], true
		}
	}
	return Pass{}, false
}
