package sass_test

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// onSimulation runs texts on the simulated device, and returns the records of all launches of each.
func onSimulation(trials []trial) (outs [][]byte, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var errs []error
	check := func(err error) { errs = append(errs, err) }
	d := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	check(d.Init())
	dev, err := d.DeviceGet(0)
	check(err)
	ctx, err := d.DevicePrimaryCtxRetain(dev)
	check(err)
	check(d.CtxSetCurrent(ctx))
	texts := make([]*text, len(trials))
	for i := range trials {
		texts[i] = trials[i].text
	}
	var jit cu.JIT
	m, err := d.ModuleLoadDataEx([]byte(module(texts, 75)+"\x00"), &jit)
	if err != nil {
		return nil, fmt.Errorf("the simulated device: %w: %s", err, jit.Errors)
	}
	in, err := d.MemAlloc(invocations * inBytes)
	check(err)
	out, err := d.MemAlloc(invocations * outBytes)
	check(err)
	for i := range trials {
		f, err := d.ModuleGetFunction(m, texts[i].name)
		check(err)
		var all []byte
		for launch := range launches {
			check(d.MemcpyHtoDAsync(in, unsafe.Pointer(&trials[i].records[0]), invocations*inBytes, 0))
			check(d.MemsetD8Async(out, 0, invocations*outBytes, 0))
			values := trials[i].parameters(launch, uint64(in), uint64(out))
			params := &[5]unsafe.Pointer{}
			for k, at := range []int{0, 8, 16, 20, 24} {
				params[k] = unsafe.Pointer(&values[at])
			}
			check(d.LaunchKernel(&cu.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{invocations, 1, 1}, Params: &params[0]}))
			got := make([]byte, invocations*outBytes)
			check(d.MemcpyDtoHAsync(unsafe.Pointer(&got[0]), out, int64(len(got)), 0))
			check(d.StreamSynchronize(0))
			all = append(all, got...)
		}
		outs = append(outs, all)
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("the simulated device, %s: %w", texts[i].name, err)
		}
	}
	return outs, nil
}
