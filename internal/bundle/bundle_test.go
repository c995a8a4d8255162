package bundle_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
	"lukechampine.com/blake3"
)

// sample is two kernels with something of everything.
func sample() []*bundle.Kernel {
	a := bundle.New("Fill[uint8]")
	a.Digest, a.Workgroup, a.Flags = [32]byte{1, 2}, [3]uint32{16, 16, 1}, 2
	a.Params = []ir.Param{
		{Name: "n", Type: ir.F16},
		{Name: "x", Type: ir.U8, Access: ir.RW, Align: 4, MaxLen: 1 << 40},
		{Name: "r", Access: ir.RO, Record: &ir.Record{Stride: 12, Align: 2, Fields: []ir.RecordField{{Type: ir.U32, Count: 2, Name: "a"}, {Type: ir.U32, Offset: 8, Count: 1, Pad: true}}}},
	}
	a.Codes = []bundle.Code{
		{Entry: "fill_1", Slots: []bundle.Slot{{0, -1, 4}, {8, 16, 8}, {24, 32, 8}}, Grid: -1, Trap: 40, Trace: -1, Bytes: 48, Static: 64, RestElem: 4,
			Sites: []bundle.Site{{3, "a.go:4:5", "too long"}, {9, "", ""}}},
		{Entry: "fill_2", Slots: []bundle.Slot{{0, -1, 4}, {8, 16, 8}, {24, 32, 8}}, Grid: 40, Trap: -1, Trace: -1, Bytes: 48, Firsts: []uint32{2, 3}},
	}
	a.Forms = []bundle.Form{
		bundle.NewForm(90|bundle.Specific, bundle.Cubin, "-O3", 1, []byte("cubin of sm_90a")),
		bundle.NewForm(90|bundle.Specific, bundle.PTX, "", 1, []byte(".version 8.0")),
		bundle.NewForm(80, bundle.PTX, "", 0, bytes.Repeat([]byte{'x'}, 64)),
	}
	a.File, a.Line = "a.go", 4
	a.Spans = spans.Names{3: {Plan: "p", Wave: "w", When: spans.After, File: "b.go", Line: 7}, 9: {Plan: "p"}}
	b := bundle.New("Empty")
	b.Workgroup = [3]uint32{1, 1, 1}
	b.Packed = []byte("packed")
	return []*bundle.Kernel{a, b}
}

// sampleSequence has a command of each kind.
func sampleSequence() *bundle.Sequence {
	s := bundle.NewSequence("steps")
	s.Buffers = []bundle.Buffer{{Label: "x", Bytes: 64}, {Label: "s scratch 0", Bytes: 32, Scratch: true}}
	s.Timing, s.Lowering = bundle.Untimed|bundle.TimeTransfers, 1
	x, y := bundle.Range{Buffer: 0, Off: 16, Len: 24}, bundle.Range{Buffer: 1, Off: 0, Len: 24}
	s.Commands = []bundle.Command{
		{Kind: bundle.DoFill, Dst: x, Value: 1 << 40, Width: 8},
		{Kind: bundle.DoUpload, Dst: y, Width: 2, Data: bytes.Repeat([]byte{7}, 24)},
		{Kind: bundle.DoUpload, Dst: y},
		{Kind: bundle.DoWhile, Dst: bundle.Range{Buffer: 1, Len: 4}, Value: 9, Body: []bundle.Command{
			{Kind: bundle.DoRepeat, Value: 2, Body: []bundle.Command{{Kind: bundle.DoCopy, Dst: x, Src: y}}},
		}},
		{Kind: bundle.DoLaunch, Kernel: "Fill[uint8]", Grid: [3]uint32{3, 1, 1}, Domain: 5, Traces: 1024, Rest: 6, Args: []bundle.Arg{{Type: ir.F16, Bits: 3}, {Range: x}, {Range: y}}},
		{Kind: bundle.DoLaunch, Kernel: "Empty", Rest: -1},
		{Kind: bundle.DoRead, Src: x},
	}
	return s
}

