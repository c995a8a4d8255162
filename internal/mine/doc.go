// Package mine finds rules of rewriting that a table lacks.
//
// Terms are enumerated by their number of ops, each from representatives of smaller ones. A device evaluates each on 64
// inputs, and keeps the first term of each vector of values, the representative. So a bank on the device has columns of
// 64 values, and a table of hashes says which candidate was first: the same one on every device.
//
//	b, err := mine.Open(ctx, dev, mine.Options{Ops: ops, Type: ir.U32, Vars: 2, Size: 3})
//	found, err := mine.Rules(ctx, b, rules.Table(), mine.Checks{})
//
// Two terms of one vector are a candidate, if the representative is cheaper. Candidates that an e-graph joins by known
// rules are dropped, and so are those that package rules refutes. A rule that is found is known from then on, and in the
// end each is dropped that the others derive. A rule has the class of most types for which it is checked.
//
// Constants can be variables: a term of constants costs nothing, and inputs are those for which a condition holds.
//
// Start reading in bank.go, then rules.go.
package mine
