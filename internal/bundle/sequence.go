package bundle

import "github.com/govyre/vyre/ir"

// Sequence is a recorded sequence of commands. It does not change.
type Sequence struct {
	label    string
	Buffers  []Buffer
	Commands []Command
	Timing   Timing
	Lowering uint8 // of While loops, as package driver numbers it
}

// NewSequence returns a sequence without commands.
func NewSequence(label string) *Sequence { return &Sequence{label: label} }

// Label is what the sequence is called in its bundle.
func (s *Sequence) Label() string { return s.label }

// Buffer is memory that commands name: scratch memory of the sequence, or a buffer that the caller brings.
type Buffer struct {
	Label   string
	Bytes   int64 // at least, of a caller's
	Scratch bool
}

// Timing says what is measured.
type Timing uint8

// The bits of Timing.
const (
	Untimed Timing = 1 << iota
	TimeTransfers
	TimeCommands
	allTiming = Untimed | TimeTransfers | TimeCommands
)

// CommandKind says what a command does.
type CommandKind uint8

// The kinds of commands. A Loop is a Repeat or, with a flag, a While.
const (
	DoFill CommandKind = iota
	DoUpload
	DoCopy
	DoLaunch
	DoRead
	DoRepeat
	DoWhile
)

// static is the mode of uploads whose bytes may be kept.
const static = 2

// MaxDepth is how deep loops nest.
const MaxDepth = 4

// Command is one command, with the fields that its kind has.
type Command struct {
	Kind     CommandKind
	Dst, Src Range  // Dst of Fill, Upload, Copy; Src of Copy and Read; Dst is the flag of While
	Value    uint64 // of Fill; the bound of a loop
	Width    uint8  // of Fill; the mode of Upload
	Data     []byte // of an upload whose bytes stay the same
	Body     []Command

	// Of Launch.
	Kernel string // its label
	Grid   [3]uint32
	Domain uint64
	Traces uint32
	Args   []Arg
	Rest   int64 // elements of the array of launch-time length; -1 without one
}

// Range is a part of a buffer.
type Range struct {
	Buffer   uint32 // index
	Off, Len int64
}

// Arg is the argument of a parameter.
type Arg struct {
	Range Range   // of a buffer
	Type  ir.Type // of a scalar; None for a buffer
	Bits  uint64
}

// The fewest bytes of things that are counted.
const (
	leastBuffer   = 4 + 8 + 1
	leastCommand  = 1 + 8 + 4
	leastArg      = 1 + 8
	leastSequence = 4 + 4 + 1 + 1 + 4
)

// sequence appends a sequence; kernels are numbered by label.
func (w *writer) sequence(s *Sequence, kernels map[string]uint32) {
	w.text(s.label)
	w.u32(uint32(len(s.Buffers)))
	for _, b := range s.Buffers {
		w.text(b.Label)
		w.u64(uint64(b.Bytes))
		w.bool(b.Scratch)
	}
	w.u8(uint8(s.Timing))
	w.u8(s.Lowering)
	w.commands(s.Commands, kernels)
}

func (w *writer) bool(v bool) {
	n := uint8(0)
	if v {
		n = 1
	}
	w.u8(n)
}

func (w *writer) rangeOf(r Range) {
	w.u32(r.Buffer)
	w.u64(uint64(r.Off))
	w.u64(uint64(r.Len))
}

func (w *writer) commands(all []Command, kernels map[string]uint32) {
	w.u32(uint32(len(all)))
	for i := range all {
		c := &all[i]
		w.u8(uint8(c.Kind))
		switch c.Kind {
		case DoFill:
			w.rangeOf(c.Dst)
			w.u64(c.Value)
			w.u8(c.Width)
		case DoUpload:
			w.rangeOf(c.Dst)
			w.u8(c.Width)
			w.text(string(c.Data))
		case DoCopy:
			w.rangeOf(c.Dst)
			w.rangeOf(c.Src)
		case DoRead:
			w.rangeOf(c.Src)
		case DoLaunch:
			w.launch(c, kernels)
		case DoWhile:
			w.rangeOf(c.Dst)
			w.u64(c.Value)
			w.commands(c.Body, kernels)
		case DoRepeat:
			w.u64(c.Value)
			w.commands(c.Body, kernels)
		}
	}
}

