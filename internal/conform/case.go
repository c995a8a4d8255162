package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// Device runs programs for the suite.
type Device interface {
	Name() string
	// Run launches p once. It must not change the memory of l's arguments; the outcome
	// holds the buffers as the launch left them. A launch that was refused is an error, a
	// trap is not.
	Run(ctx context.Context, p *ir.Program, l Launch) (Outcome, error)
}

// Through is d after a pass: every program goes through it before it runs.
func Through(d Device, name string, pass func(*ir.Program) (*ir.Program, error)) Device {
	return through{d, name, pass}
}

type through struct {
	Device
	name string
	pass func(*ir.Program) (*ir.Program, error)
}

func (d through) Name() string { return d.Device.Name() + " through " + d.name }

func (d through) Run(ctx context.Context, p *ir.Program, l Launch) (Outcome, error) {
	q, err := d.pass(p)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", d.name, err)
	}
	return d.Device.Run(ctx, q, l)
}

// Launch is a grid and one argument for each parameter.
type Launch struct {
	Grid [3]uint32
	Args []Arg
	Rest int // elements of the shared array whose length comes with the launch
}

// Arg is the initial contents of a buffer, a part of another argument's buffer, or the
// raw bits of a scalar.
type Arg struct {
	Data []byte
	Part *Part
	Bits uint64
}

// Part is bytes [Off, Off+Len) of the buffer of argument Of.
type Part struct{ Of, Off, Len int }

// Outcome is what a launch left.
type Outcome struct {
	Buffers [][]byte // one for each parameter; nil for scalars
	Trap    *Trap
	Traces  []Trace
	Dropped uint64 // traces that found no room

	Detected bool     // all detectors were on
	Reports  []Report // what they found
}

// Trap is the trap that a device recorded.
type Trap struct {
	Code    uint32
	Value   uint64
	Group   [3]uint32
	Local   [3]uint32
	Message string
	Line    int // in the source; 0 if the program has no positions
}

// Trace is one record of the trace ring.
type Trace struct {
	Tag    uint32
	Linear uint64
	Values []uint64
}

// Report is what a detector found.
type Report struct {
	Kind Finding
	Text string
}

// Finding is a set of kinds of report.
type Finding uint8

// The findings.
const (
	Racy      Finding = 1 << iota // unordered accesses, one of them a write
	Benign                        // the same, but all wrote equal bits and nobody read
	Undefined                     // a read of shared or local memory that nothing wrote
	OutOfBounds
)

