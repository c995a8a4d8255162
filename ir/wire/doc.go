// Package wire is the stored form of a program: Encode writes it, Decode reads it back.
//
//	header (magic, version, digest) │ section table │ the columns, little endian │ names, positions, messages
//
// Everything has one place and one spelling, so equal programs have equal bytes. Decode believes nothing: sizes are
// checked before memory is taken for them, then structure, digest, canonical form, and all else that sealing checks.
// Parts that a reader may do without (names, positions, messages, sections of a later version) are dropped when they
// make no sense. The notes say so.
//
// An optimised program has no wire form, because a reader could not trust its in-bounds flags: keep its source.
//
// The columns themselves, and the digest over them, are in ir/internal/columns. Start reading at wire.go.
package wire
