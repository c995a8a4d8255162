// Package opt turns programs into programs that do the same with less, or with
// simpler ops.
//
// In goes a sealed ir.Program, out comes another one, sealed and verified again, with
// a digest of its own. A pass keeps every bit of every result (ir documents what that
// allows); positions, names and messages follow the rows they belong to.
//
// The only pass so far is Expand, the lowering that every device with no accurate
// functions of its own needs. Start reading in expand.go.
package opt
