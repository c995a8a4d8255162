package driver

import (
	"fmt"
	"math"
	"strings"

	"github.com/govyre/vyre/ir"
)

// rules is what Prepare and the setters check in a sequence.
type rules struct{ *Sequence }

func rulesOf(s *Sequence) rules { return rules{s} }

// check walks the recorded commands and returns everything that breaks a rule.
func (s rules) check() Problems {
	ps := append(Problems(nil), s.problems...)
	if err := s.checkTimes(); err != nil {
		ps = append(ps, err)
	}
	s.checkList(s.commands, &ps)
	return ps
}

func (s rules) checkList(cmds []any, ps *Problems) {
	add := func(e *Error) {
		if e != nil {
			*ps = append(*ps, e)
		}
	}
	for _, c := range cmds {
		switch c := c.(type) {
		case *FillCmd:
			add(s.checkFill(c))
		case *Input:
			add(s.checkInput(c, c.src))
		case *CopyCmd:
			add(s.checkCopy(c))
		case *Output:
			add(s.checkOutput(c, c.dst))
		case *Step:
			*ps = append(*ps, s.checkStep(c)...)
		case *Loop:
			add(s.checkLoop(c, c.count))
			s.checkList(c.body, ps)
		}
	}
}

func (s *Sequence) refuse(op, label, path string, kind Kind, fix, format string, args ...any) *Error {
	return &Error{Op: op, Label: label, Device: s.dev.Name(), Path: path, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// beside names the sequence's device so that it is told from another, which may go by the same name.
func (s rules) beside(other Device) string {
	if s.dev.Name() != other.Name() {
		return s.dev.Name()
	}
	return "another device, which was opened as " + s.dev.Name() + " too"
}

// checkRange applies the rules of every range: a live buffer of this device, bytes inside it.
func (s rules) checkRange(op, path string, r Range) *Error {
	b := r.Buffer
	if b == nil {
		return s.refuse(op, "", path, InvalidArgument, "", "the buffer is nil")
	}
	if made, ok := own(b); !ok || made != b {
		return s.refuse(op, "", path, InvalidArgument, "pass a buffer that Alloc, Scratch or a pool returned", "%s", foreign(b, "buffer"))
	}
	if sc, ok := b.(*scratch); ok && sc.seq != s.Sequence {
		return s.refuse(op, b.Label(), path, InvalidArgument, "give each sequence its own scratch memory", "scratch memory belongs to sequence %q", sc.seq.label)
	}
	if b.Device() != s.dev {
		if err := b.leaf().dev.Alive(op, b.Label()); err != nil {
			return s.refuse(op, b.Label(), path, Closed, "", "device %s of the buffer was closed", b.Device().Name())
		}
		return s.refuse(op, b.Label(), path, InvalidArgument, "move the bytes through the host", "buffer is on %s, the sequence on %s", b.Device().Name(), s.beside(b.Device()))
	}
	if b.leaf().Alive(op) != nil {
		return s.refuse(op, b.Label(), path, Closed, "", "buffer was closed")
	}
	if r.Elem != nil && r.Elem.Bad != "" {
		return s.refuse(op, b.Label(), path, InvalidArgument, "", "%s: %s", r.Elem.Name, r.Elem.Bad)
	}
	if r.Off < 0 || r.Len < 0 || r.Len > b.Len()-r.Off {
		return s.refuse(op, b.Label(), path, InvalidArgument, "", "%d bytes from offset %d are not inside a buffer of %d bytes", r.Len, r.Off, b.Len())
	}
	return nil
}

// checkWritable refuses to write what somebody relies on not to change.
func (s rules) checkWritable(op, path string, r Range) *Error {
	if owner := r.Buffer.leaf().readOnly(); owner != "" {
		return s.refuse(op, r.Buffer.Label(), path, InvalidArgument, "write a buffer of your own", "the buffer belongs to %s and is read only", owner)
	}
	return nil
}

func (s rules) checkFill(c *FillCmd) *Error {
	if err := s.checkRange("fill", c.Path, c.Dst); err != nil {
		return err
	}
	if err := s.checkWritable("fill", c.Path, c.Dst); err != nil {
		return err
	}
	switch c.Width {
	case 1, 2, 4, 8:
	default:
		return s.refuse("fill", c.Dst.Buffer.Label(), c.Path, InvalidArgument, "use a width of 1, 2, 4 or 8", "width is %d", c.Width)
	}
	if w := int64(c.Width); c.Dst.Off%w != 0 || c.Dst.Len%w != 0 {
		return s.refuse("fill", c.Dst.Buffer.Label(), c.Path, InvalidArgument, "", "offset %d and length %d are not both multiples of the width %d", c.Dst.Off, c.Dst.Len, w)
	}
	return nil
}

func (s rules) checkInput(in *Input, src []byte) *Error {
	if err := s.checkRange("upload", in.path, in.dst); err != nil {
		return err
	}
	if err := s.checkWritable("upload", in.path, in.dst); err != nil {
		return err
	}
	if in.mode > Static {
		return s.refuse("upload", in.dst.Buffer.Label(), in.path, InvalidArgument, "use Always, IfChanged or Static", "there is no %v", in.mode)
	}
	if int64(len(src)) != in.dst.Len {
		return s.refuse("upload", in.dst.Buffer.Label(), in.path, InvalidArgument, "", "%d host bytes for a range of %d", len(src), in.dst.Len)
	}
	return nil
}

func (s rules) checkOutput(out *Output, dst []byte) *Error {
	if err := s.checkRange("read", out.path, out.src); err != nil {
		return err
	}
	if int64(len(dst)) != out.src.Len {
		return s.refuse("read", out.src.Buffer.Label(), out.path, InvalidArgument, "", "%d host bytes for a range of %d", len(dst), out.src.Len)
	}
	return nil
}

func (s rules) checkCopy(c *CopyCmd) *Error {
	if err := s.checkRange("copy", c.Path, c.Dst); err != nil {
		return err
	}
	if err := s.checkWritable("copy", c.Path, c.Dst); err != nil {
		return err
	}
	if err := s.checkRange("copy", c.Path, c.Src); err != nil {
		return err
	}
	if !c.Dst.Elem.sameAs(c.Src.Elem) {
		return s.refuse("copy", c.Dst.Buffer.Label(), c.Path, InvalidArgument, "pass the ranges as bytes to copy them nevertheless", "elements of %v into a range of %v", c.Src.Elem, c.Dst.Elem)
	}
	if c.Dst.Len != c.Src.Len {
		return s.refuse("copy", c.Dst.Buffer.Label(), c.Path, InvalidArgument, "", "%d bytes into a range of %d", c.Src.Len, c.Dst.Len)
	}
	if c.Dst.Overlaps(c.Src) {
		return s.refuse("copy", c.Dst.Buffer.Label(), c.Path, InvalidArgument, "copy through another buffer", "%v and %v overlap", c.Dst, c.Src)
	}
	return nil
}

func (s rules) checkLoop(l *Loop, count int) *Error {
	if count < 0 {
		return s.refuse("loop", "", l.cmd.Path, InvalidArgument, "", "count is %d", count)
	}
	if !l.cmd.While {
		return nil
	}
	if err := s.checkRange("loop", l.cmd.Path, l.flag); err != nil {
		return err
	}
	if err := s.checkLowering(l); err != nil {
		return err
	}
	if e := l.flag.Elem; e != nil && e.Type != ir.U32 {
		return s.refuse("loop", l.flag.Buffer.Label(), l.cmd.Path, InvalidArgument, "make it a uint32", "the flag is an element of %v", e)
	}
	if f := l.flag; f.Len != 4 || f.Off%4 != 0 {
		return s.refuse("loop", f.Buffer.Label(), l.cmd.Path, InvalidArgument, "pass 4 bytes at a multiple of 4", "the flag is %d bytes at offset %d", f.Len, f.Off)
	}
	return nil
}

// checkStep checks a launch: the kernel, the number of arguments, each of them, then what
// they do to each other, the grid and the memory of a group.
func (s rules) checkStep(st *Step) (ps Problems) {
	k := st.cmd.Kernel
	if k == nil {
		return Problems{s.refuse("launch", "", st.cmd.Path, InvalidArgument, "", "the kernel is nil")}
	}
	if made, ok := own(k); !ok || made != k {
		return Problems{s.refuse("launch", "", st.cmd.Path, InvalidArgument, "pass what Compile returned", "%s", foreign(k, "kernel"))}
	}
	if k.Device() != s.dev {
		return Problems{s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "compile it for "+s.beside(k.Device()), "kernel is compiled for %s, the sequence is on %s", k.Device().Name(), s.beside(k.Device()))}
	}
	if k.leaf().Alive("launch") != nil {
		return Problems{s.refuse("launch", k.Label(), st.cmd.Path, Closed, "", "kernel was closed")}
	}
	params := k.Signature()
	want := len(params)
	if k.Flags()&SharedRest != 0 {
		want++
	}
	if len(st.args) != want {
		return Problems{s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "", "%d arguments for %s", len(st.args), signature(k))}
	}
	st.cmd.Args = make([]Bound, len(params))
	for i := range st.args {
		if err := s.bind(st, i, &st.args[i]); err != nil {
			ps = append(ps, err)
		}
	}
	if ps != nil {
		return ps
	}
	if err := s.checkOverlap(st, 0, len(params)); err != nil {
		ps = append(ps, err)
	}
	if err := s.checkGrid(st, st.cmd.Grid, st.cmd.Rest); err != nil {
		ps = append(ps, err)
	}
	return ps
}

