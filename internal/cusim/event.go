package cusim

import "github.com/govyre/vyre/internal/cu"

// event is a mark in a stream.
type event struct {
	dev    *device
	timing bool
	issued uint64 // records so far
	done   uint64 // the last that was reached
	at     int64  // virtual time of that
	stream *stream
}

// EventCreate makes an event.
func (d *Driver) EventCreate(flags uint32) (cu.Event, error) {
	const call = "cuEventCreate"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err == nil && flags&^(cu.EventBlockingSync|cu.EventDisableTiming) != 0 {
		err = failed(call, invalidValue)
	}
	if err == nil {
		err = d.leave(call)
	}
	if err != nil {
		return 0, err
	}
	h := cu.Event(d.handle())
	d.events[h] = &event{dev: v, timing: flags&cu.EventDisableTiming == 0}
	return h, nil
}

// EventDestroy ends an event; work that marks it or waits for it still runs.
func (d *Driver) EventDestroy(e cu.Event) error {
	const call = "cuEventDestroy_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.event(call, e); err != nil {
		return err
	}
	delete(d.events, e)
	return d.leave(call)
}

// event is bound for a call about an event.
func (d *Driver) event(call string, e cu.Event) (*event, error) {
	v, err := d.bound(call)
	if err != nil {
		return nil, err
	}
	ev := d.events[e]
	if ev == nil || ev.dev != v {
		return nil, failed(call, invalidHandle)
	}
	return ev, nil
}

// EventRecord marks the end of what the stream has to do now.
func (d *Driver) EventRecord(e cu.Event, h cu.Stream) error {
	const call = "cuEventRecord"
	d.mu.Lock()
	defer d.mu.Unlock()
	ev, err := d.event(call, e)
	if err != nil {
		return err
	}
	s, err := d.at(ev.dev, call, h)
	if err != nil {
		return err
	}
	ev.issued++
	ev.stream = s
	s.push(work{kind: record, event: ev, serial: ev.issued})
	return d.leave(call)
}

// EventQuery reports whether the work before the event's last record has ended.
func (d *Driver) EventQuery(e cu.Event) (bool, error) {
	const call = "cuEventQuery"
	d.mu.Lock()
	defer d.mu.Unlock()
	ev, err := d.event(call, e)
	if err != nil {
		return false, err
	}
	if ev.done < ev.issued {
		ev.dev.stir(ev.stream)
	}
	if err := ev.dev.broken(call); err != nil {
		return false, err
	}
	return ev.done == ev.issued, d.leave(call)
}

// EventSynchronize waits for the work before the event's last record.
func (d *Driver) EventSynchronize(e cu.Event) error {
	const call = "cuEventSynchronize"
	d.mu.Lock()
	defer d.mu.Unlock()
	ev, err := d.event(call, e)
	if err != nil {
		return err
	}
	ev.dev.await(ev.stream, func() bool { return ev.done == ev.issued || ev.dev.sticky != nil })
	if err := ev.dev.broken(call); err != nil {
		return err
	}
	ev.dev.settle()
	return d.leave(call)
}

// EventElapsedTime returns the virtual time between two events.
func (d *Driver) EventElapsedTime(start, end cu.Event) (float32, error) {
	const call = "cuEventElapsedTime"
	d.mu.Lock()
	defer d.mu.Unlock()
	a, err := d.event(call, start)
	if err != nil {
		return 0, err
	}
	b := d.events[end]
	switch {
	case b == nil || !a.timing || !b.timing || a.issued == 0 || b.issued == 0:
		return 0, failed(call, invalidHandle)
	case a.done < a.issued || b.done < b.issued:
		return 0, failed(call, cu.NotReady)
	}
	return float32(float64(b.at-a.at) / 1e6), d.leave(call)
}
