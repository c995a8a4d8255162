// Package explain makes the page that shows how a kernel becomes device code: its source, the
// program that the front end made of it, the program after each run of a pass that changed it, the
// instructions likewise, the PTX, its machine code where the caller can disassemble, and the machine code of device cpu, as columns whose
// lines are linked.
//
//	ir.Program ──tag──▶ ptx.Compile ──▶ columns of lines, each with origins ──page──▶ HTML
//
// # How lines are linked
//
// An origin is a number for something that the front end made: a row, a parameter, an array. Before
// the passes run, each position in the program is replaced by the origin it belongs to (tag.go).
// Passes and emitter carry positions along with the rows that they move, copy and combine, so after
// each of them the position of a row says what it comes from, exactly, at the cost of nothing. Names
// are made unique at the same time: %v12 is the same value in every column.
//
// A line knows the origins that it shows. Two lines belong together when they share one; a line of
// source has the origins whose position is on it, and a line of machine code those of the line of PTX that the
// assembler says it is from. Machine code of device cpu has those of the row that it was made for. That is all the page's
// script knows.
//
// # Invariants
//
//   - Equal input gives equal bytes, unless times are asked for. What tells of the machine is input.
//   - The page is one well-formed XHTML file that loads nothing: style and script are inside, and its
//     content security policy forbids everything else.
//   - Whatever source and program contain stays text: it is escaped, and characters that would not
//     show, or would reorder what does, are replaced by ones that show.
//
// Not here: the order of the passes (package compile), what they do (opt and ptx), how machine code is read (internal/native).
//
// Start reading at explain.go for the columns, and at page/page.js for what the page does with them.
package explain
