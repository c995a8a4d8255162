// Command generate is vyre gen without anything that vyre gen writes: it builds when launchers, programs and libraries are
// missing or do not build. The go:generate lines of this module run it.
//
//	generate [--programs] [-o FILE] [DIR|FILE]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
)

func main() {
	programs := flag.Bool("programs", false, "as for vyre gen")
	out := flag.String("o", "", "as for vyre gen")
	flag.Parse()
	source := flag.Arg(0)
	if source == "" {
		source = "."
	}
	if err := generate(context.Background(), source, *out, *programs); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(ctx context.Context, source, out string, programs bool) error {
	file, err := gen.Target(source, out)
	if err != nil {
		return err
	}
	command := gen.Command(source, file, "", programs)
	if info, err := os.Stat(source); err == nil && info.IsDir() {
		l, err := front.FindLibrary(source)
		if err != nil {
			return err
		}
		if l != nil {
			if err := write(ctx, filepath.Join(source, gen.LibraryFile), gen.Library(l, command)); err != nil || !l.Kernels {
				return err
			}
		}
	}
	pkg, err := front.Load(ctx, source, file)
	if err != nil {
		return err
	}
	files, err := gen.Source(pkg, gen.Options{Command: command, Dir: filepath.Dir(file), Programs: programs, File: filepath.Base(file)})
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if err := write(ctx, gen.DataFile(file), files.Programs); err != nil {
		return err
	}
	return write(ctx, file, files.Launchers)
}

// write leaves a file alone that has the bytes.
func write(ctx context.Context, name string, b []byte) error {
	if have, err := os.ReadFile(name); err == nil && bytes.Equal(have, b) {
		return nil
	}
	return atomicfile.WriteBytes(ctx, name, b)
}
