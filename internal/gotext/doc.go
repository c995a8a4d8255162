// Package gotext splits the text of a Go file into its top-level declarations, each with a digest of its tokens.
//
//	text of a Go file ──Split──▶ a Declaration for each type, variable, function and group of constants
//
// A generated launcher has the digests of the declarations that its kernel is made of. The program that uses the launcher
// compares them with the source beside it, so this package is linked into such programs: it needs no parser.
//
// # Invariants
//
//   - Comments, spacing, line ends and all else that gofmt changes leave a digest as it is. Directives of vyre belong to
//     the declaration that they precede.
//   - A digest depends on its declaration alone: neither on its place, nor on the group of types or variables around it.
//     Constants of a group depend on each other, so they have one digest.
//   - Any text can be split, Go or not.
//
// Not here: which declarations a kernel is made of (package front), and the comparison (package kernel/packed).
package gotext
