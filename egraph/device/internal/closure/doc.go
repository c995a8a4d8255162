// Package closure has the waves that close an e-graph under congruence on a device. Package device runs them.
//
// A round is two waves. Match looks up every row of the work list in the table, and unites the classes of equal rows. Refresh
// replaces children that are no roots any more, and lists the rows that this changed. Nothing reads a root while roots
// change, and nothing reads a row while rows change, so a round sees the state at its start and counts the same on every device.
//
// Start reading at match.go, then header.go.
package closure

//go:generate go run ../../../../internal/gen/generate --programs .
