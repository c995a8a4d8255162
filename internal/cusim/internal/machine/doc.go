// Package machine executes PTX that package asm has read.
//
//	asm.Module ──Load──▶ Image ──Kernel──▶ Kernel ──Run──▶ Report, or a *Fault
//	                       │                  │
//	                     Memory ◀─────────────┘
//
// A kernel is decoded once into an array of instructions whose operands are slots; a warp keeps the 32
// values of a slot side by side. A warp is one or more paths, each with a place in the code and the lanes
// that are there. A branch that splits a path makes both halves meet again at its immediate
// post-dominator, which is computed from the code alone: nothing is taken from how an emitter laid it out.
// Paths of one warp run on their own, so a path that waits at a barrier does not hold up the others.
//
// # What holds
//
//   - Integer ops, conversions and the float ops with a rounding give the bits that IEEE 754 and the
//     PTX manual ask for. Nothing is contracted. Which NaN a result is, the manual leaves open; here
//     each format has one. Approximations have the bits of package exact's op or recipe.
//   - Memory is sequentially consistent; orders and scopes change nothing. What the schedule decides is
//     the order of groups, warps and paths, and of the lanes of an atomic. It follows from the launch alone.
//   - Every access is checked: bounds, freed memory, alignment, space. Breaking one is a Fault that names the
//     line of the text and ends the launch, like an aligned barrier that not all lanes of a warp reach, a
//     subgroup op whose mask names lanes that are elsewhere, a barrier that can never be complete, and
//     the step budget.
//   - Reading memory or registers that nothing wrote is a Finding: the launch goes on. A register made from
//     undefined ones is undefined itself; what is reported is its use in an address, a branch, a
//     store or a count. With Launch.Races, so are accesses that nothing orders (race.go).
//
// Output of a compiler runs here too: testdata/compiled.txtar has kernels in C++ with nvcc's PTX for each.
//
// Not here: reading text (package asm), the driver's calls (package cusim).
//
// Start reading at image.go, then warp.go.
package machine