// signature writes a kernel's parameters for a message.
func signature(k Kernel) string {
	params := k.Signature()
	text := fmt.Sprintf("%d parameters (", len(params))
	for i, p := range params {
		if i > 0 {
			text += ", "
		}
		text += p.Name + " " + paramType(&p)
	}
	text += ")"
	if k.Flags()&SharedRest != 0 {
		text += ", and a Rest last: the elements of its shared array"
	}
	return text
}

// elemName names what a buffer parameter holds, with the layout of records.
func elemName(p *ir.Param) string {
	if p.Record == nil {
		return p.ElemName()
	}
	var parts []string
	for _, f := range p.Record.Fields {
		if f.Pad {
			continue
		}
		part := fmt.Sprintf("%v @%d", f.Type, f.Offset)
		if f.Count > 1 {
			part = fmt.Sprintf("[%d]%s", f.Count, part)
		}
		parts = append(parts, strings.TrimSpace(f.Name+" "+part))
	}
	return fmt.Sprintf("{%s; %d bytes}", strings.Join(parts, ", "), p.Record.Stride)
}

func paramType(p *ir.Param) string {
	if p.IsBuffer() {
		return fmt.Sprintf("%v buffer of %s", p.Access, elemName(p))
	}
	return p.Type.String()
}

// bind checks argument i by itself and stores its value in the command.
func (s rules) bind(st *Step, i int, a *slot) *Error {
	params := st.cmd.Kernel.Signature()
	if i == len(params) {
		if a.kind != slotRest {
			return s.refuseArg(st, "the shared array", "a Rest", a)
		}
		if a.rest < 0 {
			return s.refuse("launch", st.cmd.Kernel.Label(), st.cmd.Path, InvalidArgument, "", "shared array of %d elements", a.rest)
		}
		st.cmd.Rest = a.rest
		return nil
	}
	p := &params[i]
	switch {
	case p.IsBuffer() && a.kind == slotRange:
		if err := s.checkBufferArg(st, p, a.mem); err != nil {
			return err
		}
		st.cmd.Args[i] = Bound{Range: resolve(a.mem)}
	case !p.IsBuffer() && a.kind == slotScalar && a.val.Type == p.Type:
		st.cmd.Args[i] = Bound{Bits: a.val.Bits & p.Type.Mask()}
	default:
		return s.refuseArg(st, p.Name, paramType(p), a)
	}
	return nil
}

