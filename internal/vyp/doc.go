// Package vyp reads and writes the files in which vyre gen keeps compiled programs. A generated Go file embeds one.
//
//	magic | digest of the rest | table | frame | frame | …
//
// The table has a line for each program: where its wire form is in which frame, digests of the program and of its source,
// and the name of its kernel. After the instances of a kernel come the declarations that it was made from. The table and
// each frame are packed (package lz), a frame with some MiB of programs together: programs have much in common.
//
// # Invariants
//
// Equal programs give equal files, with every release of Go. Open finds all damage by the digest, before it unpacks
// anything. A frame is unpacked when one of its programs is asked for, and once.
//
// # Not here
//
// The wire form is package ir/wire. Package kernel/packed gives out the programs, package gen writes the files.
//
// Start reading at write.go.
package vyp
