// Package canonical brings structurally sound code into the one form that sealing promises, so that equal structure
// has an equal digest. Rewrite changes the code in place; Differs names what Rewrite would change.
package canonical
