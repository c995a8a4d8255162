package main

import "github.com/govyre/vyre/gpu"

// Find sets found[i] to 1 if word begins at byte i of text, and to 0 if it does not. Capitals are equal to small letters.
//
//vyre:kernel workgroup=256
func Find(t gpu.Thread, text, word []uint8, found []uint32) {
	i := t.Global().X
	if i >= uint32(len(found)) {
		return
	}
	same := uint32(len(text))-i >= uint32(len(word)) // found is as long as text
	for k := uint32(0); same && k < uint32(len(word)); k++ {
		same = small(text[i+k]) == small(word[k])
	}
	found[i] = 0
	if same {
		found[i] = 1
	}
}

// small makes a small letter of a capital.
func small(b uint8) uint8 {
	if 'A' <= b && b <= 'Z' {
		return b + ('a' - 'A')
	}
	return b
}