func (f Finding) String() string {
	var names []string
	for i, s := range [...]string{"race", "benign", "undefined", "bounds"} {
		if f>>i&1 != 0 {
			names = append(names, s)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, " ")
}

// Case is one program, one launch and what must come of it; or, with Host, a property
// that no device is needed for.
type Case struct {
	Family, Name string
	About        string // what the case is for; may be empty
	Program      *ir.Program
	Launch       Launch
	AtOnce       int // how many launches, each with its own memory, run at the same time; 0 is one

	// Want holds the expected contents of each buffer; nil entries are not compared.
	Want [][]byte
	// Form is that of the products in the program, 0 without any; devices without it do not decide the case. Product, if set,
	// makes what Want is on devices of a generation.
	Form    matrix.Form
	Product func(matrix.Generation) [][]byte
	// Check looks at the outcome beyond the buffers; may be nil.
	Check func(Outcome) error
	// Refused says that the launch must fail before any effect, with an error holding this text.
	Refused string
	// Tolerance, if set, judges a differing element instead of the bits.
	Tolerance func(got, want uint64) bool
	// Reports, if set, is exactly what detectors must find. Otherwise they must find neither
	// races nor undefined reads.
	Reports *Finding
	// Host, if set, is the whole case.
	Host func(front) error
}

// String returns "family/name".
func (c *Case) String() string { return c.Family + "/" + c.Name }

// Flawed reports whether the program does on purpose what detectors report: races, or reads
// of what nothing wrote.
func (c *Case) Flawed() bool {
	return c.Reports != nil && *c.Reports&(Racy|Benign|Undefined) != 0
}

// Invocations is how many invocations the launch has.
func (c *Case) Invocations() uint64 {
	if c.Program == nil {
		return 0
	}
	n := uint64(c.Program.GroupSize())
	for _, g := range c.Launch.Grid {
		n *= uint64(g)
	}
	return n
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
	return fmt.Sprintf("%s: %v", f.Case, f.Err)
}

// ErrSkipped is what Try returns for a case that the device cannot decide: one that is
// about reports, on a device without detectors, or about products of matrices that it does not have.
var ErrSkipped = errors.New("needs a device with detectors, or with products of other matrices")

// Try runs one case on a device and returns nil if everything is as expected.
func Try(ctx context.Context, d Device, c *Case) error {
	if c.Host != nil {
		return c.Host(theFront)
	}
	if c.AtOnce <= 1 {
		return c.once(ctx, d)
	}
	errs := make([]error, c.AtOnce)
	var running sync.WaitGroup
	for i := range errs {
		running.Go(func() { errs[i] = c.once(ctx, d) })
	}
	running.Wait()
	return errors.Join(errs...)
}

func (c *Case) once(ctx context.Context, d Device) error {
	wants, decides := c.wants(d)
	if !decides {
		return ErrSkipped
	}
	out, err := d.Run(ctx, c.Program, c.Launch)
	if c.Refused != "" {
		switch {
		case err == nil:
			return fmt.Errorf("the launch was accepted; it must be refused (%s)", c.Refused)
		case !strings.Contains(err.Error(), c.Refused):
			return fmt.Errorf("refused with %q, which lacks %q", err, c.Refused)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, want := range wants {
		if want == nil {
			continue
		}
		p := c.Program.Params()[i]
		if err := compare(cellType(&p), out.Buffers[i], want, c.Tolerance); err != nil {
			return fmt.Errorf("buffer %s: %w", p.Name, err)
		}
	}
	if c.Check != nil {
		if err := c.Check(out); err != nil {
			return err
		}
	}
	return c.judge(out)
}

// cellType is the type as which the contents of a buffer are compared and written down: bytes for records, with what lies
// between fields; words for those that are nothing but words.
func cellType(p *ir.Param) ir.Type {
	r := p.Record
	switch {
	case r == nil:
		return p.Type
	case len(r.Fields)*ir.U32.Size() < r.Stride || slices.ContainsFunc(r.Fields, func(f ir.RecordField) bool { return f.Type != ir.U32 }):
		return ir.U8
	}
	return ir.U32
}

// judge compares what detectors found with what they must find.
func (c *Case) judge(out Outcome) error {
	if !out.Detected {
		if c.Reports != nil && !slices.ContainsFunc(c.Want, func(w []byte) bool { return w != nil }) {
			return ErrSkipped
		}
		return nil
	}
	var found Finding
	var texts []string
	for _, r := range out.Reports {
		found |= r.Kind
		texts = append(texts, r.Text)
	}
	if c.Reports == nil {
		if bad := found & (Racy | Undefined); bad != 0 {
			return fmt.Errorf("detectors report %s, want none:\n%s", bad, strings.Join(texts, "\n"))
		}
		return nil
	}
	if found != *c.Reports {
		return fmt.Errorf("detectors report %s, want %s\n%s", found, *c.Reports, strings.Join(texts, "\n"))
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
		g, w := t.ReadElem(got[i:]), t.ReadElem(want[i:])
		if g == w || isNaN(t, g) && isNaN(t, w) || tol != nil && tol(g, w) {
			continue
		}
		return fmt.Errorf("element %d is %s, want %s", i/n, show(t, g), show(t, w))
	}
	return nil
}

// pack writes elements of type t.
func pack(t ir.Type, vals ...uint64) []byte {
	b := make([]byte, 0, len(vals)*t.Size())
	for _, v := range vals {
		b = t.AppendElem(b, v)
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
