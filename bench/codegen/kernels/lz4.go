package kernels

import "github.com/govyre/vyre/gpu"

const unpackedBlock = 1024 // bytes

// States of an unpacked block.
const (
	unpackedWell uint32 = iota
	unpackedCutOff
	unpackedTooLong
	unpackedFromBefore
)

// Unpacking is what became of a block.
type Unpacking struct{ State, Bytes uint32 }

// LZ4 unpacks blocks of the LZ4 format, up to 1024 bytes each. Block i is packed[starts[i]:starts[i+1]]. What a block
// leaves of its 1024 bytes is zero.
//
//vyre:kernel workgroup=64
func LZ4(t gpu.Thread, starts []uint32, packed, out []uint8, results []Unpacking) {
	i := t.Global().X
	if i >= uint32(len(results)) {
		return
	}
	block := out[i*unpackedBlock:][:unpackedBlock]
	n, state := unpack(packed[starts[i]:starts[i+1]], block)
	for k := n; k < unpackedBlock; k++ {
		block[k] = 0
	}
	results[i] = Unpacking{state, n}
}

func unpack(in, out []uint8) (n, state uint32) {
	size, room := uint32(len(in)), uint32(len(out))
	for at := uint32(0); at < size; {
		token := in[at]
		at++
		length, at2, ok := unpackedLength(in, at, uint32(token>>4))
		if !ok || length > size-at2 {
			return n, unpackedCutOff
		}
		at = at2
		if length > room-n {
			return n, unpackedTooLong
		}
		for range length {
			out[n] = in[at]
			n++
			at++
		}
		if at == size {
			break // the last sequence has no match
		}
		if at+2 > size {
			return n, unpackedCutOff
		}
		back := uint32(in[at]) | uint32(in[at+1])<<8
		at += 2
		if back == 0 || back > n {
			return n, unpackedFromBefore
		}
		length, at, ok = unpackedLength(in, at, uint32(token&15))
		if !ok {
			return n, unpackedCutOff
		}
		length += 4
		if length > room-n {
			return n, unpackedTooLong
		}
		for range length {
			out[n] = out[n-back]
			n++
		}
	}
	return n, unpackedWell
}

// unpackedLength completes the length that a token begins: after 15 come bytes to add, up to one that is not 255.
func unpackedLength(in []uint8, at, length uint32) (uint32, uint32, bool) {
	if length < 15 {
		return length, at, true
	}
	for at < uint32(len(in)) {
		b := in[at]
		at++
		length += uint32(b)
		if b != 255 {
			return length, at, true
		}
	}
	return length, at, false
}
