// Command egraph measures the closure and the saturation of e-graphs on a device beside package egraph.
//
//	egraph -device cuda -o egraph.csv
//
// All forms close the same graphs: W1 has rows of four functions, one in eight a copy; W2 is a chain with a union a round; in
// W3 all rows are equal and in W4 no two are. A graph is timed after all forms have given one digest of its roots. The
// device's time goes from the resident image to the end of the read of roots, live rows and groups; the upload is apart. A line
// tells the workload, rows, form, quantity, the least and the median nanoseconds, the number of runs, and what the closure came to.
//
// Terms of package internal/mine are evaluated for 64 inputs each, and told apart, on the device and by device cpu on all cores.
// The rows of such a line are the candidates, its classes the terms that differ.
// Sums of 5 to 13 leaves are saturated by associativity, on the device and on one core. Their digest is the number of rows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/atomicfile"
)

func main() {
	device := flag.String("device", "cuda", "device to measure on")
	most := flag.Int("most", 10_000_000, "rows of the largest graph")
	runs := flag.Int("runs", 9, "runs on the device; a third as many on the host")
	ops := flag.Int("ops", 5, "ops of the largest terms that are evaluated")
	csv := flag.String("o", "", "write the lines to this file, too")
	flag.Parse()
	if err := run(context.Background(), *device, *most, *runs, *ops, *csv); err != nil {
		fmt.Fprintln(os.Stderr, "egraph:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, device string, most, runs, ops int, csv string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	if csv == "" {
		return lines(ctx, os.Stdout, dev, most, runs, ops)
	}
	return atomicfile.Write(ctx, csv, func(w io.Writer) error {
		return lines(ctx, io.MultiWriter(os.Stdout, w), dev, most, runs, ops)
	})
}

// lines measures everything, and writes a line about each quantity.
func lines(ctx context.Context, out io.Writer, dev vyre.Device, most, runs, ops int) error {
	fmt.Fprintf(out, "# %s, driver %v, %d cores\n", dev.Caps().Model, dev.Caps().DriverVersion, runtime.GOMAXPROCS(0))
	fmt.Fprintln(out, "workload,rows,form,quantity,least ns,median ns,runs,rounds,unions,classes,digest")
	b := &bench{ctx: ctx, out: out, dev: dev, runs: max(1, runs)}
	for _, w := range workloads(most) {
		if err := b.workload(w); err != nil {
			return fmt.Errorf("%s of %d: %w", w.name, w.n, err)
		}
		runtime.GC()
	}
	return errors.Join(b.terms(ops), b.sums(most))
}
