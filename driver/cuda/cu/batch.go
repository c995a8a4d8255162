//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import "runtime"

// batchCalls is how many calls one crossing from Go to C makes at most. A goroutine that has crossed does nothing else
// until it is back, for 3 µs a launch where the driver's queue is full.
const batchCalls = 64

// batch holds the arguments of many calls, as callAll takes them.
type batch [batchCalls]struct {
	fn   uintptr
	args [11]uintptr
}

// LaunchKernels crosses from Go to C once for many launches: that takes 60 to 100 ns, and what follows
// starts with cold branches, where a launch itself takes 2 to 3 µs.
func (l *library) LaunchKernels(list []*Launch) (started int, err error) {
	if callAllEntry == 0 || len(list) == 1 {
		for _, k := range list {
			if err := l.LaunchKernel(k); err != nil {
				return started, err
			}
			started++
		}
		return started, nil
	}
	fr := l.frame()
	for started < len(list) && err == nil {
		n := min(batchCalls, len(list)-started)
		for i, k := range list[started : started+n] {
			fr.many[i].fn, fr.many[i].args = l.addr[fnLaunchKernel], launchArgs(k)
		}
		fr.args[0], fr.args[1] = address(&fr.many), uintptr(n)
		made := l.cross(callAllEntry, fr, 2)
		started += int(made >> 32)
		if res := Result(int32(uint32(made))); res != Success {
			err = &CallError{symbols[fnLaunchKernel].name, res}
		}
	}
	runtime.KeepAlive(list)
	l.frames.Put(fr)
	return started, err
}
