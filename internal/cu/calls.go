//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import (
	"bytes"
	"math"
	"runtime"
	"unsafe"
)

func (l *library) Init() error { return l.do(fnInit, 0) }

func (l *library) DriverGetVersion() (int, error) {
	v, err := l.word(fnDriverGetVersion)
	return int(int32(v)), err
}

func (l *library) DeviceGetCount() (int, error) {
	v, err := l.word(fnDeviceGetCount)
	return int(int32(v)), err
}

func (l *library) DeviceGet(ordinal int) (Device, error) {
	v, err := l.word(fnDeviceGet, uintptr(ordinal))
	return Device(int32(v)), err
}

func (l *library) DeviceGetName(d Device) (string, error) {
	fr := l.frame()
	fr.text = [256]byte{}
	fr.args[0], fr.args[1], fr.args[2] = address(&fr.text[0]), uintptr(len(fr.text)), uintptr(d)
	err := l.try(fnDeviceGetName, fr, 3)
	name, _, _ := bytes.Cut(fr.text[:], []byte{0})
	s := string(name)
	l.frames.Put(fr)
	return s, err
}

func (l *library) DeviceGetUuid(d Device) (UUID, error) {
	fr := l.frame()
	fr.args[0], fr.args[1] = address(&fr.text[0]), uintptr(d)
	err := l.try(fnDeviceGetUuid, fr, 2)
	id := UUID(fr.text[:16])
	l.frames.Put(fr)
	return id, err
}

func (l *library) DeviceTotalMem(d Device) (int64, error) {
	v, err := l.word(fnDeviceTotalMem, uintptr(d))
	return int64(v), err
}

func (l *library) DeviceGetAttribute(a Attribute, d Device) (int, error) {
	v, err := l.word(fnDeviceGetAttribute, uintptr(a), uintptr(d))
	return int(int32(v)), err
}

func (l *library) DevicePrimaryCtxRetain(d Device) (Context, error) {
	v, err := l.word(fnPrimaryCtxRetain, uintptr(d))
	return Context(v), err
}

func (l *library) DevicePrimaryCtxRelease(d Device) error {
	return l.do(fnPrimaryCtxRelease, uintptr(d))
}

func (l *library) DevicePrimaryCtxReset(d Device) error { return l.do(fnPrimaryCtxReset, uintptr(d)) }

func (l *library) CtxSetCurrent(c Context) error { return l.do(fnCtxSetCurrent, uintptr(c)) }

func (l *library) CtxPushCurrent(c Context) error { return l.do(fnCtxPushCurrent, uintptr(c)) }

func (l *library) CtxPopCurrent() (Context, error) {
	v, err := l.word(fnCtxPopCurrent)
	return Context(v), err
}

func (l *library) MemGetInfo() (free, total int64, err error) {
	fr := l.frame()
	fr.out = [2]uint64{}
	fr.args[0], fr.args[1] = address(&fr.out[0]), address(&fr.out[1])
	err = l.try(fnMemGetInfo, fr, 2)
	free, total = int64(fr.out[0]), int64(fr.out[1])
	l.frames.Put(fr)
	return free, total, err
}

func (l *library) MemAlloc(n int64) (Ptr, error) {
	v, err := l.word(fnMemAlloc, uintptr(n))
	return Ptr(v), err
}

func (l *library) MemFree(p Ptr) error { return l.do(fnMemFree, uintptr(p)) }

func (l *library) MemHostAlloc(n int64, flags uint32) (unsafe.Pointer, error) {
	fr := l.frame()
	fr.ptr = nil
	fr.args[0], fr.args[1], fr.args[2] = address(&fr.ptr), uintptr(n), uintptr(flags)
	err := l.try(fnMemHostAlloc, fr, 3)
	p := fr.ptr
	fr.ptr = nil
	l.frames.Put(fr)
	return p, err
}

func (l *library) MemFreeHost(p unsafe.Pointer) error { return l.do(fnMemFreeHost, uintptr(p)) }

func (l *library) MemHostGetDevicePointer(p unsafe.Pointer) (Ptr, error) {
	v, err := l.word(fnMemHostGetDevicePointer, uintptr(p), 0)
	return Ptr(v), err
}

func (l *library) MemHostRegister(p unsafe.Pointer, n int64, flags uint32) error {
	return l.do(fnMemHostRegister, uintptr(p), uintptr(n), uintptr(flags))
}

func (l *library) MemHostUnregister(p unsafe.Pointer) error {
	return l.do(fnMemHostUnregister, uintptr(p))
}

// pointerAttributes are what PointerGetAttributes asks for (CUpointer_attribute): the context, the type of memory, the device, and
// the start and the size of the allocation.
var pointerAttributes = [5]uint32{1, 2, 9, 11, 12}

func (l *library) PointerGetAttributes(p Ptr) (Pointee, error) {
	const at, out = 4, 12 // words of the frame: attributes, the places of answers, answers
	fr := l.frame()
	attributes := (*[len(pointerAttributes)]uint32)(unsafe.Pointer(&fr.node[0]))
	*attributes = pointerAttributes
	for i := range pointerAttributes {
		fr.node[out+i], fr.node[at+i] = 0, uint64(address(&fr.node[out+i]))
	}
	fr.args[0], fr.args[1], fr.args[2], fr.args[3] = uintptr(len(pointerAttributes)), address(&fr.node[0]), address(&fr.node[at]), uintptr(p)
	err := l.try(fnPointerGetAttributes, fr, 4)
	v := fr.node[out:]
	found := Pointee{Context: Context(v[0]), Memory: MemoryType(v[1]), Device: Device(int32(v[2])), Base: Ptr(v[3]), Bytes: int64(v[4])}
	l.frames.Put(fr)
	return found, err
}

