// Package random draws random numbers in kernels and on the host, with the same bits in both.
//
// The generator is Philox4x32-10 (John Salmon, Mark Moraes, Ron Dror and David Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", 2011). It has no state: [Philox] maps a counter and a key to four words. Therefore every invocation
// draws the numbers of its index, in any order and in any launch:
//
//	//vyre:kernel workgroup=256
//	func Noise(t gpu.Thread, seed uint64, out []float32) {
//		i := t.Global().X
//		if i < uint32(len(out)) {
//			out[i] = random.Uniform(random.Word(seed, 0, uint64(i)))
//		}
//	}
//
// Most kernels name their words by a seed, a stream and a number, with [Word], or with [Block] for four at a time.
// [Uniform], [Uniform64], [Below] and [Normal] turn words into numbers.
//
// These are ordinary functions. The compiler of kernels inlines them, and natively they run as they are. Normal
// numbers come from gpu.Log, gpu.Cos and gpu.Sin, whose bits are the same everywhere.
package random

//go:generate go run ../../internal/gen/generate .
