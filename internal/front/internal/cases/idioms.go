package cases

import (
	"bytes"

	"github.com/govyre/vyre/gpu"
)

type label string

func occurrences(b []uint8, s string) (n uint32) {
	for len(b) > len(s) {
		if s == "" || bytes.Equal(b[:len(s)], []byte(s)) {
			n++
		}
		b = b[1:]
	}
	return
}

func oneOf[S ~string](c uint8, s S) bool {
	for _, r := range s {
		if rune(c) == r {
			return true
		}
	}
	return false
}

func numbered(s string) uint32 {
	switch s {
	case "one":
		return 1
	case "two", "tw" + "ice":
		return 2
	}
	return uint32(len(s))
}

// Strings uses constant texts as variables and arguments, and makes bytes of them.
//
//vyre:kernel workgroup=32
func Strings(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	const digits = "0123456789abcdef"
	s := "hello"
	mid := s[1:4]
	buf := make([]byte, 0, 40)
	for k := range 8 {
		buf = append(buf, digits[in[i]>>(4*k)&15])
	}
	buf = append(buf, s...)
	n := copy(buf[in[i]%8:], mid+"!")
	buf = append(buf, "日本"...)
	h := uint32(n) + occurrences(buf, "el")<<4 + occurrences(buf, "")<<8 + numbered("twice")<<16 + numbered(s)<<20
	for k, c := range "aé\xff€b" {
		h = h*31 + uint32(k)*7 + uint32(c)
	}
	text, none := []byte("text"), ""
	text[in[i]%4] = 'X'
	for _, c := range append(buf, text...) {
		if oneOf(c, label("aeiou")) || oneOf(c, digits[:3]) {
			h = h*31 + uint32(c)
		}
	}
	for _, r := range []rune("añ€") {
		h = h*7 + uint32(r)
	}
	if s < "hallo" || none != "" || s+none != "hello" {
		h++
	}
	out[i] = h + uint32(copy(buf, none)+len([]byte(none)))
}

type celsius int32

func (c celsius) warm() bool { return c > 20 }

func encoded[T uint8 | uint16 | uint32 | float32 | celsius](v T) (n uint32) {
	switch v := any(v).(type) {
	case uint8:
		v += 8
		return uint32(v)
	case uint16, uint32:
		if n = 16; width[T]() > 2 {
			break
		}
		n++
	case interface{ warm() bool }:
		n = 77
	case float32:
		n = uint32(v * 2)
	}
	if u, ok := any(v).(uint32); ok {
		n += u
	}
	return n + width[T]()<<8
}

func width[T any]() uint32 {
	var z T
	switch any(z).(type) {
	case uint8, int8, bool:
		return 1
	case uint16:
		return 2
	default:
		return 4
	}
}

func crossed[A, B any](a A, b B) uint32 {
	type both struct {
		b B
		a [2]A
	}
	p := both{b, [2]A{1: a}}
	if u, ok := any(p.a[1]).(uint8); ok {
		return uint32(u) + any(p.b).(uint32)
	}
	return uint32(any(p.b).(uint8)) * 3
}

// TypeSwitches asks for the types of type parameters.
//
//vyre:kernel workgroup=32
func TypeSwitches(t gpu.Thread, in, out []uint32) {
	if i := t.Global().X; i < uint32(len(in)) {
		x := in[i]
		out[i] = encoded(x) + encoded(uint8(x))*3 + encoded(uint16(x))*5 + encoded(float32(x>>8))*7 + encoded(celsius(x))*9 +
			crossed(uint8(x), x)*11 + crossed(x, uint8(x))*13
	}
}

func addOne(x uint32) uint32 { return x + 1 }

// FuncArrays ranges over arrays of functions, and assigns at computed indices of them.
//
//vyre:kernel workgroup=32
func FuncArrays(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x, n := in[i], in[i]>>5
	fs := [4]func(uint32) uint32{0: addOne, 3: func(v uint32) uint32 { n++; return v ^ n }}
	fs[x&3] = func(v uint32) uint32 { return v * 3 }
	fs[x>>2&3] = fs[x>>4&3]
	k := x >> 6 & 3
	fs[k], k = addOne, 0
	h := k
	for j, f := range fs {
		if f == nil {
			h += 1 << j
			continue
		}
		h = h*31 + f(uint32(j)+5)
	}
	out[i] = h + n
}

// AppendsFirst has append beside reads of what it writes.
//
//vyre:kernel workgroup=32
func AppendsFirst(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	a := [4]uint32{in[i], 2, 3, 4}
	s := a[:1]
	h := a[1] + uint32(len(append(s, in[i]>>3)))*100 + a[1]
	a[1] = 2
	h = h*31 + s[:2][1] + grown(s, 9)
	b := [3]uint32{a[1], append(s, 11)[1], a[1]}
	h = h*31 + b[0] + b[1]*16 + b[2]*256
	w := []uint32{1, a[1], 3, a[1]}[grown(s, in[i])&1:]
	h = h*31 + w[0] + w[2]*5
	r := a[:3]
	short := func() int {
		r = r[1:]
		return 1
	}
	h = h*31 + r[short():][0]
	k := 0
	next := func() int {
		k++
		return k + 1
	}
	h = h*31 + uint32(len(a[k:next()]))
	h = h*31 + uint32(len(a[k-1:next()]))
	k = 0
	h = h*31 + a[k : next()+k][0]
	for _, v := range a {
		h = h*31 + v + grown(s[:2], v+1)
	}
	out[i] = h
}

func grown(s []uint32, v uint32) uint32 { return uint32(len(append(s, v))) }
