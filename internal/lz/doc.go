// Package lz packs bytes that repeat over long distances, such as compiled programs that differ in a few rows.
//
//	bytes ──parse──▶ steps (literals, then a copy) ──Huffman codes──▶ bits
//	         Unpack takes the same way back
//
// The scheme is that of Ziv and Lempel (1977) with codes of Huffman (1952), as in deflate. Deflate copies only from
// the last 32 KiB, so that it misses what one program has in common with the next. This package copies from anywhere.
// Also a distance has a short code if it is the last one, or a multiple of four: programs are columns of 32-bit words.
//
// # Invariants
//
// Equal bytes are packed to equal bytes, with every release of Go. Unpack takes any input, and its output is at most
// as long as the caller allows.
//
// # Not here
//
// The files that hold programs are package internal/vyp.
//
// Start reading at pack.go. code.go has the Huffman codes, number.go is how counts and distances become symbols.
package lz
