// Gossa makes a graph of Go packages, for vyre's analyses: which functions call which.
//
//	gossa ./... -o app.vyg
//	vyre reach app.vyg --from main.main --to 'name:^os/exec\.' --path
//
// # Flow
//
//	patterns ──load──▶ ssa.Program ──callees (CHA, RTA or VTA)──▶ who an unknown call may call
//	                        │                                         │
//	                        └──────────────▶ copies ◀─────────────────┘
//	                                            │ a node a copy, an arc a call
//	                                            ▼
//	                                   graph.CSR with names and positions ──▶ FILE
//
// # Functions that are passed
//
// A graph in which a function stands once says that sync.Once.Do calls all functions that any Do ever got. So a function is
// copied for each call that passes it a function which is known there: by name, as a closure, or because the caller is such
// a copy itself. A copy's name has what it got behind it: (*sync.Once).Do{f: main.setup}. Copies go through as many calls
// as -levels says, and add at most the share -more of instructions; what that left out is counted.
//
// # What the graph does not see
//
// Calls by reflection, of functions in assembly or linked by name, through unsafe pointers, and by goroutines of the runtime
// are no arcs. Those that can be told are counted, and listed by -unseen. Only what is reached from main, init and, with
// -tests, tests is a node; where there is no main package, from the functions of the packages named.
//
// VTA and CHA take any order of assignments for possible, so an arc may be one that no run ever takes.
//
// Start reading at main.go, then copies.go and known.go.
package main
