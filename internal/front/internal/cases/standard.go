package cases

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/govyre/vyre/gpu"
)

// Codes reads and writes numbers in both byte orders.
//
//vyre:kernel workgroup=32
func Codes(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var b [16]byte
	binary.LittleEndian.PutUint32(b[:], in[i])
	binary.BigEndian.PutUint32(b[4:], in[i])
	binary.BigEndian.PutUint64(b[8:], uint64(in[i])*0x123456789)
	x := binary.BigEndian.Uint32(b[1:]) + binary.LittleEndian.Uint32(b[6:10])
	y := binary.LittleEndian.Uint64(b[8:]) ^ binary.BigEndian.Uint64(b[3:])
	binary.LittleEndian.PutUint16(b[2:], uint16(y))
	binary.BigEndian.PutUint16(b[9:], uint16(y>>9))
	binary.LittleEndian.PutUint64(b[5:], y+binary.LittleEndian.Uint64(b[6:]))
	x += uint32(binary.BigEndian.Uint16(b[2:])) + uint32(binary.LittleEndian.Uint16(b[3:]))
	out[i] = x ^ uint32(y>>32) ^ binary.BigEndian.Uint32(b[7:])
}

// Bytes searches and compares bytes.
//
//vyre:kernel workgroup=32
func Bytes(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	a := make([]byte, 12)
	for k := range a {
		a[k] = byte('a' + in[i]>>(k*2)&3)
	}
	p := []byte{'a', 'b'}
	x := uint32(bytes.Index(a, p)+1) + uint32(bytes.IndexByte(a, 'd')+1)<<4 + uint32(bytes.LastIndexByte(a, 'b')+1)<<8
	if bytes.HasPrefix(a, p) {
		x |= 1 << 12
	}
	if bytes.HasSuffix(a, p[1:]) {
		x |= 1 << 13
	}
	if bytes.Contains(a, a[3:5]) && bytes.Equal(a[:1], a[3:4]) {
		x |= 1 << 14
	}
	x += uint32(bytes.Compare(a[:2], a[6:])+1) << 16
	out[i] = x + uint32(bytes.Index(a, nil))
}

// Runes decodes and encodes, text that is no UTF-8 too.
//
//vyre:kernel workgroup=32
func Runes(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], in[i])
	n := utf8.EncodeRune(b[4:], rune(in[i]&0x1FFFFF))
	r, size := utf8.DecodeRune(b[:4])
	x := uint32(r) + uint32(size)*0x1000193 + uint32(utf8.RuneCount(b[:4+n]))<<24
	q, size := utf8.DecodeRune(b[4 : 4+n])
	x ^= uint32(q)*31 + uint32(size)
	q, size = utf8.DecodeRune(b[4 : 4+n/2])
	x ^= uint32(q)*37 + uint32(size)
	if utf8.Valid(b[:4]) {
		x++
	}
	if utf8.ValidRune(rune(in[i])) {
		x += 100
	}
	out[i] = x + uint32(utf8.RuneLen(rune(in[i]&0x1FFFFF)))
}

// Searches sorts, searches and compares.
//
//vyre:kernel workgroup=32
func Searches(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	s := make([]uint32, 10)
	for k := range s {
		s[k] = in[i] >> (3 * k) & 63
	}
	top, low := slices.Max(s), slices.Min(s)
	slices.Sort(s)
	at := sort.Search(len(s), func(k int) bool { return s[k] >= 20 })
	k, found := sort.Find(len(s), func(k int) int { return cmp.Compare(7, s[k]) })
	x := uint32(at) + uint32(k)<<4 + top<<8 + low<<16 + cmp.Or(0, s[1], 5)<<24
	if found && slices.IsSorted(s) {
		x ^= 1 << 31
	}
	if slices.Equal(s[:3], s[1:4]) {
		x ^= 1 << 30
	}
	out[i] = x
}

// Varints reads what it wrote, and bytes that may be no number.
//
//vyre:kernel workgroup=32
func Varints(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	var b [binary.MaxVarintLen64 + 2]byte
	n := binary.PutUvarint(b[:], uint64(x)<<32>>(x%40))
	v, m := binary.Uvarint(b[:n-int(x>>7&1)])
	h := uint32(v) ^ uint32(v>>32)*3 + uint32(m)*5
	n = binary.PutVarint(b[:], int64(int32(x))<<(x%32))
	w, _ := binary.Varint(b[:n])
	h = h*31 + uint32(w>>16)
	a := binary.LittleEndian.AppendUint64(b[:0], uint64(x)*0x9E3779B97F4A7C15|0x8080808080808080)
	a = binary.BigEndian.AppendUint16(a, uint16(x)|0x8000)
	a = binary.BigEndian.AppendUint16(a[:9+x%2], uint16(x>>4)&0x81FF)
	v, m = binary.Uvarint(a)
	h = h*31 + uint32(v>>20) + uint32(m)
	a = binary.LittleEndian.AppendUint16(binary.BigEndian.AppendUint64(a[:0], uint64(x)<<9), uint16(x))
	a = binary.BigEndian.AppendUint32(binary.LittleEndian.AppendUint32(a[:2], x), x>>3)
	for _, c := range a {
		h = h*31 + uint32(c)
	}
	out[i] = h
}
