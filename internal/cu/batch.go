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

// crossing makes the first n calls of fr.many by one crossing, until one fails. It returns how many did not, and what
// that one returned.
func (l *library) crossing(fr *frame, n int) (made int, res Result) {
	fr.args[0], fr.args[1] = address(&fr.many), uintptr(n)
	r := l.cross(callAllEntry, fr, 2)
	return int(r >> 32), Result(int32(uint32(r)))
}

// LaunchKernels crosses from Go to C once for many launches: a crossing takes 80 ns, the launch itself 2 to 3 µs.
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
		made, res := l.crossing(fr, n)
		if started += made; res != Success {
			err = &CallError{symbols[fnLaunchKernel].name, res}
		}
	}
	runtime.KeepAlive(list)
	l.frames.Put(fr)
	return started, err
}

// runCalls are what GraphRun calls.
var runCalls = [...]fn{fnCtxSetCurrent, fnGraphLaunch, fnStreamWriteValue32}

func (l *library) GraphRun(g *GraphRun) (made int, err error) {
	if callAllEntry == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for _, call := range []func() error{
			func() error { return l.CtxSetCurrent(g.Context) },
			func() error { return l.GraphLaunch(g.Exec, g.Stream) },
			func() error { return l.StreamWriteValue32(g.Stream, g.Word, g.Value) },
		} {
			if err := call(); err != nil {
				return made, err
			}
			made++
		}
		return made, nil
	}
	fr := l.frame()
	for i, f := range runCalls {
		if l.addr[f] == 0 {
			l.frames.Put(fr)
			return 0, &CallError{symbols[f].name, NotSupported} // the caller did not ask Has
		}
		fr.many[i].fn = l.addr[f]
	}
	fr.many[0].args[0] = uintptr(g.Context)
	fr.many[1].args[0], fr.many[1].args[1] = uintptr(g.Exec), uintptr(g.Stream)
	w := &fr.many[2].args
	w[0], w[1], w[2], w[3] = uintptr(g.Stream), uintptr(g.Word), uintptr(g.Value), 0
	made, res := l.crossing(fr, len(runCalls))
	if res != Success {
		err = &CallError{symbols[runCalls[made]].name, res}
	}
	l.frames.Put(fr)
	return made, err
}
