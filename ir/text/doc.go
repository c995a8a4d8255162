// Package text writes programs as text and reads them back.
//
//	*ir.Program ──Of, Print, Printer.List──▶ text ──Parse──▶ sealed programs, or every finding with its line
//	*ir.Code ─────OfCode───────────────────▶ text ──ParseCode──▶ unsealed code
//
// The text is what people read and tests keep. It has one statement a line, and a constant in full where it is
// used. Values have names where the program has them and numbers where it has not. Parsing what was printed
// gives the same digest and, as far as they are identifiers, the same names. Messages are in the wire form only.
//
// Reading never panics and never takes more memory than the source is long, times a constant: the limits of
// ir/internal/limits hold while parsing. Everything wrong with a file is reported at once (codes VT for the
// text, VY for what the verifier says). ParseTrusted also takes the mark !inb, which only the optimiser may set, and
// !checked at a trace, which only memcheck puts there. At a load or store, !checked says that it may be out of bounds.
//
// Start reading at print.go; parse.go is the reader's state, parse_statement.go its main loop.
package text
