package packed

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

// Made returns declarations as lines of text, each ended by a newline: the kernel first.
func Made(list ...Declaration) string {
	var out strings.Builder
	for _, d := range list {
		if strings.ContainsAny(d.File, "`\r\n") {
			continue // the string in the generated file has no place for it
		}
		fmt.Fprintf(&out, "%x %s %s\n", d.Digest, d.Name, d.File)
	}
	return out.String()
}

// declared is a line of what Made wrote.
type declared struct{ digest, name, file string }

func read(made string) (list []declared) {
	for line := range strings.Lines(made) {
		digest, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name, file, ok := strings.Cut(rest, " "); ok {
			list = append(list, declared{digest, name, file})
		}
	}
	return list
}
