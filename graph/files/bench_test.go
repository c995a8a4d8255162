//go:build unix

package files_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// BenchmarkRead reads files that the system has in its page cache by one worker, as far as the arcs and to the finished graph.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"road:1024x1024", "uniform:18"} {
		g := generated(b, name)
		for _, format := range []files.Format{files.Edges, files.Matrix, files.DIMACS, files.GAP} {
			path := filepath.Join(b.TempDir(), "x."+string(format))
			if _, err := files.Save(b.Context(), path, g, format); err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			for what, read := range map[string]func(io.Reader, string, files.Options) error{
				"arcs": func(r io.Reader, name string, o files.Options) error { return files.Arcs(r, name, o) },
				"graph": func(r io.Reader, name string, o files.Options) error {
					_, _, err := files.Read(b.Context(), r, name, o)
					return err
				},
			} {
				b.Run(fmt.Sprintf("%s/%s/%s", name, format, what), func(b *testing.B) {
					before := cpuTime(b)
					for b.Loop() {
						f, err := os.Open(path)
						if err != nil {
							b.Fatal(err)
						}
						if err := errors.Join(read(f, path, files.Options{Workers: 1}), f.Close()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(info.Size())*float64(b.N)/1e6/(cpuTime(b)-before).Seconds(), "MB/cpu-s")
				})
			}
		}
	}
}

// cpuTime is what this process has used of all cores: on a machine with others, time on the clock says little.
func cpuTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkOpen maps a file, and looks at all of it.
func BenchmarkOpen(b *testing.B) {
	g := generated(b, "uniform:18")
	path := filepath.Join(b.TempDir(), "x.vyg")
	if _, err := files.Save(b.Context(), path, g, files.Auto); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for what, look := range map[string]func(*graph.CSR) error{"mapped": func(*graph.CSR) error { return nil }, "verified": func(g *graph.CSR) error { return g.Verify(b.Context()) }} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				g, err := graph.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := look(g); err != nil {
					b.Fatal(err)
				}
				if err := g.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
