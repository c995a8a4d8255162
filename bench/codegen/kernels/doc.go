// Package kernels holds the thirteen kernels by which the quality of the code that we
// generate is judged, the way a programmer who wants speed writes them: vectors of four
// where memory is read in order, tiles in shared memory, gpu.FMA where one rounding is meant.
//
// Each has a reference kernel in CUDA C++ under ../reference with the same name, algorithm, tile sizes and
// launch shape, but for those in shapes.go, which compare -shapes times beside them. No kernel relies on reads past the
// end of a buffer being zero, so that it can also run with its bounds checks taken out, which shows what they cost;
// where sizes are exact, neither side tests them.
package kernels
