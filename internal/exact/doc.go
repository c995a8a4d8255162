// Package exact computes ops on raw bits. It defines their results: interpreter, constant folder, simulated device
// and the accurate functions that devices run all have these bits.
//
//	exact.Eval(ir.OpAdd, ir.F32, ir.F32, 0, a, b, 0)   one op
//	exact.Of(op)                                       its function, to call many times
//	exact.RecipeOf(op)                                 an accurate function (exp, sin, pow, …) as basic ops
//
// Every function is total: division by zero, shifts by the width and conversions out of range have results. Every
// float op rounds once, whatever the processor could do. A Recipe is written once against Emitter and runs in two
// ways: over bits, where each step is the basic op's function, and over a Sink, where each step becomes a row. So a
// device that has only the basic ops gives the same bits.
//
// Values narrower than 64 bits are zero-extended, in and out. Start reading at table.go.
package exact
