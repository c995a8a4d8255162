package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
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

// first gets from nothing to a first result and says how long the parts took.
func first(ctx context.Context, device string) error {
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
	k, err := dev.Compile(ctx, program(copyText), driver.Options{})
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

// starting times processes of both sides from their start to their first result, with caches that are empty and
// with caches that have it. It is a report: no bound is set.
func (b *bench) starting() (err error) {
	dir, err := os.MkdirTemp("", "budget")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	commands := map[string][]string{"vyre": {self, "-first", "-device", b.device}}
	if b.reference != nil {
		commands["c"] = append(append([]string{b.program}, b.referenceArgs[:3]...), "-first")
	}
	for _, name := range []string{"start-cold", "start-warm"} {
		times, parts := map[string][]float64{}, map[string]string{}
		for i := range b.starts {
			for _, side := range []string{"vyre", "c"} {
				if commands[side] == nil {
					continue
				}
				// The driver's own cache is the C side's; ours has a folder of its own. A cold start finds
				// neither, the first warm one fills them and is not counted.
				env := []string{"CUDA_CACHE_DISABLE=0", "CUDA_CACHE_PATH=" + dir + "/driver", "VYRE_CACHE_DIR=" + dir + "/vyre"}
				if name == "start-cold" {
					env = []string{"CUDA_CACHE_DISABLE=1", fmt.Sprintf("VYRE_CACHE_DIR=%s/cold%d", dir, i)}
				}
				t, out, err := timeProcess(b.ctx, commands[side], env)
				if err != nil {
					return fmt.Errorf("%s, side %s: %w", name, side, err)
				}
				if i > 0 {
					times[side], parts[side] = append(times[side], t), out
				}
			}
		}
		for _, side := range []string{"vyre", "c"} {
			if len(times[side]) > 0 {
				b.out.side(name, side, blockOf(times[side]), parts[side])
			}
		}
	}
	if b.reference == nil {
		b.out.skip("start", "%v", b.none)
	}
	return nil
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
