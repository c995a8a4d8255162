package main

import (
	"bytes"
	"errors"

	"github.com/govyre/vyre/driver"
)

// profileFlag is --profile.
type profileFlag struct {
	Profile string `placeholder:"FILE" help:"Write how long each launch, copy and fill took on the device, for go tool pprof. Runs take longer for it."`
}

// profiling is the file, open from before the work on; nil without --profile.
type profiling struct{ *sink }

func (c profileFlag) create(t *terminal) (*profiling, error) {
	if c.Profile == "" {
		return nil, nil
	}
	file, err := t.create("--profile", c.Profile)
	if err != nil {
		return nil, err
	}
	return &profiling{file}, nil
}

func (p *profiling) close() {
	if p != nil {
		p.sink.close()
	}
}

// around does work on a device, and writes its profile, also of work that failed.
func (p *profiling) around(dev driver.Device, work func() error) error {
	if p == nil {
		return work()
	}
	var made bytes.Buffer
	stop, err := driver.Profile(dev, &made)
	if err != nil {
		return err
	}
	err = work()
	if failed := stop(); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, p.write(made.Bytes()))
}