func written(t testing.TB, kernels []*bundle.Kernel, sequences ...*bundle.Sequence) []byte {
	t.Helper()
	b, err := bundle.Write(kernels, sequences)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// whole reads a file and all that is in it.
func whole(data []byte) ([]*bundle.Kernel, []*bundle.Sequence, error) {
	kernels, sequences, err := bundle.Read(string(data))
	for _, k := range kernels {
		for i := range k.Forms {
			if _, err := k.Forms[i].Payload(); err != nil {
				return nil, nil, err
			}
		}
	}
	return kernels, sequences, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	file := written(t, sample(), sampleSequence())
	if !bytes.Equal(file[:16], []byte("VYREBDL\x01\x02\x00\x00\x00\x02\x00\x00\x00")) || binary.LittleEndian.Uint64(file[24:]) != uint64(len(file)) {
		t.Errorf("the file begins with % x", file[:32])
	}
	kernels, sequences, err := whole(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sequences, []*bundle.Sequence{sampleSequence()}) {
		t.Errorf("the sequences are %+v", sequences)
	}
	if len(kernels) != 2 || kernels[0].Label() != "Empty" || kernels[1].Label() != "Fill[uint8]" || kernels[1].Listed() != "PTX for sm_80, PTX for sm_90a, cubin for sm_90a" {
		t.Errorf("it holds %v", kernels)
	}
	if again := written(t, kernels, sequences...); !bytes.Equal(again, file) {
		t.Error("what was read is written otherwise")
	}
	swapped := sample()
	swapped[0], swapped[1] = swapped[1], swapped[0]
	if other := written(t, swapped, sampleSequence()); !bytes.Equal(other, file) {
		t.Error("the order of kernels changes the file")
	}
	if b, err := kernels[1].Forms[2].Payload(); err != nil || string(b) != "cubin of sm_90a" {
		t.Errorf("the cubin is %q, %v", b, err)
	}
	if bytes.Contains(file, []byte("cubin of sm_90a")) && bytes.Index(file, []byte("cubin of sm_90a"))%64 != 0 {
		t.Error("a payload is not at a multiple of 64")
	}
	if none, _, err := whole(written(t, nil)); err != nil || len(none) != 0 {
		t.Errorf("a bundle of nothing: %v, %v", none, err)
	}
}

// Whatever is done to a file is an error that says so, and never a panic.
func TestAllDamageIsFound(t *testing.T) {
	file := written(t, sample())
	for i := range file {
		flipped := bytes.Clone(file)
		flipped[i] ^= 0x10
		for name, b := range map[string][]byte{"flipped": flipped, "cut off": file[:i]} {
			if _, _, err := whole(b); err == nil || !strings.HasPrefix(err.Error(), "bundle: ") {
				t.Fatalf("byte %d %s: %v", i, name, err)
			}
		}
	}
	if _, _, err := whole(append(bytes.Clone(file), 0)); err == nil {
		t.Error("a longer file was read")
	}
}

// signed makes the sums of a file fit what is in it, as they do in one that was made on purpose.
func signed(b []byte) []byte {
	le := binary.LittleEndian
	if n := le.Uint64(b[16:]); n <= uint64(len(b)-96) {
		sum := blake3.Sum256(b[96 : 96+n])
		copy(b[32:], sum[:])
	}
	le.PutUint64(b[24:], uint64(len(b)))
	le.PutUint32(b[64:], crc32.Checksum(b[:64], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// A file may be wrong although all its sums fit.
func TestFilesThatNobodyWritesAreRefused(t *testing.T) {
	file := written(t, sample())
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		says   string
	}{
		"a later version":     {func(b []byte) []byte { b[8] = 3; return b }, "version 3"},
		"a billion kernels":   {func(b []byte) []byte { binary.LittleEndian.PutUint32(b[12:], 1e9); return b }, "1000000000 things"},
		"fewer kernels":       {func(b []byte) []byte { b[12] = 1; return b }, "in the index"},
		"a long index":        {func(b []byte) []byte { b[22] = 1; return b }, "longer than the file"},
		"a long label":        {func(b []byte) []byte { b[98] = 1; return b }, "in the index"},
		"bytes at the end":    {func(b []byte) []byte { return append(b, 1) }, "left behind its payloads"},
		"a line of no file":   {func(b []byte) []byte { b[154] = 1; return b }, "at line"},
		"spans of no wave":    {func(b []byte) []byte { return bytes.Replace(b, []byte("span 2"), []byte("span 3"), 1) }, "span 3 is"},
		"labels out of order": {func(b []byte) []byte { b[100] = 'Z'; return b }, "do not ascend"},
	} {
		if _, _, err := whole(signed(c.change(bytes.Clone(file)))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
	for name, change := range map[string]func(s *bundle.Sequence){
		"no label":                   func(s *bundle.Sequence) { *s = *bundle.NewSequence("") },
		"a buffer of no size":        func(s *bundle.Sequence) { s.Buffers[1].Bytes = -1 },
		"a buffer that is too small": func(s *bundle.Sequence) { s.Buffers[0].Bytes = 39 },
		"a buffer that is not there": func(s *bundle.Sequence) { s.Commands[0].Dst.Buffer = 2 },
		"a range that wraps":         func(s *bundle.Sequence) { s.Commands[0].Dst.Off = 1<<63 - 1 },
		"a range before the buffer":  func(s *bundle.Sequence) { s.Commands[0].Dst.Off = -8 },
		"an unknown lowering":        func(s *bundle.Sequence) { s.Lowering = 3 },
		"an unknown measurement":     func(s *bundle.Sequence) { s.Timing = 8 },
		"an unknown mode":            func(s *bundle.Sequence) { s.Commands[2].Width = 3 },
		"bytes of another length":    func(s *bundle.Sequence) { s.Commands[1].Data = make([]byte, 23) },
		"bytes that may change":      func(s *bundle.Sequence) { s.Commands[1].Width = 1 },
		"too many rounds":            func(s *bundle.Sequence) { s.Commands[3].Value = 1 << 63 },
		"a kernel of nobody":         func(s *bundle.Sequence) { s.Commands[5].Kernel = "none" },
		"a missing argument":         func(s *bundle.Sequence) { s.Commands[4].Args = s.Commands[4].Args[:2] },
		"an array of -2 elements":    func(s *bundle.Sequence) { s.Commands[4].Rest = -2 },
		"loops in loops in loops": func(s *bundle.Sequence) {
			for range 5 {
				s.Commands = []bundle.Command{{Kind: bundle.DoRepeat, Body: s.Commands}}
			}
		},
	} {
		bad := sampleSequence()
		change(bad)
		if _, err := bundle.Write(sample(), []*bundle.Sequence{bad}); err == nil || !strings.HasPrefix(err.Error(), "bundle: in the index of sequence") && name != "no label" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bundle.Write(sample(), []*bundle.Sequence{sampleSequence(), sampleSequence()}); err == nil {
		t.Error("two sequences have one label")
	}
	for name, change := range map[string]func(k *bundle.Kernel){
		"no label":               func(k *bundle.Kernel) { *k = *bundle.New("") },
		"a target that is none":  func(k *bundle.Kernel) { k.Forms[0].Target = 7 },
		"a form of no code":      func(k *bundle.Kernel) { k.Forms[0].Code = 2 },
		"a form twice":           func(k *bundle.Kernel) { k.Forms[0] = k.Forms[1] },
		"too large a group":      func(k *bundle.Kernel) { k.Workgroup = [3]uint32{1024, 1024, 1024} },
		"a vector parameter":     func(k *bundle.Kernel) { k.Params[0].Type = ir.V2 + ir.F32 },
		"a scalar with a length": func(k *bundle.Kernel) { k.Codes[0].Slots[0].Len = 4 },
		"traps out of order":     func(k *bundle.Kernel) { k.Codes[0].Sites[1].Row = 0 },
		"a field outside":        func(k *bundle.Kernel) { k.Params[2].Record.Fields[0].Count = 9 },
	} {
		kernels := sample()
		change(kernels[0])
		if _, err := bundle.Write(kernels, nil); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

//ci:inputs 100000
func FuzzRead(f *testing.F) {
	file := written(f, sample())
	f.Add(file, false)
	f.Add(written(f, nil), true)
	f.Add(written(f, sample(), sampleSequence()), true)
	f.Add(file[:100], true)
	f.Add([]byte(bundle.Magic), true)
	f.Fuzz(func(t *testing.T, b []byte, fits bool) {
		if fits && len(b) >= 96 {
			copy(b, file[:12])
			b = signed(bytes.Clone(b))
		}
		kernels, sequences, err := whole(b)
		if err != nil {
			return
		}
		if again := written(t, kernels, sequences...); !bytes.Equal(again, b) {
			t.Errorf("a file was taken that nobody writes:\n%x, want\n%x", b, again)
		}
	})
}
