package main

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/guard"
)

// opening is a device that is opened while a graph is read: a driver of a GPU takes as long as some hundred megabytes.
type opening struct {
	name string
	done chan struct{}
	dev  driver.Device
	err  error
}

// opens begins to open a device, which device takes. What nothing took, stop closes.
func (t *terminal) opens(name string) (stop func(), err error) {
	if err := checkDevice(name); err != nil {
		return nil, err
	}
	o := &opening{name: name, done: make(chan struct{})}
	guard.Go(func() {
		o.dev, o.err = openDevice(name, driver.OpenOptions{CloseTimeout: closeTimeout})
		close(o.done)
	}, func(failed *guard.Panic) {
		o.err = failed
		close(o.done)
	})
	t.opening = o
	return func() {
		if t.opening != o {
			return
		}
		t.opening = nil
		if <-o.done; o.dev != nil {
			o.dev.Close()
		}
	}, nil
}

// device returns the device that is opened already, or opens it.
func (t *terminal) device(name string) (driver.Device, error) {
	o := t.opening
	if o == nil || o.name != name {
		defer t.laps.done("device")
		return openDevice(name, driver.OpenOptions{CloseTimeout: closeTimeout})
	}
	t.opening = nil
	<-o.done
	t.laps.done("device (opened meanwhile)")
	return o.dev, o.err
}
