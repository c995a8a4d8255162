package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
)

// options are the command line.
type options struct {
	reference, out, ptx string
	library             string
	only                *regexp.Regexp
	sizes               []codegen.Size
	samples             int
	unchecked           bool
	shapes              bool
}

func main() {
	runtime.LockOSThread() // a context belongs to a thread
	o, err := parse()
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func parse() (options, error) {
	var o options
	var only, sizes string
	flag.StringVar(&o.reference, "reference", "", "directory of the reference kernels' machine code")
	flag.StringVar(&o.out, "out", os.Getenv("OUT"), "directory for codegen.txt and codegen.json (default: $OUT)")
	flag.StringVar(&o.ptx, "ptx", "", "write the PTX of all kernels to this directory and stop")
	flag.StringVar(&o.library, "library", "", "path of the driver's library, if not where the loader looks")
	flag.StringVar(&only, "only", "", "measure the cases that match, as GROUP/NAME")
	flag.StringVar(&sizes, "size", "launch,L2,beyond", "sizes to measure")
	flag.IntVar(&o.samples, "samples", 32, "samples of each variant")
	flag.BoolVar(&o.unchecked, "unchecked", false, "measure without bounds checks, too")
	flag.BoolVar(&o.shapes, "shapes", false, "measure other shapes of our kernels, too")
	flag.Parse()
	if flag.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if o.samples < 2 {
		return o, fmt.Errorf("-samples is %d; it takes at least 2", o.samples)
	}
	for _, s := range strings.Split(sizes, ",") {
		size, ok := map[string]codegen.Size{"launch": codegen.Launch, "L2": codegen.InL2, "beyond": codegen.Beyond}[s]
		if !ok {
			return o, fmt.Errorf("no size is called %q; the sizes are launch, L2, beyond", s)
		}
		o.sizes = append(o.sizes, size)
	}
	var err error
	o.only, err = regexp.Compile(only)
	return o, err
}

func run(o options) error {
	kernels, err := codegen.Kernels()
	if err != nil {
		return err
	}
	if o.ptx != "" {
		return writePTX(o.ptx, kernels)
	}
	if o.reference == "" {
		return fmt.Errorf("-reference is missing: the directory with default/*.cubin and nofmad/*.cubin; run.sh builds them")
	}
	drv, err := cu.Load(o.library)
	if err != nil {
		return err
	}
	g, err := openGPU(drv)
	if err != nil {
		return err
	}
	defer g.close()
	r, err := g.report(o)
	if err != nil {
		return err
	}
	for i := range codegen.Cases {
		c := &codegen.Cases[i]
		if !o.only.MatchString(c.Group.String() + "/" + c.Name) {
			continue
		}
		for _, size := range o.sizes {
			start := time.Now()
			row, err := g.measure(c, size, kernels, o)
			if err != nil {
				r.Failed = append(r.Failed, fmt.Sprintf("%s, %s: %v", c.Name, size, err))
				fmt.Fprintln(os.Stderr, r.Failed[len(r.Failed)-1])
				continue
			}
			fmt.Fprintf(os.Stderr, "%s (%.1f s)\n", row.line(), time.Since(start).Seconds())
			r.Rows = append(r.Rows, row)
		}
	}
	r.finish()
	if err := r.write(o.out); err != nil {
		return err
	}
	return r.verdict()
}

// target is what the suite is compiled for: the same as the reference kernels.
var target = ptx.Target{SM: 90}

// writePTX writes what the kernels are compiled to: NAME.ptx, and NAME.unchecked.ptx without bounds checks.
func writePTX(dir string, kernels map[string]*front.Kernel) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, k := range kernels {
		code, err := codegen.Compile(k.Program, target)
		if err != nil {
			return err
		}
		bare, err := codegen.Unchecked(k.Program, target)
		if err != nil {
			return err
		}
		for suffix, c := range map[string]codegen.Code{".ptx": code, ".unchecked.ptx": bare} {
			if err := atomicfile.WriteBytes(context.Background(), filepath.Join(dir, name+suffix), []byte(c.Module.Text)); err != nil {
				return err
			}
		}
	}
	return nil
}
