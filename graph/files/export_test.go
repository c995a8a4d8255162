package files

import (
	"context"
	"io"
)

// Arcs reads a file as far as its arcs.
func Arcs(r io.Reader, name string, o Options) error {
	in := reader{ctx: context.Background(), name: name, o: o.settled(), arcsOnly: true}
	_, _, err := in.read(r)
	return err
}
