// Package kernels holds the thirteen kernels by which the quality of the code that we
// generate is judged, the way a programmer who wants speed writes them: vectors of four
// where memory is read in order, tiles in shared memory, gpu.FMA where one rounding is meant.
//
// Each has a twin in CUDA C++ under ../twins with the same name, algorithm, tile sizes and
// launch shape, but for those in shapes.go, which compare -shapes times beside them. No kernel relies on reads behind the end of a buffer being zero, so that it can also run with
// its bounds checks taken out, which shows what they cost; where sizes are exact, neither side tests them.
package kernels
