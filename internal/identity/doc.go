// Package identity makes keys: 32 bytes that are equal for equal inputs, and for no others that
// anybody will ever meet. Caches use them as names.
//
//	key = BLAKE3-256("vyre.identity.v1" ‖ len(tag) ‖ tag ‖ domain ‖ feature ‖ T)
//	T   = count of inputs ‖ (len(input) ‖ input)…
//
// Numbers have 8 bytes, little-endian. Every part is preceded by its length, so that no two lists
// of inputs have the same bytes. The tag says what the key is for and which version of that;
// domain and feature are numbers that the tag gives a meaning to.
//
// Keys are stored, on disk and in bundles: what this package computes never changes.
//
// Not here: the content hash of a program (ir.Program.Digest).
package identity
