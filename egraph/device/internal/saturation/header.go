package saturation

import "github.com/govyre/vyre/gpu"

// Words of the header. One invocation writes them, between barriers.
const (
	Phase    = iota
	Act      // what the round does after Judge
	Searches // that were begun; rows of the next one are new if their stamp is greater
	Failed   // 1 if there was no room for a row
	Listed   // rows in the lists, hidden ones too
	Moves    // how often the table was made anew
	Found    // rows of the terms
	Slots    // of the table, a power of two; it grows when it is made anew
	Was      // the same before that, or how many classes were uploaded
	LogAt    = 16
	// LogRounds is of how many rounds the log has rows and classes, of the first graph.
	LogRounds   = 56
	HeaderWords = LogAt + 2*LogRounds
)

// Words of the counters, to which all invocations add.
const (
	Used         = iota // slots that are taken
	Changed             // rows that closing made or folded
	Full                // rows for which there was no room
	Total               // of a prefix sum
	active              // graphs that go on
	progress            // of an extraction
	out                 // rows of terms
	CounterWords = 16
)

// Phases.
const (
	Closing = iota
	costing
	choosing
	marking
	Done
)

// Acts.
const (
	nothing = iota
	Search
	moved // the table was made anew, and the graphs are not closed since
	Move  // the table is made anew
	Enter // the table is empty, and gets the rows of the lists
)

// Words of a graph: counts of a round, and what it came to.
const (
	live = iota // rows
	classes
	Made // rows and unions that rules made
	clash
	Status // why it ended
	Rounds
	Rows
	Classes
	GraphWords
)

// Values of Status.
const (
	Running = iota
	Saturated
	RowLimit
	RoundLimit
	Conflict // two constants became equal
	Goal     // the classes of the goal became equal
)

// A stamp has the graph of a row above TagBits, and below the search that is the first to see it; it is 0 for a slot
// without a live row. So whoever sees that a row is there sees its graph too.
const (
	TagBits = 16
	When    = 1<<TagBits - 1
)

// add adds what the lanes of a warp have to a counter.
func add(t gpu.Thread, counters []uint32, word, v uint32) {
	if v = gpu.ReduceAdd(t, v); v != 0 && t.Lane() == 0 {
		gpu.AtomicAdd(&counters[word], v)
	}
}
