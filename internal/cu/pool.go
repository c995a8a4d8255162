//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import "unsafe"

func (l *library) MemPoolCreate(d Device) (MemPool, error) {
	fr := l.frame()
	*node[poolProps](fr) = poolProps{allocation: allocationPinned, location: locationDevice, device: int32(d)}
	fr.out[0] = 0
	fr.args[0], fr.args[1] = address(&fr.out[0]), address(&fr.node[0])
	err := l.try(fnMemPoolCreate, fr, 2)
	p := MemPool(fr.out[0])
	l.frames.Put(fr)
	return p, err
}

func (l *library) MemPoolDestroy(p MemPool) error { return l.do(fnMemPoolDestroy, uintptr(p)) }

func (l *library) MemPoolTrimTo(p MemPool, keep int64) error {
	return l.do(fnMemPoolTrimTo, uintptr(p), uintptr(keep))
}

func (l *library) MemPoolSetAttribute(p MemPool, a MemPoolAttribute, v uint64) error {
	fr := l.frame()
	fr.out[0] = v
	fr.args[0], fr.args[1], fr.args[2] = uintptr(p), uintptr(a), address(&fr.out[0])
	return l.call(fnMemPoolSetAttribute, fr, 3)
}

func (l *library) MemPoolGetAttribute(p MemPool, a MemPoolAttribute) (uint64, error) {
	fr := l.frame()
	fr.out[0] = 0
	fr.args[0], fr.args[1], fr.args[2] = uintptr(p), uintptr(a), address(&fr.out[0])
	err := l.try(fnMemPoolGetAttribute, fr, 3)
	v := fr.out[0]
	l.frames.Put(fr)
	return v, err
}

func (l *library) MemAllocFromPoolAsync(n int64, p MemPool, s Stream) (Ptr, error) {
	v, err := l.word(fnMemAllocFromPoolAsync, uintptr(n), uintptr(p), uintptr(s))
	return Ptr(v), err
}

func (l *library) MemFreeAsync(p Ptr, s Stream) error {
	return l.do(fnMemFreeAsync, uintptr(p), uintptr(s))
}

// node is the room for a structure in the frame, which is as large as the largest one.
func node[T any](fr *frame) *T { return (*T)(unsafe.Pointer(&fr.node)) }
