// Package kernels holds the kernels by which the quality of the code that we generate is judged.
//
// Thirteen are written the way a programmer who wants speed writes them. They have vectors of four where memory is read
// in order, tiles in shared memory, and gpu.FMA where one rounding is meant. By these the passes are tuned. Fifteen
// more are ordinary programs of other kinds, written without a look at what the passes do, and never used for tuning.
// Ten of a second lot were written later, in the same way, and twelve of a third. They stay as they are. Bodies and
// Particles work on structs, and again on arrays that are split by hand.
//
// Each has a reference kernel in CUDA C++ under ../reference with the same name, algorithm, tile sizes and launch
// shape. Exceptions are those split by hand and those in shapes.go, which compare -shapes times beside them. No kernel
// relies on reads past the end of a buffer being zero. So it can also run with its bounds checks taken out, which shows
// what they cost. Where sizes are exact, neither side tests them.
package kernels
