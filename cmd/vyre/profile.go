package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/govyre/vyre/driver"
)

// profileFlag is --profile.
type profileFlag struct {
	Profile string `placeholder:"FILE" help:"Write how long each launch, copy and fill took on the device, for go tool pprof. Runs take longer for it."`
}

// traceFlag is --trace.
type traceFlag struct {
	Trace string `placeholder:"FILE" help:"Write when each wave of each round ran inside of launches, for ui.perfetto.dev; --profile beside it has the rounds, too. Runs take longer for it."`
}

// recording is a file, open from before the work on, and what records it; nil without its flag.
type recording struct {
	*sink
	begin func(driver.Device, io.Writer) (stop func() error, err error)
	says  func(made []byte) string
}

func (c profileFlag) profile(t *terminal) (*recording, error) {
	return t.recording("--profile", c.Profile, driver.Profile, func(made []byte) string { return counted(len(made), "byte") })
}

func (c traceFlag) timeline(t *terminal) (*recording, error) {
	return t.recording("--trace", c.Trace, driver.Timeline, spansIn)
}

// spansIn says how many spans a timeline has.
func spansIn(made []byte) string {
	n := bytes.Count(made, []byte(`"cat":"wave"`))
	if n == 0 {
		return "no spans, since the device ran no waves; ask for some with --topology, if the command has it"
	}
	var dropped int
	if _, rest, ok := bytes.Cut(made, []byte(`"dropped":"`)); ok {
		fmt.Fscan(bytes.NewReader(rest), &dropped)
	}
	if dropped > 0 {
		return fmt.Sprintf("%s, %d more found no room", counted(n, "span"), dropped)
	}
	return counted(n, "span")
}

func (t *terminal) recording(flag, name string, begin func(driver.Device, io.Writer) (func() error, error), says func([]byte) string) (*recording, error) {
	if name == "" {
		return nil, nil
	}
	file, err := t.create(flag, name)
	if err != nil {
		return nil, err
	}
	return &recording{file, begin, says}, nil
}

func (r *recording) close() {
	if r != nil {
		r.sink.close()
	}
}

// around does work on a device, and writes what was recorded, also of work that failed.
func (r *recording) around(dev driver.Device, work func() error) error {
	if r == nil {
		return work()
	}
	var made bytes.Buffer
	stop, err := r.begin(dev, &made)
	if err != nil {
		return err
	}
	err = work()
	if failed := stop(); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, r.writeAs(made.Bytes(), r.says(made.Bytes())))
}
