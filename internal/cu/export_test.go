//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import "unsafe"

// Layout is the size of each structure, and the offsets in it.
var Layout = map[string]uintptr{
	"kernel node": unsafe.Sizeof(kernelParams{}), "kernel node: grid": unsafe.Offsetof(kernelParams{}.grid), "kernel node: block": unsafe.Offsetof(kernelParams{}.block),
	"kernel node: shared": unsafe.Offsetof(kernelParams{}.shared), "kernel node: params": unsafe.Offsetof(kernelParams{}.params),
	"kernel node: kernel": unsafe.Offsetof(kernelParams{}.kernel), "kernel node: context": unsafe.Offsetof(kernelParams{}.context),
	"memset node": unsafe.Sizeof(memsetParams{}), "memset node: pitch": unsafe.Offsetof(memsetParams{}.pitch), "memset node: value": unsafe.Offsetof(memsetParams{}.value),
	"memset node: width": unsafe.Offsetof(memsetParams{}.width), "memset node: n": unsafe.Offsetof(memsetParams{}.n), "memset node: height": unsafe.Offsetof(memsetParams{}.height),
	"copy": unsafe.Sizeof(copyParams{}), "copy: source kind": unsafe.Offsetof(place{}.memory), "copy: source host": unsafe.Offsetof(place{}.host),
	"copy: source device": unsafe.Offsetof(place{}.device), "copy: source pitch": unsafe.Offsetof(place{}.pitch), "copy: destination": unsafe.Offsetof(copyParams{}.dst),
	"copy: destination kind":   unsafe.Offsetof(copyParams{}.dst) + unsafe.Offsetof(place{}.memory),
	"copy: destination host":   unsafe.Offsetof(copyParams{}.dst) + unsafe.Offsetof(place{}.host),
	"copy: destination device": unsafe.Offsetof(copyParams{}.dst) + unsafe.Offsetof(place{}.device),
	"copy: bytes":              unsafe.Offsetof(copyParams{}.bytes), "copy: height": unsafe.Offsetof(copyParams{}.height), "copy: depth": unsafe.Offsetof(copyParams{}.depth),
	"conditional": unsafe.Sizeof(conditionalParams{}), "conditional: kind": unsafe.Offsetof(conditionalParams{}.kind), "conditional: size": unsafe.Offsetof(conditionalParams{}.size),
	"conditional: bodies": unsafe.Offsetof(conditionalParams{}.bodies), "conditional: context": unsafe.Offsetof(conditionalParams{}.context),
	"node": unsafe.Sizeof(nodeParams{}), "node: conditional": unsafe.Offsetof(nodeParams{}.conditional),
	"pool": unsafe.Sizeof(poolProps{}), "pool: location": unsafe.Offsetof(poolProps{}.location), "pool: device": unsafe.Offsetof(poolProps{}.device),
	"pool: security": unsafe.Offsetof(poolProps{}.security), "pool: most": unsafe.Offsetof(poolProps{}.most),
	"launch attribute": unsafe.Sizeof(launchAttribute{}), "launch attribute: value": unsafe.Offsetof(launchAttribute{}.value),
}

// CallAll makes calls, each of a function and eleven arguments, by one crossing if the platform can.
func CallAll(calls [][12]uintptr) (made int, res int32) {
	l := &library{}
	fr := new(frame)
	if callAllEntry == 0 {
		for made = range calls {
			copy(fr.args[:], calls[made][1:])
			if res = int32(l.cross(calls[made][0], fr, 11)); res != 0 {
				return made, res
			}
		}
		return len(calls), 0
	}
	for i, c := range calls {
		fr.many[i].fn = c[0]
		copy(fr.many[i].args[:], c[1:])
	}
	fr.args[0], fr.args[1] = address(&fr.many), uintptr(len(calls))
	r := l.cross(callAllEntry, fr, 2)
	return int(r >> 32), int32(r)
}

// Simple returns a library in which every function is the C function at addr.
func Simple(addr uintptr) Driver {
	l := &library{}
	l.frames.New = func() any { return new(frame) }
	for f := range l.addr {
		l.addr[f] = addr
	}
	return l
}

// With returns a library whose function of that name is the C function at addr.
func With(name string, addr uintptr) Driver {
	l := Simple(0).(*library)
	for f, s := range symbols {
		if s.name == name {
			l.addr[f] = addr
		}
	}
	return l
}
