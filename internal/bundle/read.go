package bundle

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
)

// The fewest bytes of things that are counted.
const (
	leastKernel = 4 + 1 + 32 + 12 + 1 + 4 + 4 + 4 + 4 + 4 + 4 + 4
	leastParam  = 4 + 3 + 8 + 4
	leastField  = 1 + 4 + 4 + 1 + 4
	leastCode   = 4 + 8*4 + 4
	leastSite   = 4 + 4 + 4
	leastSpan   = 4 + 4
	leastForm   = 4 + 1 + 4 + 4 + 8 + 8 + 32
)

// reader takes the index apart. After the first mistake everything it returns is empty.
type reader struct {
	b     []byte
	file  string
	end   int    // of the index and the payloads so far
	of    string // kernel or sequence
	label string
	err   error
}

func (r *reader) wrong(format string, args ...any) {
	if r.err == nil {
		of := ""
		if r.label != "" {
			of = fmt.Sprintf(" of %s %s", r.of, r.label)
		}
		r.err = fmt.Errorf("bundle: in the index%s: "+format, append([]any{of}, args...)...)
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.wrong("it ends early")
		return make([]byte, min(n, 64))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8   { return r.take(1)[0] }
func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// count is a number of things that have some bytes each.
func (r *reader) count(n uint32, least int) int {
	if uint64(n)*uint64(least) > uint64(len(r.b)) {
		r.wrong("%d things of at least %d bytes in %d bytes", n, least, len(r.b))
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count(r.u32(), 1)
	return string(r.take(n))
}

func (r *reader) kernel() *Kernel {
	r.label = ""
	k := New(r.text())
	if r.label = k.label; k.label == "" {
		r.wrong("a kernel has no label")
	}
	copy(k.Digest[:], r.take(32))
	size := uint64(1)
	for i := range k.Workgroup {
		k.Workgroup[i] = r.u32()
		if k.Workgroup[i] > 1024 {
			r.wrong("its groups have %d invocations along an axis", k.Workgroup[i])
		}
		size *= uint64(k.Workgroup[i])
	}
	if size == 0 || size > 1024 {
		r.wrong("its groups have %d invocations", size)
	}
	k.Flags = r.u8()
	if k.File, k.Line = r.text(), r.u32(); (k.File == "") != (k.Line == 0) || k.Line > math.MaxInt32 {
		r.wrong("its function is at line %d of %q", k.Line, k.File)
	}
	last := int64(-1)
	for range r.count(r.u32(), leastSpan) {
		tag, message := r.u32(), r.text()
		n, ok := spans.Parse(message)
		if !ok || n.Message() != message || int64(tag) <= last {
			r.wrong("span %d is %q", tag, message)
		}
		if last = int64(tag); k.Spans == nil {
			k.Spans = spans.Names{}
		}
		k.Spans[tag] = n
	}
	for range r.count(r.u32(), leastParam) {
		k.Params = append(k.Params, r.param())
	}
	for range r.count(r.u32(), leastCode+12*len(k.Params)) {
		k.Codes = append(k.Codes, r.code(k.Params))
	}
	if packed := r.text(); packed != "" {
		k.Packed = []byte(packed)
	}
	for range r.count(r.u32(), leastForm) {
		f := r.form(len(k.Codes))
		f.kernel = k.label
		if n := len(k.Forms); n > 0 && (f.Target < k.Forms[n-1].Target || f.Target == k.Forms[n-1].Target && f.Kind <= k.Forms[n-1].Kind) {
			r.wrong("its forms do not ascend")
		}
		k.Forms = append(k.Forms, f)
	}
	return k
}

func (r *reader) param() ir.Param {
	p := ir.Param{Name: r.text(), Type: ir.Type(r.u8()), Access: ir.Access(r.u8()), Align: r.u8(), MaxLen: r.u64()}
	stride := r.u32()
	if p.Access > ir.RW || p.Align > 16 || (stride == 0) != p.Type.IsScalar() || p.Access == 0 && (stride > 0 || p.Align > 0 || p.MaxLen > 0) {
		r.wrong("parameter %s is of no known kind", p.Name)
	}
	if stride == 0 {
		return p
	}
	if p.Type != ir.None || stride > 1<<16 {
		r.wrong("parameter %s has records of %d bytes", p.Name, stride)
	}
	p.Record = &ir.Record{Stride: int(stride), Align: r.u8()}
	if p.Record.Align > 16 {
		r.wrong("parameter %s has records of an unknown alignment", p.Name)
	}
	for range r.count(r.u32(), leastField) {
		f := ir.RecordField{Type: ir.Type(r.u8()), Offset: int(r.u32()), Count: int(r.u32())}
		pad := r.u8()
		f.Pad, f.Name = pad == 1, r.text()
		if !f.Type.IsScalar() || pad > 1 || uint64(f.Offset)+uint64(f.Count)*uint64(f.Type.Size()) > uint64(stride) {
			r.wrong("a field of parameter %s is outside its record", p.Name)
		}
		p.Record.Fields = append(p.Record.Fields, f)
	}
	return p
}

// maxArguments is how many bytes of arguments every driver takes.
const maxArguments = 4096

func (r *reader) code(params []ir.Param) Code {
	c := Code{Entry: r.text()}
	i32 := func() int32 { return int32(r.u32()) }
	for i := range params {
		s := Slot{i32(), i32(), i32()}
		if s.Offset < 0 || s.Offset > maxArguments || s.Len < -1 || s.Len > maxArguments || (s.Len >= 0) != params[i].IsBuffer() || s.Size != 4 && s.Size != 8 {
			r.wrong("parameter %s lies outside the arguments", params[i].Name)
		}
		c.Slots = append(c.Slots, s)
	}
	for _, to := range []*int32{&c.Grid, &c.Trap, &c.Trace} {
		if *to = i32(); *to < -1 || *to > maxArguments {
			r.wrong("a hidden parameter lies outside the arguments")
		}
	}
	for _, to := range []*uint32{&c.Bytes, &c.Static, &c.Dynamic, &c.RestElem} {
		*to = r.u32()
	}
	if c.Bytes > maxArguments || c.Static > 1<<24 || c.Dynamic > 1<<24 || c.RestElem > 8 {
		r.wrong("it has %d bytes of arguments, %d and %d of shared memory", c.Bytes, c.Static, c.Dynamic)
	}
	for range r.count(r.u32(), 4) {
		c.Firsts = append(c.Firsts, r.u32())
	}
	for i := range r.count(r.u32(), leastSite) {
		s := Site{r.u32(), r.text(), r.text()}
		if i > 0 && s.Row <= c.Sites[i-1].Row {
			r.wrong("its traps do not ascend")
		}
		c.Sites = append(c.Sites, s)
	}
	return c
}

// form takes a form, whose payload begins where the last one ends, at a multiple of align.
func (r *reader) form(codes int) Form {
	f := Form{Target: Target(r.u32()), Kind: Kind(r.u8()), Options: r.text(), Code: r.u32()}
	if f.Kind > Cubin {
		r.wrong("a form is of the unknown kind %d", f.Kind)
		f.Kind = PTX
	}
	if !f.Target.valid() || int64(f.Code) >= int64(codes) {
		r.wrong("a form is for no target, or of no code")
	}
	at, n := r.u64(), r.u64()
	copy(f.hash[:], r.take(32))
	start := aligned(r.end)
	switch {
	case r.err != nil:
	case at != uint64(start) || n > uint64(len(r.file)) || at > uint64(len(r.file))-n:
		r.wrong("the %v is not where it belongs", &f)
	case !zeros(r.file[r.end:start]):
		r.wrong("the file is damaged before the %v", &f)
	default:
		f.payload, r.end = r.file[at:at+n], int(at+n)
	}
	return f
}