func (s rules) refuseArg(st *Step, name, want string, got *slot) *Error {
	return s.refuse("launch", st.cmd.Kernel.Label(), st.cmd.Path, InvalidArgument, "", "%s is %s, the argument is %s", name, want, got.String())
}

func (s rules) checkBufferArg(st *Step, p *ir.Param, r Range) *Error {
	if err := s.checkRange("launch", st.cmd.Path, r); err != nil {
		return err
	}
	k := st.cmd.Kernel
	if !r.Elem.fits(p) {
		return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "pass elements of the parameter's type, or the memory as bytes", "%s is %s, the argument has elements of %v", p.Name, paramType(p), r.Elem)
	}
	if p.Access.Writes() {
		if err := s.checkWritable("launch", st.cmd.Path, r); err != nil {
			return err
		}
	}
	if align := int64(1) << p.Align; (r.Off+r.Buffer.leaf().skew)%align != 0 {
		if skew := r.Buffer.leaf().skew; skew > 0 {
			return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "copy it to a buffer of the device", "%s starts at offset %d of %s, which was borrowed at an address that is %d modulo %d: that is not a multiple of its alignment %d",
				p.Name, r.Off, nameOf(r.Buffer), skew, maxSkew, align)
		}
		return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "", "%s starts at offset %d of %s, which is not a multiple of its alignment %d", p.Name, r.Off, nameOf(r.Buffer), align)
	}
	size := int64(p.Bytes())
	if r.Len%size != 0 {
		return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "", "%s is %d bytes, which is not a multiple of the %d bytes of %s", p.Name, r.Len, size, p.ElemName())
	}
	if n := uint64(r.Len / size); n > p.MaxLen {
		return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, "raise the parameter's bound, or pass a part", "%s has %d elements, its bound is %d", p.Name, n, p.MaxLen)
	}
	return nil
}