func (l *library) MemcpyHtoDAsync(dst Ptr, src unsafe.Pointer, n int64, s Stream) error {
	err := l.do(fnMemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
	runtime.KeepAlive(src)
	return err
}

func (l *library) MemcpyDtoHAsync(dst unsafe.Pointer, src Ptr, n int64, s Stream) error {
	err := l.do(fnMemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
	runtime.KeepAlive(dst)
	return err
}

func (l *library) MemcpyDtoDAsync(dst, src Ptr, n int64, s Stream) error {
	return l.do(fnMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

func (l *library) MemsetD8Async(dst Ptr, v uint8, n int64, s Stream) error {
	return l.do(fnMemsetD8Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

func (l *library) MemsetD16Async(dst Ptr, v uint16, n int64, s Stream) error {
	return l.do(fnMemsetD16Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

func (l *library) MemsetD32Async(dst Ptr, v uint32, n int64, s Stream) error {
	return l.do(fnMemsetD32Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

func (l *library) ModuleUnload(m Module) error { return l.do(fnModuleUnload, uintptr(m)) }

func (l *library) ModuleGetFunction(m Module, name string) (Function, error) {
	text := append([]byte(name), 0)
	v, err := l.word(fnModuleGetFunction, uintptr(m), address(&text[0]))
	runtime.KeepAlive(text)
	return Function(v), err
}

func (l *library) FuncGetAttribute(a FuncAttribute, f Function) (int, error) {
	v, err := l.word(fnFuncGetAttribute, uintptr(a), uintptr(f))
	return int(int32(v)), err
}

func (l *library) FuncSetAttribute(f Function, a FuncAttribute, value int) error {
	return l.do(fnFuncSetAttribute, uintptr(f), uintptr(a), uintptr(value))
}

func (l *library) FuncLoad(f Function) error { return l.do(fnFuncLoad, uintptr(f)) }

func (l *library) OccupancyMaxActiveBlocksPerMultiprocessor(f Function, threads, dynamicShared int) (int, error) {
	v, err := l.word(fnOccupancy, uintptr(f), uintptr(threads), uintptr(dynamicShared))
	return int(int32(v)), err
}

func (l *library) LaunchKernel(k *Launch) error {
	fr := l.frame()
	fr.launch(k)
	err := l.call(fnLaunchKernel, fr, 11)
	runtime.KeepAlive(k)
	return err
}

func (l *library) LaunchCooperativeKernel(k *Launch) error {
	fr := l.frame()
	fr.launch(k)
	err := l.call(fnLaunchCooperativeKernel, fr, 10)
	runtime.KeepAlive(k)
	return err
}

func (fr *frame) launch(k *Launch) {
	fr.args = launchArgs(k)
}

// launchArgs are the arguments of a launch. The last, packed parameters, is none.
func launchArgs(k *Launch) [11]uintptr {
	return [11]uintptr{uintptr(k.Function),
		uintptr(k.Grid[0]), uintptr(k.Grid[1]), uintptr(k.Grid[2]),
		uintptr(k.Block[0]), uintptr(k.Block[1]), uintptr(k.Block[2]),
		uintptr(k.Shared), uintptr(k.Stream), address(k.Params)}
}

func (l *library) StreamCreate(flags uint32) (Stream, error) {
	v, err := l.word(fnStreamCreate, uintptr(flags))
	return Stream(v), err
}

func (l *library) StreamDestroy(s Stream) error     { return l.do(fnStreamDestroy, uintptr(s)) }
func (l *library) StreamSynchronize(s Stream) error { return l.do(fnStreamSynchronize, uintptr(s)) }

func (l *library) StreamQuery(s Stream) (bool, error) { return l.query(fnStreamQuery, uintptr(s)) }

func (l *library) StreamWaitEvent(s Stream, e Event) error {
	return l.do(fnStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

func (l *library) StreamWriteValue32(s Stream, at Ptr, v uint32) error {
	// The one flag of the header, a store without the fence, is not for this version of the function.
	return l.do(fnStreamWriteValue32, uintptr(s), uintptr(at), uintptr(v), 0)
}

func (l *library) EventCreate(flags uint32) (Event, error) {
	v, err := l.word(fnEventCreate, uintptr(flags))
	return Event(v), err
}

func (l *library) EventDestroy(e Event) error { return l.do(fnEventDestroy, uintptr(e)) }
func (l *library) EventRecord(e Event, s Stream) error {
	return l.do(fnEventRecord, uintptr(e), uintptr(s))
}

func (l *library) EventQuery(e Event) (bool, error) {
	return l.query(fnEventQuery, uintptr(e))
}

func (l *library) EventSynchronize(e Event) error { return l.do(fnEventSynchronize, uintptr(e)) }

func (l *library) EventElapsedTime(start, end Event) (float32, error) {
	v, err := l.word(fnEventElapsedTime, uintptr(start), uintptr(end))
	return math.Float32frombits(uint32(v)), err
}
