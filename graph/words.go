package graph

import (
	"github.com/govyre/vyre/graph/internal/little"
)

// bytesOf returns words as little endian bytes, the same memory where that is possible.
func bytesOf[T uint32 | uint64](words []T) []byte { return little.Bytes(words) }

// wordsOf is the way back.
func wordsOf[T uint32 | uint64](b []byte) []T { return little.Words[T](b) }

func orOne(words []uint32, i int) uint32 {
	if words == nil {
		return 1
	}
	return words[i]
}
