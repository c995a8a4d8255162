package exec

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/ptx"
)

// watched waits for the command just enqueued, so that what goes wrong is told of that one. Only
// a device that is being debugged does that.
func (r *flight) watched(o *op) error {
	x, arrived := r.x, r.transfers.arrived
	if err := x.GPU.Driver.StreamSynchronize(r.Stream.Handle); err != nil {
		return err
	}
	l := o.launch
	if l == nil || l.barrier < 0 || l.empty() {
		return nil
	}
	at := cu.Ptr(l.values[l.barrier])
	if err := x.GPU.Driver.MemcpyDtoHAsync(unsafe.Pointer(&arrived[0]), at, int64(len(arrived)), r.Stream.Handle); err != nil {
		return err
	}
	if err := x.GPU.Driver.StreamSynchronize(r.Stream.Handle); err != nil {
		return err
	}
	// Every barrier is complete when a launch ends: a group that left one out would be missed.
	complete := func(at int, what string, groups uint64) error {
		if n := uint64(binary.LittleEndian.Uint32(arrived[at:])); n%groups != 0 {
			return &driver.Error{Op: "launch", Label: l.kernel.Label(), Device: x.GPU.Name(), Kind: driver.DeviceFault,
				Msg: fmt.Sprintf("%d arrivals at %s are no multiple of its %d groups", n, what, groups), Fix: "let every group pass every barrier"}
		}
		return nil
	}
	groups := l.cmd.Grid.Total()
	err := complete(0, "grid barriers", groups)
	for i, k := range l.code.Params.Firsts {
		if err == nil {
			err = complete(ptx.FirstArrivals(i), fmt.Sprintf("barriers of the first %d groups", k), min(uint64(k), groups))
		}
	}
	return err
}
