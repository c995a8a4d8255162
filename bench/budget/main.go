package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	_ "github.com/govyre/vyre/driver/cuda"
)

// options are the command line.
type options struct {
	device   string
	program  string // of the C side
	gridsync string
	python   string
	only     *regexp.Regexp
	blocks   int
	samples  int
	starts   int
	limit    time.Duration
	tiny     bool
	first    bool
	bundle   string

	referenceArgs []string
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "budget:", err)
		os.Exit(2)
	}
	if o.first {
		if err := first(context.Background(), o.device, o.bundle); err != nil {
			fmt.Fprintln(os.Stderr, "budget:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(context.Background(), o, os.Stdout, os.Stderr))
}

func parse(args []string) (options, error) {
	var o options
	var only string
	fs := flag.NewFlagSet("budget", flag.ContinueOnError)
	fs.StringVar(&o.device, "device", "cuda", "device to measure; cuda-sim shows that everything runs")
	fs.StringVar(&o.program, "reference", "", "program made of reference.c")
	fs.StringVar(&o.gridsync, "gridsync", "", "machine code made of vendor.cu")
	fs.StringVar(&o.python, "python", "", "reference.py, for the sides of CuPy and PyTorch where python3 has them")
	fs.StringVar(&only, "only", "", "measure what matches, such as ^P[12]")
	fs.IntVar(&o.blocks, "blocks", 10, "blocks of each side")
	fs.IntVar(&o.samples, "samples", 1000, "samples in a block; measures that take long have a fixed part of it")
	fs.IntVar(&o.starts, "starts", 6, "processes of each side that are started, cold and warm; the first is not counted")
	fs.DurationVar(&o.limit, "limit", 0, "skip what has not begun by then; 0 is no limit")
	fs.BoolVar(&o.tiny, "tiny", false, "do little, for a simulated device")
	fs.BoolVar(&o.first, "first", false, "get to the first result, say how long it took, and end")
	fs.StringVar(&o.bundle, "bundle", "", "with -first: the bundle that has the kernel, which is compiled otherwise")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.blocks < 1 || o.samples < 1:
		return o, fmt.Errorf("-blocks is %d and -samples %d; each takes at least 1", o.blocks, o.samples)
	}
	var err error
	o.only, err = regexp.Compile(only)
	return o, err
}

// run measures and returns the exit status.
func run(ctx context.Context, o options, out, log io.Writer) int {
	b := &bench{options: o, ctx: ctx, began: time.Now(), size: usual}
	if o.tiny {
		b.size = tiny
	}
	p := &printer{write: func(line string) { fmt.Fprintln(out, line) }}
	b.out = p
	errs := b.all()
	for _, err := range errs {
		fmt.Fprintln(log, "budget:", err)
	}
	fmt.Fprintf(out, "vyrebench v=1 name=all measured=%d failed=%d skipped=%d errors=%d seconds=%.0f\n", p.measured, p.failed, p.skipped, len(errs), time.Since(b.began).Seconds())
	switch {
	case p.measured == 0:
		return 2
	case p.failed > 0 || len(errs) > 0:
		return 1
	}
	return 0
}

// all measures everything that is asked for.
func (b *bench) all() (errs []error) {
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	var err error
	if b.env, err = open(b.ctx, b.device); err != nil {
		return []error{err}
	}
	defer func() { note(b.env.close()) }()
	b.out.suffix = b.env.machine()
	dir, err := os.MkdirTemp("", "budget")
	if err != nil {
		return []error{err}
	}
	defer func() { note(os.RemoveAll(dir)) }()
	if b.referenceArgs, err = referenceFiles(dir, b.env.dev.Caps().Target); err != nil {
		return []error{err}
	}
	if b.gridsync != "" {
		b.referenceArgs = append(b.referenceArgs, b.gridsync)
	}
	if b.reference, b.none = startReference("c", b.program, b.referenceArgs...); b.none != nil && !errors.Is(b.none, errNoReference) {
		return []error{b.none}
	}
	if b.reference != nil {
		defer func() { note(b.reference.close()) }()
	}
	// Measures of libraries come last, so that the others run without contexts of theirs on the device.
	for _, shared := range []bool{false, true} {
		if shared {
			b.startLibraries()
		}
		for _, m := range b.measures() {
			if (m.library != "") == shared && b.only.MatchString(m.name) {
				note(b.run(m))
			}
		}
	}
	for _, l := range b.libraries {
		note(l.close())
	}
	for _, d := range []struct {
		name string
		run  func() error
	}{{"P8", b.allocations}, {"P9", b.compiling}, {"P10", b.simulating}, {"P11", b.remembering}, {"start", b.starting}, {"leak", b.leaking}} {
		switch {
		case !b.only.MatchString(d.name):
		case b.late():
			b.out.skip(d.name, "the time was over after %v", b.limit)
		default:
			if err := d.run(); err != nil {
				note(fmt.Errorf("%s: %w", d.name, err))
			}
		}
	}
	return errs
}

// startLibraries starts the sides of libraries, those that are there.
func (b *bench) startLibraries() {
	if b.python == "" {
		return
	}
	for _, name := range []string{"cupy", "torch"} {
		l, err := startReference(name, "python3", b.python, name)
		if err != nil {
			b.out.skip(name, "%v", err)
			continue
		}
		b.libraries = append(b.libraries, l)
	}
}
