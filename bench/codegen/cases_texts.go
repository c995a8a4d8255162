package codegen

import (
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// Kernels of the second lot on texts.

func utf8Texts(s Size) *Problem {
	n := pick(s, 1<<10, 128<<10, 8<<20)
	some := random(62)
	starts, letters := make([]uint32, 1, n+1), make([]byte, 0, 60*n)
	for range n {
		first := len(letters)
		for range some.below(48) {
			// Half of the characters are Latin, the others of any length.
			most := [...]uint32{0x80, 0x80, 0x80, 0x80, 0x800, 0x800, 0x10000, 0x110000}[some.below(8)]
			letters = utf8.AppendRune(letters, rune(some.below(most)))
		}
		if length := uint32(len(letters) - first); length > 0 && some.below(4) == 0 { // a quarter has a wrong byte
			letters[first+int(some.below(length))] = byte(some.next())
		}
		starts = append(starts, uint32(len(letters)))
	}
	bs, bl, out := buffer("starts", In, starts), buffer("letters", In, letters), output("prefixes", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d texts", n), Buffers: []*Buffer{bs, bl, out}, Bytes: bs.Bytes + bl.Bytes + out.Bytes,
		Steps: []Step{{"UTF8", [3]uint32{uint32(n / 128), 1, 1}, args(bs, bl, out)}},
		Want: func() map[*Buffer][]byte {
			prefixes := make([]uint32, 2*n)
			for i := range n {
				for text := letters[starts[i]:starts[i+1]]; len(text) > 0; {
					r, length := utf8.DecodeRune(text)
					if r == utf8.RuneError && length == 1 {
						break
					}
					prefixes[2*i] += uint32(length)
					prefixes[2*i+1]++
					text = text[length:]
				}
			}
			return map[*Buffer][]byte{out: bytesOf(prefixes)}
		},
	}
}

func huffman(s Size) *Problem {
	const most, letters = 10, 64 // bits of a code, letters of a block
	n := pick(s, 512, 128<<10, 4<<20)
	// How many codes have each length: together they fill the tree.
	lengths := [most + 1]int{2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 8, 10: 32}
	codes := make([]uint16, 1<<most)
	var code, letter uint32
	for length, count := range lengths {
		for range count {
			// The code's first bit is its lowest. Whatever follows, it is this letter.
			start := bits.Reverse32(code) >> (32 - length)
			for rest := start; rest < 1<<most; rest += 1 << length {
				codes[rest] = uint16('A'+letter)<<4 | uint16(length)
			}
			code, letter = code+1, letter+1
		}
		code *= 2
	}
	// Ten random bits choose a letter as often as its code is short.
	some := random(63)
	texts, starts := make([]byte, n*letters), make([]uint32, n)
	var stream []uint32
	var at uint32
	for i := range texts {
		if i%letters == 0 {
			starts[i/letters] = at
		}
		code := some.below(1 << most)
		texts[i] = byte(codes[code] >> 4)
		length := uint32(codes[code] % 16)
		for int(at+length)/32 >= len(stream) {
			stream = append(stream, 0)
		}
		word := uint64(code&(1<<length-1)) << (at % 32)
		stream[at/32] |= uint32(word)
		if high := uint32(word >> 32); high != 0 {
			stream[at/32+1] |= high
		}
		at += length
	}
	stream = append(stream, 0)
	bc, bs, bw, out := buffer("codes", In, codes), buffer("starts", In, starts), buffer("stream", In, stream), output("letters", len(texts))
	return &Problem{
		N: fmt.Sprintf("%d blocks of %d letters", n, letters), Buffers: []*Buffer{bc, bs, bw, out}, Bytes: bs.Bytes + bw.Bytes + out.Bytes,
		Steps: []Step{{"Huffman", [3]uint32{uint32(n / 128), 1, 1}, args(bc, bs, bw, out)}},
		Want:  func() map[*Buffer][]byte { return map[*Buffer][]byte{out: texts} },
	}
}
