package kernels

import "github.com/govyre/vyre/gpu"

const (
	codeBits    = 10 // of the longest code
	blockLength = 64 // letters of a block
)

// Huffman decodes blocks of 64 letters in a prefix code (Huffman, "A Method for the Construction of Minimum-Redundancy
// Codes", 1952). Block i begins at bit starts[i] of the stream. The code that ten bits begin with is codes[bits]: the
// letter, and in the low four bits the code's length. Each workgroup has the codes in shared memory; an invocation has
// a block. The stream has a word after the last block.
//
//vyre:kernel workgroup=128
func Huffman(t gpu.Thread, codes []uint16, starts, stream []uint32, letters []uint8) {
	table := gpu.Shared[uint16](t, 1<<codeBits)
	for k := t.LocalIndex(); k < 1<<codeBits; k += 128 {
		table[k] = codes[k]
	}
	t.Barrier()
	i := t.Global().X
	if i >= uint32(len(starts)) {
		return
	}
	block := letters[i*blockLength : (i+1)*blockLength]
	word := starts[i] / 32
	bits, have := uint64(stream[word])>>(starts[i]%32), 32-starts[i]%32
	for k := range block {
		if have < codeBits {
			word++
			bits |= uint64(stream[word]) << have
			have += 32
		}
		code := table[bits%(1<<codeBits)]
		block[k] = uint8(code >> 4)
		length := uint32(code % 16)
		bits >>= length
		have -= length
	}
}
