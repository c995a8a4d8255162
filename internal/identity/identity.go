package identity

import (
	"encoding/binary"

	"lukechampine.com/blake3"
)

const version = "vyre.identity.v1"

// Key returns the key of inputs for a purpose.
func Key(tag string, domain, feature uint64, inputs ...[]byte) (key [32]byte) {
	b := append([]byte(version), number(uint64(len(tag)))...)
	b = append(b, tag...)
	b = append(b, number(domain)...)
	b = append(b, number(feature)...)
	return sum(b, inputs)
}

// Of returns the hash of inputs alone, where only one purpose is in question.
func Of(inputs ...[]byte) [32]byte { return sum(nil, inputs) }

// sum hashes head and T. The inputs, which may be large, are not copied.
func sum(head []byte, inputs [][]byte) (key [32]byte) {
	h := blake3.New(len(key), nil)
	write := func(b []byte) { _, _ = h.Write(b) } // hashes take everything
	write(head)
	write(number(uint64(len(inputs))))
	for _, in := range inputs {
		write(number(uint64(len(in))))
		write(in)
	}
	h.Sum(key[:0])
	return key
}

func number(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
