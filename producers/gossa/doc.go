// Gossa makes graphs of Go packages, for vyre's analyses: which functions call which, and what becomes of values. And it asks
// the question that most people have, in one command.
//
//	gossa ./... -o app.vyg
//	vyre reach app.vyg --from main.main --to 'name:^os/exec\.' --path
//
//	gossa taint ./...
//	gossa diff main ./...
//	gossa serve ./...
//	gossa --graph dataflow --rules std ./... -o app.vyg
//
// # Flow
//
//	patterns ──load──▶ ssa.Program ──callees (VTA, CHA or RTA)──▶ who an unknown call may call
//	                        │                                         │
//	                        └──────────────▶ copies ◀─────────────────┘
//	                                            ├── a node a copy, an arc a call ──▶ graph of calls ──▶ FILE
//	                                            ▼
//	          rules ──▶ flow: an object a value, parts of objects ──▶ graph of values ──▶ FILE, or findings
//
// # Functions that are passed
//
// A graph in which a function stands once says that sync.Once.Do calls all functions that any Do ever got. So a
// function is copied for each call that passes it a function which is known there. It is known by name, as a closure,
// or because the caller is such a copy itself. A copy's name has what it got behind it: (*sync.Once).Do{f: main.setup}.
// Copies go through as many calls as -levels says, and add at most the share -more of instructions; what that left out
// is counted.
//
// # Values
//
// A node of the graph of values is a value of SSA, or a place in memory. A place is a field, the elements of a slice,
// or what a channel carries (heap.go says how places are found). Procedures and call sites are in the graph, so that a
// search with exact contexts returns to the call that was made. That holds for values, for places that arguments lead
// to, and for what closures have captured. Global variables, and what they lead to, are one for all calls.
//
// Telling the fields of each value apart takes more time than some programs are worth. When the steps for that are spent,
// the fields of most values become one place for all values of their type. The others stay as they are (ladder.go). A
// finding through such a field is approximated, and names it. So is one behind a long path of parts. Without
// rules, with --fields type, and for programs that are too large after all of that every field is one place. Then what is
// passed as a whole to a function that is not followed is passed without its fields.
//
// A place does not forget what was in it before. A value that only decides a branch, an index or a key that is looked
// up is not a flow. Elements of one slice, map or channel are one. A value that panics goes through all calls that it
// ends to what is deferred and recovers it. It does not go out of functions of the standard library.
//
// # Rules
//
// With rules functions of the standard library and of dependencies are not looked into, but for those of cmp, iter, maps and
// slices. gossa taint does not even read them: they call what they are given, and results have any type of the program that fits
// (outside.go). A dependency is supposed to put its arguments into all that pointers among them lead to. A finding through it says so.
// But it has no access to what functions have captured. Of the program's own fields that are not exported it sets only those that
// an exported method sets. It only calls interfaces with methods in its own structs. Its bools have no text, and Unmarshal puts
// nothing into the data. The error that is all of a method's results is made of nothing.
// A value
// that goes into one comes out of its results, and out of what its receiver refers to. That holds unless a rule says
// more exactly what the function does. It calls the functions that it is passed, and functions that it returns give
// what went in. A line is a rule, and # begins a comment:
//
//	source net/http.(*Request).FormValue result      values from outside: a result, arg N, or
//	source net/http.Request.Header field             every read of a field, or
//	source os.Args variable cli                      a global variable; a class may be off by default, or
//	source flag.Func arg 2 cli                       what a function gets that is passed, if arg N is one, or
//	source param flag.Value.Set arg 1 cli            what methods get that implement one, or functions in a field, or
//	source exported                                  what exported functions get, with --library
//	bind gin.(*Context).BindJSON arg 1 from recv     a source too: arg 1 gets what is in the request that arg 0 has
//	made net/http.NewRequest result                  made here: fields and methods of it are no sources
//	sink database/sql.(*DB).Query arg 1 sql          where they must not come to, and of which classes that is:
//	sink gorm.io/gorm.(*DB).First arg 2[0] sql       the first of variadic arguments, or
//	sink os/exec.Cmd.Args field command              what a field is set to, or
//	sink html/template.HTML conversion xss           what is converted to a type
//	sink net/http.(Header).Set arg 2 redirect when arg 1 Location
//	                                                 only where a constant argument begins so
//	sanitizer strconv.Atoi result                    what is harmless then, for all sinks, or
//	sanitizer html.EscapeString result xss           for these classes, with commas; or what arg N gets
//	guard pkg.Valid arg 0 path                       it looks whether arg 0 is harmless
//	model encoding/json.Unmarshal arg 0 -> arg 1     where the function takes what it gets
//	model log.*                                      nothing comes out of functions whose names begin so
//	wrap bufio.NewWriter arg 0 -> result             what is written to one is in the other
//	wrap io.Pipe -> result                           and so it is with both results
//	root call net/http.HandleFunc arg 1              functions given there are called, or methods of the interface
//	root methods net/rpc.Register arg 0              all exported methods of the value are
//	package github.com/go-chi/chi/v5 PATH            names that begin with a dot are in these, until the next such line
//	source .URLParam|URLParamFromCtx result          and this is two rules for each
//
// Arguments count from 0, which is the receiver of a method; 1.. is all from 1 on. Rules are about a function, or a method of
// an interface that is called. A source among gossa's own rules is not about methods of the program: their bodies are followed.
// A root and a source for one argument make what is given a source of what it gets. Folder rules has those that are always
// there, a file for each framework; they say nothing where a package is not imported. A rule of a file that matches nothing in
// the program is an error, with the names that are most alike.
//
// Sources of the classes cli, answer and stored are asked about with --sources. Names of an archive's entries are of class
// archive, which the sinks of class zipslip alone are asked about. Bodies and headers of requests are of class posted, which the
// sinks of class redirect are not asked about: no link carries them.
//
// A function that passes something into an argument of an interface calls its methods. With a sink for
// net/http.(ResponseWriter).Write, fmt.Fprintf is one where what it writes to may be a ResponseWriter. Its type says
// whether it may be, or VTA.
//
// # Limits of the graph
//
// Calls by reflection, of functions in assembly, in C or linked by name, through unsafe pointers, and by goroutines of
// the runtime are not arcs. Calls that can be told are counted, and listed by -unseen. Only what is reached from main,
// init and, with -tests, tests is a node. Where no package named is a program, nodes are reached from all functions of
// those packages. Panics in the standard library, and methods that only it calls, are not followed.
//
// # Checks
//
// A check of a value ends its flow where the check holds on all ways that lead to the use. Checks are equality with a constant, a
// map or a list of constants that has it, and filepath.IsLocal. So are a number that parses, a pattern, and a host that is
// compared (conditions.go). For redirects a scheme or host of a request's URL that is not empty is one, too (absoluteurl.go).
// A function that returns a bool or an error is a check if it is one on all ways on which it accepts. Of
// others only the name may say so, such as isValid: what they accept is hidden, and counted. That does not hold if
// they do not look at the value (looksat.go), or accept on a way of which all is known (letsthrough.go). Hidden is also a path under which
// a record is kept, if a check compares its secret with one of the caller (agreed.go). A text has the checks of what it is
// made of. A path that begins at a root is harmless as it is, and so is what comes after the host of a URL (shapes.go). So are arguments after -- of some
// commands (commands.go), and text that is not sent as a page (pages.go).
//
// Several programs are looked at as one, for most of what ./... names they share. So a library's variable, and what an interface
// or a function value may be, are the same for all of them. Of findings those are left that one program makes alone: all
// procedures of a path are reached from its main and init. A finding of several programs is one. All of them together may be too
// large for fields of each value where each alone is not: name one to ask about it.
//
// VTA is gossa's own, with the answers of golang.org/x/tools/go/callgraph/vta; CHA and RTA are those of the tools. VTA and CHA
// take any order of assignments for possible, so an arc may be one that no run ever takes.
//
// # Names
//
// Equal input gives an equal file, however many packages are built at once. A node is called as Go does, but identical
// types are spelled alike. That is without aliases (byte is uint8), without names of parameters, and with an interface
// as its methods. Of several functions of one name, such as those of method values x.f, the second has a ' behind it,
// the third two. Only the source decides their order (package names of module calls).
//
// Start reading at main.go, then build.go, copies.go and known.go; vta.go for callees; flow.go, body.go, heap.go and
// unify.go for values, guards.go for checks. outside.go is about packages whose bodies are not read, types.go, searches.go and cache.go
// about what is kept for the next run. prune.go says what is done about packages that do not type-check. findings.go and
// fold.go make findings, between.go leaves out what is on no way from a source to a sink, and output.go and sarif.go print
// them. README.md is about findings in a team.
package main