func (w *writer) launch(c *Command, kernels map[string]uint32) {
	n, ok := kernels[c.Kernel]
	if !ok {
		n = ^uint32(0) // which no reader takes
	}
	w.u32(n)
	for _, n := range c.Grid {
		w.u32(n)
	}
	w.u64(c.Domain)
	w.u32(c.Traces)
	w.u64(uint64(c.Rest))
	w.u32(uint32(len(c.Args)))
	for _, a := range c.Args {
		w.u8(uint8(a.Type))
		if a.Type == ir.None {
			w.rangeOf(a.Range)
		} else {
			w.u64(a.Bits)
		}
	}
}

// sequence takes a sequence of the kernels of its file.
func (r *reader) sequence(kernels []*Kernel) *Sequence {
	r.label, r.of = "", "sequence"
	s := NewSequence(r.text())
	if r.label = s.label; s.label == "" {
		r.wrong("a sequence has no label")
	}
	for range r.count(r.u32(), leastBuffer) {
		b := Buffer{Label: r.text(), Bytes: int64(r.u64())}
		if b.Scratch = r.bool(); b.Bytes < 0 {
			r.wrong("a buffer has %d bytes", b.Bytes)
		}
		s.Buffers = append(s.Buffers, b)
	}
	if s.Timing = Timing(r.u8()); s.Timing&^allTiming != 0 {
		r.wrong("something unknown is measured")
	}
	if s.Lowering = r.u8(); s.Lowering > 2 {
		r.wrong("its loops are lowered in an unknown way")
	}
	s.Commands = r.commands(s, kernels, 0)
	return s
}

func (r *reader) bool() bool {
	n := r.u8()
	if n > 1 {
		r.wrong("a flag is %d", n)
	}
	return n == 1
}

func (r *reader) rangeOf(s *Sequence) Range {
	g := Range{r.u32(), int64(r.u64()), int64(r.u64())}
	if r.err == nil && (uint64(g.Buffer) >= uint64(len(s.Buffers)) || g.Off < 0 || g.Len < 0 || g.Len > s.Buffers[g.Buffer].Bytes-g.Off) {
		r.wrong("a range is not inside a buffer")
	}
	return g
}

func (r *reader) commands(s *Sequence, kernels []*Kernel, depth int) (all []Command) {
	if depth > MaxDepth {
		r.wrong("loops nest deeper than %d", MaxDepth)
		return nil
	}
	for range r.count(r.u32(), leastCommand) {
		c := Command{Kind: CommandKind(r.u8())}
		switch c.Kind {
		case DoFill:
			c.Dst, c.Value, c.Width = r.rangeOf(s), r.u64(), r.u8()
		case DoUpload:
			c.Dst, c.Width = r.rangeOf(s), r.u8()
			if data := r.text(); data != "" {
				c.Data = []byte(data)
			}
			if c.Width > static || c.Data != nil && (c.Width != static || int64(len(c.Data)) != c.Dst.Len) {
				r.wrong("an upload of mode %d has %d bytes for %d", c.Width, len(c.Data), c.Dst.Len)
			}
		case DoCopy:
			c.Dst, c.Src = r.rangeOf(s), r.rangeOf(s)
		case DoRead:
			c.Src = r.rangeOf(s)
		case DoLaunch:
			r.launch(&c, s, kernels)
		case DoWhile, DoRepeat:
			if c.Kind == DoWhile {
				c.Dst = r.rangeOf(s)
			}
			if c.Value = r.u64(); c.Value > 1<<62 {
				r.wrong("a loop has %d rounds", c.Value)
			}
			c.Body = r.commands(s, kernels, depth+1)
		default:
			r.wrong("a command is of the unknown kind %d", c.Kind)
		}
		if r.err != nil {
			return nil
		}
		all = append(all, c)
	}
	return all
}

func (r *reader) launch(c *Command, s *Sequence, kernels []*Kernel) {
	n := r.u32()
	if uint64(n) >= uint64(len(kernels)) {
		r.wrong("a launch is of no kernel of the bundle")
		return
	}
	k := kernels[n]
	c.Kernel = k.label
	for i := range c.Grid {
		c.Grid[i] = r.u32()
	}
	c.Domain, c.Traces, c.Rest = r.u64(), r.u32(), int64(r.u64())
	if c.Rest < -1 || c.Rest > 1<<31 {
		r.wrong("a launch of kernel %s has a shared array of %d elements", k.label, c.Rest)
	}
	for range r.count(r.u32(), leastArg) {
		a := Arg{Type: ir.Type(r.u8())}
		if a.Type == ir.None {
			a.Range = r.rangeOf(s)
		} else {
			a.Bits = r.u64()
		}
		c.Args = append(c.Args, a)
	}
	if len(c.Args) != len(k.Params) {
		r.wrong("a launch of kernel %s has %d arguments for %d parameters", k.label, len(c.Args), len(k.Params))
	}
}
