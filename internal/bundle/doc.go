// Package bundle reads and writes the file form of kernels that ship compiled. Package aot is the way to it for users.
//
//	 0 magic "VYREBDL\x01"   8 u32 version 2   12 u32 kernels   16 u64 bytes of the index
//	24 u64 bytes of the file   32 BLAKE3-256 of the index   64 u32 CRC-32C of bytes 0–63   68 zeros
//	96 index, zeros, then payloads at multiples of 64, zeros between them
//
// The index has for each kernel, by ascending label: its program's digest, group size, flags, file, line, spans and parameters; codes, each what a
// launch of one text has to know; the packed program, if there is one; forms, each the text or the machine code for a target, by
// ascending target, the text first. If there are sequences, their number and they follow, by ascending label: buffers, and commands
// with the number of the kernel for its label. Numbers are little-endian, a text is its length in 4 bytes and its bytes. file.go and
// sequence.go have the order.
//
// # Invariants
//
// Equal kernels and sequences give equal files. Read finds all damage outside payloads, and takes nothing that Write does not write. Payload
// finds the rest. Counts are compared with the bytes that are there before memory is taken for them.
//
// # Not here
//
// Which form a device takes (driver/cuda), making them (package aot).
//
// Start reading at kernel.go, then file.go and sequence.go.
package bundle
