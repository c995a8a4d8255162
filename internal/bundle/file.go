package bundle

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/ir"
)

const (
	magic   = "VYREBDL\x01"
	version = 2
	head    = 96
	checked = 64 // bytes that the checksum covers
	align   = 64 // of payloads
)

// Magic begins every bundle.
const Magic = magic

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func aligned(n int) int { return (n + align - 1) &^ (align - 1) }

// Write returns the file of kernels, whose labels differ, and of sequences of them.
func Write(kernels []*Kernel, sequences []*Sequence) ([]byte, error) {
	sequences = slices.SortedFunc(slices.Values(sequences), func(a, b *Sequence) int { return cmp.Compare(a.label, b.label) })
	kernels = slices.SortedFunc(slices.Values(kernels), func(a, b *Kernel) int { return cmp.Compare(a.label, b.label) })
	for _, k := range kernels {
		slices.SortFunc(k.Forms, func(a, b Form) int { return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Kind, b.Kind)) })
	}
	index := indexOf(kernels, sequences, head+len(indexOf(kernels, sequences, 0))) // offsets have the same length whatever they are
	b := append(make([]byte, head, head+len(index)), index...)
	for _, k := range kernels {
		for i := range k.Forms {
			b = append(b, make([]byte, aligned(len(b))-len(b))...)
			b = append(b, k.Forms[i].payload...)
		}
	}
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(len(kernels)))
	le.PutUint64(b[16:], uint64(len(index)))
	le.PutUint64(b[24:], uint64(len(b)))
	hash := blake3.Sum256(index)
	copy(b[32:], hash[:])
	le.PutUint32(b[checked:], crc32.Checksum(b[:checked], castagnoli))
	if _, _, err := Read(string(b)); err != nil {
		return nil, err
	}
	return b, nil
}

// writer appends the index.
type writer struct{ b []byte }

func (w *writer) u8(v uint8)   { w.b = append(w.b, v) }
func (w *writer) u32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }
func (w *writer) u64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *writer) text(s string) {
	w.u32(uint32(len(s)))
	w.b = append(w.b, s...)
}

// indexOf returns the index, of payloads behind at.
func indexOf(kernels []*Kernel, sequences []*Sequence, at int) []byte {
	var w writer
	numbers := make(map[string]uint32, len(kernels))
	for i, k := range kernels {
		numbers[k.label] = uint32(i)
		w.text(k.label)
		w.b = append(w.b, k.Digest[:]...)
		for _, n := range k.Workgroup {
			w.u32(n)
		}
		w.u8(k.Flags)
		w.text(k.File)
		w.u32(k.Line)
		w.u32(uint32(len(k.Spans)))
		for _, tag := range slices.Sorted(maps.Keys(k.Spans)) {
			w.u32(tag)
			w.text(k.Spans[tag].Message())
		}
		w.u32(uint32(len(k.Params)))
		for i := range k.Params {
			w.param(&k.Params[i])
		}
		w.u32(uint32(len(k.Codes)))
		for i := range k.Codes {
			w.code(&k.Codes[i])
		}
		w.text(string(k.Packed))
		w.u32(uint32(len(k.Forms)))
		for i := range k.Forms {
			f := &k.Forms[i]
			w.u32(uint32(f.Target))
			w.u8(uint8(f.Kind))
			w.text(f.Options)
			w.u32(f.Code)
			at = aligned(at)
			w.u64(uint64(at))
			w.u64(uint64(len(f.payload)))
			w.b = append(w.b, f.hash[:]...)
			at += len(f.payload)
		}
	}
	if len(sequences) > 0 {
		w.u32(uint32(len(sequences)))
	}
	for _, s := range sequences {
		w.sequence(s, numbers)
	}
	return w.b
}

