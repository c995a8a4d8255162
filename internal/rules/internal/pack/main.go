// Command pack writes the table of rules as programs embed it: the files that it is given, packed, a zero byte between them.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/lz"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	var parts [][]byte
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parts = append(parts, b)
	}
	return atomicfile.WriteBytes(context.Background(), out, lz.Pack(bytes.Join(parts, []byte{0})))
}
