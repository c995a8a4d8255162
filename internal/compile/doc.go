// Package compile takes a sealed program to PTX: it is the one way through the compiler.
//
//	ir.Program ── ptx.Check ──▶ opt.Run ──▶ ptx.Emit ──▶ ptx.Module
//	               target        early, loops,  text
//	                             late, lowering
//
// In go programs, a target and a choice of passes; out comes a module, and on the way, for who asks, what there was after
// each run of a pass. The table of runs is that of package passes.
//
// What always holds: what the target lacks is refused before any pass runs, so that the passes do not decide it; a program
// is verified once on the way, as what the passes made of it is sealed; its ops are expanded once. Nothing in here panics:
// what goes wrong inside is a *passes.InternalError, on whatever goroutine the caller is.
//
// Functions keep no state; any number may run at once.
package compile
