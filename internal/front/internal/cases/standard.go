package cases

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"unicode"
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

// Cuts takes bytes apart.
//
//vyre:kernel workgroup=32
func Cuts(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var b [12]byte
	for k := range b {
		b[k] = " \tab\n\xc2\x85\xe2\x80\x83z,"[in[i]>>(2*k)%12]
	}
	s := b[:]
	sep := []byte{','}
	before, after, found := bytes.Cut(s, sep)
	x := uint32(len(before)) + uint32(len(after))<<4 + uint32(bytes.Count(s, sep))<<8
	if found {
		x ^= 1 << 31
	}
	x += uint32(bytes.Count(s, nil))<<12 + uint32(bytes.LastIndex(s, b[2:3]))<<16
	trimmed := bytes.TrimSpace(s)
	x = x*31 + uint32(len(trimmed))
	if bytes.ContainsFunc(trimmed, unicode.IsSpace) {
		x ^= 1 << 30
	}
	trimmed = bytes.TrimPrefix(bytes.TrimSuffix(trimmed, []byte{'z'}), []byte{'a'})
	x = x*31 + uint32(len(trimmed)) + uint32(bytes.IndexFunc(trimmed, unicode.IsControl)+1)<<5
	for len(s) > 0 {
		r, n := utf8.DecodeLastRune(s)
		x = x*17 + uint32(r) + uint32(n)
		if utf8.FullRune(s[len(s)-n:]) != utf8.FullRune(s[:min(2, len(s))]) {
			x++
		}
		s = s[:len(s)-n]
	}
	var room [16]byte
	list := utf8.AppendRune(utf8.AppendRune(room[:2], rune(in[i]&0x1FFFFF)), 'é')
	out[i] = x*31 + uint32(len(list)) + uint32(list[3])<<8
}

// Shorter takes elements out of slices, and compares.
//
//vyre:kernel workgroup=32
func Shorter(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var a [12]int
	for k := range a {
		a[k] = int(in[i] >> (2 * k) & 7)
	}
	b := a
	order := func(x, y int) int { return cmp.Compare(x>>1, y>>1) }
	slices.SortStableFunc(b[:], order)
	x := uint32(slices.Compare(a[:], b[:])+1) + uint32(slices.MaxFunc(a[:], order)) + uint32(slices.MinFunc(a[:], order))<<3
	for _, v := range b {
		x = x*8 + uint32(v)
	}
	c := a
	s := slices.Compact(c[:])
	x = x*31 + uint32(len(s)) + uint32(c[11])
	s = slices.DeleteFunc(s, func(v int) bool { return v&3 == 1 })
	if len(s) > 3 {
		s = slices.Delete(s, 1, 3)
	}
	for k, v := range s {
		x += uint32(v) << k
	}
	sort.Ints(a[:])
	f := [3]float64{float64(in[i]), -1, float64(in[i] % 3)}
	sort.Float64s(f[:])
	x += uint32(sort.SearchInts(a[:], 3))<<8 + uint32(f[1])<<12 + uint32(sort.SearchFloat64s(f[:], 1))<<20
	if sort.IntsAreSorted(a[:]) && !sort.IntsAreSorted(b[:]) {
		x ^= 1 << 29
	}
	out[i] = x
}

func leading(s []byte, most int) (v int, rest []byte, ok bool) {
	for len(s) > 0 && most > 0 && s[0] >= '0' && s[0] <= '9' {
		v, most, ok = v*10+int(s[0]-'0'), most-1, true
		s = s[1:]
	}
	if !ok {
		return 0, s, false
	}
	return v, s, true
}

func skip(s []byte, c byte) []byte {
	if len(s) == 0 || s[0] != c {
		return s
	}
	return s[1:]
}

// Parsed reads numbers from bytes, by helpers that return what is left.
//
//vyre:kernel workgroup=32
func Parsed(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var b [16]byte
	for k := range b {
		b[k] = "0123456789-:-:x1"[in[i]>>(2*k)&15]
	}
	s, x := b[:], uint32(0)
	for range 5 {
		v, ok := 0, false
		v, s, ok = leading(s, 3)
		if !ok {
			s = skip(skip(s, '-'), ':')
			x++
		}
		x = x*37 + uint32(v) + uint32(len(s))
	}
	s = skip(s, 'x')
	out[i] = x + uint32(len(s))<<24
}
