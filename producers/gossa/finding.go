package main

// finding is a place where values from outside come to that must not: one for each class of sinks and place. Where the
// sink is in a dependency, the place is the last call of the program's own that leads there.
type finding struct {
	Class    string  // sql, command, path and so on
	CWE      int     // its number in the Common Weakness Enumeration
	Severity float64 // from 0 to 10, as security-severity of SARIF

	Sink   spot   // where it is
	Callee string // what is called there, or the field or the type that gets the value
	Nth    int    // which of the calls of Callee in the procedure it is, from 1 on
	Source spot   // the nearest one
	From   string // what the source is called
	Others int    // how many more sources come there
	Path   []step // from the source to the sink

	Confidence confidence
	Because    []string // what was approximated, or which check of unknown content guards the path
}

// spot is a place in the source.
type spot struct {
	File         string // relative to where packages were looked for, or that of a package with its path
	Line, Column int    // from 1 on
	Procedure    string
}

// step is one or more consecutive steps of a path on one line.
type step struct {
	spot
	Words string // how the value came here, and what it is here: "passed to main.open as name"
}

// confidence says how exactly a path was found.
type confidence uint8

const (
	exact        confidence = iota // all of it is in the program's own functions, and in what rules say of others
	summary                        // it goes through a summary of a dependency
	approximated                   // it goes through what was approximated; Because says what
	guarded                        // it goes by a check whose content is not known; hidden by default
)

func (c confidence) String() string {
	return [...]string{"exact", "summary", "approximated", "guarded"}[c]
}
