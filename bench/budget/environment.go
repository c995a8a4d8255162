package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// The kernels of the budgets.
const (
	emptyText = `vyre 1
kernel @empty workgroup(32) {
}`
	copyText = `vyre 1
kernel @copy workgroup(256) {
  param @in: buf<u32> ro
  param @out: buf<u32> wo
  %i = global.x
  %v = load @in[%i]
  store @out[%i], %v
}`
	// It takes n nanoseconds and nothing else: launches at the same time have a unit for themselves.
	spinText = `vyre 1
kernel @spin workgroup(32) {
  param %n: u64
  %begin = timer
  loop ^l () {
    %now = timer
    %took = sub.u64 %now, %begin
    %done = le.u64 %n, %took
    if %done { break ^l }
    continue ^l
  }
}`
	barrierText = `vyre 1
kernel @barriers workgroup(256) {
  param %rounds: u32
  loop ^l (%i: u32 = 0_u32) {
    %end = eq.u32 %i, %rounds
    if %end { break ^l }
    barrier.grid
    %n = add.u32 %i, 1_u32
    continue ^l (%n)
  }
}`
)

// program parses one of them.
func program(source string) *ir.Program {
	ps, err := text.Parse("budget", source)
	if err != nil {
		panic(fmt.Sprintf("BUG: a kernel of the budgets is refused: %v", err))
	}
	return ps[0]
}

// environment is the device and its kernels.
type environment struct {
	dev                     driver.Device
	empty, copy, bars, spin driver.Kernel
}

func open(ctx context.Context, name string) (*environment, error) {
	dev, err := driver.Open(name, driver.OpenOptions{})
	if err != nil {
		return nil, err
	}
	e, err := kernelsOf(ctx, dev)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return e, nil
}

// kernelsOf compiles the kernels.
func kernelsOf(ctx context.Context, dev driver.Device) (*environment, error) {
	e := &environment{dev: dev}
	for _, k := range []struct {
		to   *driver.Kernel
		text string
	}{{&e.empty, emptyText}, {&e.copy, copyText}, {&e.bars, barrierText}, {&e.spin, spinText}} {
		compiled, err := dev.Compile(ctx, program(k.text), driver.Options{})
		if err != nil {
			return nil, err
		}
		*k.to = compiled
	}
	return e, nil
}

// close gives everything back.
func (e *environment) close() error { return e.dev.Close() }

// machine says what was measured on, as lines have it.
func (e *environment) machine() string {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	c := e.dev.Caps()
	return fmt.Sprintf("gpu=%q driver=%d commit=%s", c.Model, c.DriverVersion, commit)
}

// referenceFiles writes the text of the kernels that the C side launches, as the device gets it, and returns the first of the
// C side's arguments.
func referenceFiles(dir, target string) ([]string, error) {
	t, err := ptx.ParseTarget(target)
	if err != nil {
		return nil, err
	}
	var ps []*ir.Program
	for _, text := range []string{emptyText, copyText} {
		ps = append(ps, program(text))
	}
	m, err := ptx.CompileModule(ps, t, ptx.Options{})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "kernels.ptx")
	return []string{path, m.Kernels[0].Entry, m.Kernels[1].Entry}, atomicfile.WriteBytes(context.Background(), path, []byte(m.Text))
}