// checkOverlap compares the ranges of parameters [from, to) with all others.
func (s rules) checkOverlap(st *Step, from, to int) *Error {
	params, args := st.cmd.Kernel.Signature(), st.cmd.Args
	for i := from; i < to; i++ {
		for j := range args {
			if i == j || !args[i].Range.Overlaps(args[j].Range) || !params[i].Access.Writes() && !params[j].Access.Writes() {
				continue
			}
			w, o := i, j
			if !params[w].Access.Writes() {
				w, o = j, i
			}
			return s.refuse("launch", st.cmd.Kernel.Label(), st.cmd.Path, InvalidArgument, "pass separate ranges", "%s is written and shares bytes of %s with %s: %v, %v",
				params[w].Name, nameOf(args[w].Range.Buffer), params[o].Name, args[w].Range, args[o].Range)
		}
	}
	return nil
}

// checkGrid checks the grid, and all that a launch needs of the device.
func (s rules) checkGrid(st *Step, grid Grid, rest int) *Error {
	k, caps := st.cmd.Kernel, s.dev.Caps()
	no := func(fix, format string, args ...any) *Error {
		return s.refuse("launch", k.Label(), st.cmd.Path, InvalidArgument, fix, format, args...)
	}
	if grid == (Grid{}) {
		return no("say Grid{1}, or EmptyGrid to launch nothing", "the grid says nothing")
	}
	if grid == beyond {
		return no("pass the items along x, y and z", "the grid is that of Cover with more than three axes")
	}
	if grid == negative {
		return no("pass 0 to launch nothing", "the grid is that of Cover with a negative number of items")
	}
	q := RequirementOf(k, grid, rest)
	if q.Flags&Resident != 0 && !grid.Empty() {
		q.Occupancy = k.Occupancy(rest)
	}
	if e := Diagnose(caps, q).refusal("launch", st.cmd.Path, InvalidArgument); e != nil {
		return e
	}
	for axis, n := range grid {
		if size := q.Group[axis]; uint64(n)*uint64(size) > math.MaxUint32+1 {
			return no("launch fewer groups and loop over the domain", "%d groups of %d on axis %c make ids beyond 32 bits", n, size, "xyz"[axis])
		}
	}
	return nil
}
