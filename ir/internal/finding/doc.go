// Package finding has the codes of the verifier: what each says, how severe it is and what to do about it. The
// builder and the parser report in the same words.
package finding
