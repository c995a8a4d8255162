package exec

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
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
	groups := l.cmd.Grid.Total()
	// Every barrier is complete when a launch ends: a group that left one out would be missed.
	if n := uint64(binary.LittleEndian.Uint32(arrived)); n%groups != 0 {
		return &driver.Error{Op: "launch", Label: l.kernel.Label(), Device: x.GPU.Name(), Kind: driver.DeviceFault,
			Msg: fmt.Sprintf("%d arrivals at grid barriers are no multiple of its %d groups", n, groups), Fix: "let every group pass every barrier"}
	}
	return nil
}
