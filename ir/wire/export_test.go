package wire

import (
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
)

// EncodeCode is the wire form of what nobody sealed.
func EncodeCode(c *ir.Code) ([]byte, error) { return encode(c, columns.Digest(c)) }

// DigestOf is the digest that sealing would take of canonical code.
var DigestOf = columns.Digest

// WithDigest returns the wire form b with the digest that its columns have, so that
// fuzzing gets past it; b itself if it has no columns.
func WithDigest(b []byte) []byte {
	sections, ds := readFrame(b)
	if ds != nil {
		return b
	}
	c, ds := readColumns(sections)
	if ds != nil {
		return b
	}
	sum := columns.Digest(c)
	return slices.Concat(b[:24], sum[:], b[56:])
}
