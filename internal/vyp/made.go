package vyp

import (
	"fmt"
	"strings"
)

// Declaration is a declaration that a program was made of, such as a function.
type Declaration struct {
	File   string  // relative to the generated file
	Name   string  // in the source
	Digest [8]byte // of its tokens
}

func (d Declaration) String() string { return fmt.Sprintf("%x %s %s", d.Digest, d.Name, d.File) }

// parseDeclaration is the inverse of String.
func parseDeclaration(line string) (d Declaration, ok bool) {
	digest, rest, _ := strings.Cut(line, " ")
	d.Name, d.File, ok = strings.Cut(rest, " ")
	return d, ok && parseHex(d.Digest[:], digest)
}
