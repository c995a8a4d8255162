package kernels

import "github.com/govyre/vyre/gpu"

// Prefix is how much of a text is valid UTF-8, in bytes and in characters.
type Prefix struct{ Bytes, Characters uint32 }

// UTF8 finds how far each text is valid UTF-8 (Yergeau, "UTF-8, a transformation format of ISO 10646", RFC 3629, 2003).
// Text i is letters[starts[i]:starts[i+1]]; an invocation has one.
//
//vyre:kernel workgroup=128
func UTF8(t gpu.Thread, starts []uint32, letters []uint8, prefixes []Prefix) {
	i := t.Global().X
	if i >= uint32(len(prefixes)) {
		return
	}
	text := letters[starts[i]:starts[i+1]]
	var valid Prefix
	for valid.Bytes < uint32(len(text)) {
		n := characterLength(text[valid.Bytes:])
		if n == 0 {
			break
		}
		valid.Bytes += n
		valid.Characters++
	}
	prefixes[i] = valid
}

// characterLength is the length of the character at the start of a text that is not empty, 0 if that is none.
func characterLength(text []uint8) uint32 {
	first := text[0]
	if first < 0x80 {
		return 1
	}
	var n uint32
	least, most := uint8(0x80), uint8(0xbf) // what the second byte may be
	switch {
	case first < 0xc2:
		return 0 // not a first byte, or too long for its character
	case first < 0xe0:
		n = 2
	case first < 0xf0:
		n = 3
		if first == 0xe0 {
			least = 0xa0
		} else if first == 0xed {
			most = 0x9f // the others are surrogates
		}
	case first < 0xf5:
		n = 4
		if first == 0xf0 {
			least = 0x90
		} else if first == 0xf4 {
			most = 0x8f
		}
	default:
		return 0
	}
	if uint32(len(text)) < n {
		return 0
	}
	if second := text[1]; second < least || second > most {
		return 0
	}
	for _, b := range text[2:n] {
		if b&0xc0 != 0x80 {
			return 0
		}
	}
	return n
}