func (w *writer) param(p *ir.Param) {
	w.text(p.Name)
	w.u8(uint8(p.Type))
	w.u8(uint8(p.Access))
	w.u8(p.Align)
	w.u64(p.MaxLen)
	if p.Record == nil {
		w.u32(0)
		return
	}
	w.u32(uint32(p.Record.Stride))
	w.u8(p.Record.Align)
	w.u32(uint32(len(p.Record.Fields)))
	for _, f := range p.Record.Fields {
		pad := uint8(0)
		if f.Pad {
			pad = 1
		}
		w.u8(uint8(f.Type))
		w.u32(uint32(f.Offset))
		w.u32(uint32(f.Count))
		w.u8(pad)
		w.text(f.Name)
	}
}

func (w *writer) code(c *Code) {
	w.text(c.Entry)
	for _, s := range c.Slots {
		w.u32(uint32(s.Offset))
		w.u32(uint32(s.Len))
		w.u32(uint32(s.Size))
	}
	for _, n := range []uint32{uint32(c.Grid), uint32(c.Trap), uint32(c.Trace), c.Bytes, c.Static, c.Dynamic, c.RestElem, uint32(len(c.Firsts))} {
		w.u32(n)
	}
	for _, n := range c.Firsts {
		w.u32(n)
	}
	w.u32(uint32(len(c.Sites)))
	for _, s := range c.Sites {
		w.u32(s.Row)
		w.text(s.Where)
		w.text(s.Message)
	}
}

// Read returns the kernels and the sequences of a file, by ascending label. Payloads are not looked at yet.
func Read(data string) ([]*Kernel, []*Sequence, error) {
	no := func(format string, args ...any) ([]*Kernel, []*Sequence, error) {
		return nil, nil, fmt.Errorf("bundle: "+format, args...)
	}
	if len(data) < head {
		return no("%d bytes, the head of a bundle has %d", len(data), head)
	}
	h := []byte(data[:head])
	le := binary.LittleEndian
	index, size := le.Uint64(h[16:]), le.Uint64(h[24:])
	switch sum := crc32.Checksum(h[:checked], castagnoli); {
	case string(h[:8]) != magic:
		return no("it begins with %q, a bundle with %q", h[:8], magic)
	case le.Uint32(h[8:]) != version:
		return no("it is of version %d, and this program reads version %d", le.Uint32(h[8:]), version)
	case sum != le.Uint32(h[checked:]):
		return no("its head is damaged")
	case !zeros(data[checked+4 : head]):
		return no("its head is damaged behind the checksum")
	case size != uint64(len(data)):
		return no("it has %d bytes of %d", len(data), size)
	case index > uint64(len(data)-head):
		return no("its index of %d bytes is longer than the file", index)
	}
	b := []byte(data[head : head+int(index)])
	if hash := blake3.Sum256(b); string(hash[:]) != string(h[32:64]) {
		return no("its index is damaged")
	}
	r := reader{b: b, file: data, end: head + len(b), of: "kernel"}
	n := r.count(le.Uint32(h[12:]), leastKernel)
	kernels := make([]*Kernel, 0, n)
	for range n {
		k := r.kernel()
		if len(kernels) > 0 && k.label <= kernels[len(kernels)-1].label {
			r.wrong("the labels do not ascend")
		}
		kernels = append(kernels, k)
	}
	var sequences []*Sequence
	if len(r.b) > 0 { // a bundle of kernels alone ends here
		if n = r.count(r.u32(), leastSequence); n == 0 {
			r.wrong("it lists no sequences")
		}
		for range n {
			s := r.sequence(kernels)
			if len(sequences) > 0 && s.label <= sequences[len(sequences)-1].label {
				r.wrong("the labels do not ascend")
			}
			sequences = append(sequences, s)
		}
	}
	switch {
	case r.err != nil:
		return nil, nil, r.err
	case len(r.b) > 0:
		return no("%d bytes are left of its index", len(r.b))
	case r.end != len(data):
		return no("%d bytes are left behind its payloads", len(data)-r.end)
	}
	return kernels, sequences, nil
}

func zeros(s string) bool {
	for i := range len(s) {
		if s[i] != 0 {
			return false
		}
	}
	return true
}
