// Package launch is the contract of a launch: the arguments that an engine of device cpu takes, the rules that they keep,
// and the records that a launch leaves. The interpreter and machine code both rest on it, and neither on the other.
//
//	ir.Program ──ContractOf──▶ Contract ──Check(Launch)──▶ nil, or a ContractError before the first effect
//
//	Launch ──▶ an engine ──▶ buffers, Result: the first trap, traces, notes of accesses
//	                         error: StateError, CanceledError, and what only one engine finds
//
// What always holds:
//   - Check reads the program's signature and arrays. It needs no engine, so a launch of machine code is checked
//     without decoding the program for the interpreter.
//   - An Invocation has the same coordinates and the same linear number on every engine.
//   - A Contract is immutable and safe to share. A Check of a launch that keeps the contract allocates nothing.
//
// Not here: options of one engine (packages interp and native), buffers that outlive a launch (package driver).
//
// Start reading in launch.go, then contract.go.
package launch
