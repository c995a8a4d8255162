package conform

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/govyre/vyre/ir"
)

// Device runs programs for the suite.
type Device interface {
	Name() string
	// Run launches p once. It must not change the memory of l's arguments; the outcome
	// holds the buffers as the launch left them.
	Run(ctx context.Context, p *ir.Program, l Launch) (Outcome, error)
}

// Launch is a grid and one argument for each parameter.
type Launch struct {
	Grid [3]uint32
	Args []Arg
	Rest int // elements of the shared array whose length comes with the launch
}

// Arg is the initial contents of a buffer, or the raw bits of a scalar.
type Arg struct {
	Data []byte
	Bits uint64
}

// Outcome is what a launch left behind.
type Outcome struct {
	Buffers [][]byte // one for each parameter; nil for scalars
	Trap    *Trap
	Traces  []Trace
	Dropped uint64 // traces that found no room
}

// Trap is the trap that a device recorded.
type Trap struct {
	Code    uint32
	Value   uint64
	Group   [3]uint32
	Local   [3]uint32
	Message string
	Line    int
}

// Trace is one record of the trace ring.
type Trace struct {
	Tag    uint32
	Linear uint64
	Values []uint64
}

// Case is one program, one launch and what must come of it.
type Case struct {
	Family, Name string
	Program      *ir.Program
	Launch       Launch

	// Want holds the expected contents of each buffer; nil entries are not compared.
	Want [][]byte
	// Check looks at the outcome beyond the buffers; may be nil.
	Check func(Outcome) error
	// Refused says that the launch must fail before any effect, with an error holding this text.
	Refused string
	// Tolerance, if set, judges a differing element instead of the bits.
	Tolerance func(got, want uint64) bool
}

// Family is the cases about one rule.
type Family struct {
	Name  string
	About string
	Cases func() []Case
}

// Failure is a case that did not come out as expected.
type Failure struct {
	Case *Case
	Err  error
}

func (f Failure) Error() string {
	return fmt.Sprintf("%s/%s: %v", f.Case.Family, f.Case.Name, f.Err)
}

// Try runs one case on a device and returns nil if everything is as expected.
func Try(ctx context.Context, d Device, c *Case) error {
	out, err := d.Run(ctx, c.Program, c.Launch)
	if c.Refused != "" {
		switch {
		case err == nil:
			return fmt.Errorf("the launch was accepted; it must be refused (%s)", c.Refused)
		case !bytes.Contains([]byte(err.Error()), []byte(c.Refused)):
			return fmt.Errorf("refused with %q, which lacks %q", err, c.Refused)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, want := range c.Want {
		if want == nil {
			continue
		}
		p := c.Program.Params()[i]
		if err := compare(p.Type, out.Buffers[i], want, c.Tolerance); err != nil {
			return fmt.Errorf("buffer %s: %w", p.Name, err)
		}
	}
	if c.Check != nil {
		return c.Check(out)
	}
	return nil
}

// compare finds the first element that differs; NaNs are equal.
func compare(t ir.Type, got, want []byte, tol func(got, want uint64) bool) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if bytes.Equal(got, want) {
		return nil
	}
	n := t.Size()
	for i := 0; i+n <= len(got); i += n {
		g, w := bitsOf(t, got[i:]), bitsOf(t, want[i:])
		if g == w || isNaN(t, g) && isNaN(t, w) || tol != nil && tol(g, w) {
			continue
		}
		return fmt.Errorf("element %d is %s, want %s", i/n, show(t, g), show(t, w))
	}
	return nil
}

// bitsOf reads one element as raw bits.
func bitsOf(t ir.Type, b []byte) uint64 {
	switch t.Size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// appendBits writes one element.
func appendBits(b []byte, t ir.Type, bits uint64) []byte {
	switch t.Size() {
	case 1:
		return append(b, byte(bits))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(b, bits)
}

// pack writes elements of type t.
func pack(t ir.Type, vals ...uint64) []byte {
	b := make([]byte, 0, len(vals)*t.Size())
	for _, v := range vals {
		b = appendBits(b, t, v)
	}
	return b
}

// isNaN reports whether bits are a NaN of type t.
func isNaN(t ir.Type, bits uint64) bool {
	switch t {
	case ir.F32:
		return bits&0x7FFF_FFFF > 0x7F80_0000
	case ir.F64:
		return bits&^(1<<63) > 0x7FF0_0000_0000_0000
	case ir.F16:
		return bits&0x7FFF > 0x7C00
	case ir.BF16:
		return bits&0x7FFF > 0x7F80
	}
	return false
}

// show prints one element with its bits.
func show(t ir.Type, bits uint64) string {
	switch t {
	case ir.F32:
		return fmt.Sprintf("%v (%#08x)", math.Float32frombits(uint32(bits)), bits)
	case ir.F64:
		return fmt.Sprintf("%v (%#016x)", math.Float64frombits(bits), bits)
	case ir.I32:
		return fmt.Sprint(int32(bits))
	case ir.I64:
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprintf("%d (%#x)", bits, bits)
}
