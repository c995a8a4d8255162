package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/ir"
)

// timedDriver measures the two calls of a start that take the driver long.
type timedDriver struct {
	cu.Driver
	init, context time.Duration
}

func (d *timedDriver) Init() error {
	begin := time.Now()
	defer func() { d.init += time.Since(begin) }()
	return d.Driver.Init()
}

func (d *timedDriver) DevicePrimaryCtxRetain(v cu.Device) (cu.Context, error) {
	begin := time.Now()
	defer func() { d.context += time.Since(begin) }()
	return d.Driver.DevicePrimaryCtxRetain(v)
}

// first gets from nothing to a first result and says how long the parts took. The kernel is of a bundle if there is one.
func first(ctx context.Context, device, bundle string) error {
	begin := time.Now()
	var lib cu.Driver = cusim.New(cusim.Config{})
	if device != cudasim.Name {
		var err error
		if lib, err = cu.Load(os.Getenv(cuda.EnvLibrary)); err != nil {
			return err
		}
	}
	timed := &timedDriver{Driver: lib}
	dev, err := cuda.Open(cuda.Options{Driver: timed})
	if err != nil {
		return err
	}
	opened := time.Now()
	k, err := firstKernel(ctx, dev, bundle)
	if err != nil {
		return err
	}
	compiled := time.Now()
	if _, err := driver.Dispatch(ctx, k, driver.Groups(4), driver.In(make([]byte, 4096)), driver.Out(make([]byte, 4096))); err != nil {
		return err
	}
	ran := time.Now()
	fmt.Printf("init_ns=%d context_ns=%d open_ns=%d compile_ns=%d run_ns=%d\n", timed.init, timed.context,
		opened.Sub(begin)-timed.init-timed.context, compiled.Sub(opened), ran.Sub(compiled))
	return nil
}

// bundled is the label of the copying kernel in its bundle.
const bundled = "copy"

func firstKernel(ctx context.Context, dev driver.Device, bundle string) (driver.Kernel, error) {
	if bundle == "" {
		return dev.Compile(ctx, program(copyText), driver.Options{})
	}
	data, err := os.ReadFile(bundle)
	if err != nil {
		return nil, err
	}
	b, err := aot.Open(string(data))
	if err != nil {
		return nil, err
	}
	return b.Load(ctx, dev, bundled, driver.Options{})
}

// starting times P14: processes of both sides from their start to their first result, with caches that are empty, with
// caches that have it, and from a bundle, where the other side loads the same machine code.
func (b *bench) starting() (err error) {
	if b.reference == nil {
		b.out.skip("start", "%v", b.none)
		return nil
	}
	dir, err := os.MkdirTemp("", "budget")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours := []string{self, "-first", "-device", b.device}
	theirs := append(append([]string{b.program}, b.referenceArgs[:3]...), "-first")
	// The driver's own cache is the C side's; ours has a folder of its own.
	cold := func(i int) []string {
		return []string{"CUDA_CACHE_DISABLE=1", fmt.Sprintf("VYRE_CACHE_DIR=%s/cold%d", dir, i)}
	}
	warm := func(int) []string {
		return []string{"CUDA_CACHE_DISABLE=0", "CUDA_CACHE_PATH=" + dir + "/driver", "VYRE_CACHE_DIR=" + dir + "/vyre"}
	}
	all := []start{{"start-cold", 30, ours, theirs, cold}, {"start-warm", 20, ours, theirs, warm}}
	file, code, entry, err := b.bundle(dir)
	if err != nil {
		return err
	}
	if code == "" {
		b.out.skip("start-bundle", "the kernel has no machine code: its text is better, or the driver does not link")
	} else {
		all = append(all, start{"start-bundle", 15, append(ours, "-bundle", file), []string{b.program, code, entry, entry, "-first"}, cold})
	}
	for _, s := range all {
		if err := b.start(s); err != nil {
			return err
		}
	}
	return nil
}

// start is a way to a first result: the commands of both sides, and the environment of the i-th process of each. Ours may take
// so many ms more.
type start struct {
	name         string
	more         float64
	ours, theirs []string
	environment  func(i int) []string
}

// start times processes of both sides in turn. The first ones fill caches and are not counted.
func (b *bench) start(s start) error {
	var times [2][]float64
	var parts [2]string
	for i := range b.starts {
		for side, command := range [][]string{s.ours, s.theirs} {
			t, out, err := timeProcess(b.ctx, command, s.environment(i))
			if err != nil {
				return fmt.Errorf("%s, side %s: %w", s.name, []string{"vyre", "c"}[side], err)
			}
			if i > 0 {
				times[side], parts[side] = append(times[side], t), out
			}
		}
	}
	if len(times[0]) == 0 {
		return nil
	}
	ours, theirs := blockOf(times[0]), blockOf(times[1])
	b.out.side(s.name, "vyre", ours, parts[0])
	b.out.side(s.name, "c", theirs, parts[1])
	if b.env.dev.Caps().Simulated {
		b.out.skip(s.name+"-ms", "a simulated device has no driver that starts")
		return nil
	}
	more := (ours.p50 - theirs.p50) / 1e6
	b.out.number(s.name+"-ms", "ms", more, s.more, more <= s.more)
	return nil
}

// bundle writes a bundle of the copying kernel, and its machine code alone, which has an entry of that name; "" if there is none.
func (b *bench) bundle(dir string) (file, code, entry string, err error) {
	data, err := aot.Build(b.ctx, map[string]*ir.Program{bundled: program(copyText)}, aot.Options{Targets: []string{b.env.dev.Caps().Target}, Device: b.env.dev})
	if err != nil {
		return "", "", "", err
	}
	file = filepath.Join(dir, "copy.vyk")
	if err := atomicfile.WriteBytes(b.ctx, file, data); err != nil {
		return "", "", "", err
	}
	opened, err := aot.Open(string(data))
	if err != nil {
		return "", "", "", err
	}
	k := opened.Kernels()[0]
	for i := range k.Forms {
		f := &k.Forms[i]
		if f.Kind != bundle.Cubin {
			continue
		}
		machine, err := f.Payload()
		if err == nil {
			code, entry = filepath.Join(dir, "copy.cubin"), k.Codes[f.Code].Entry
			err = atomicfile.WriteBytes(b.ctx, code, machine)
		}
		return file, code, entry, err
	}
	return file, "", "", nil
}

func timeProcess(ctx context.Context, command, env []string) (ns float64, out string, err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	begin := time.Now()
	text, err := cmd.Output()
	ns = since(begin)
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w: %s", command[0], err, text)
	}
	return ns, strings.TrimSpace(string(text)), nil
}
