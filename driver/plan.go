package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Plan is what Prepare hands to a device: a sequence that breaks no rule, with neighbouring
// transfers fused. Setters change it between runs, never during one. It is the device's to
// read.
type Plan struct {
	Label    string
	Tally    *Tally // counts what running it does
	Cmds     []Cmd
	Uses     []Use // every buffer once, ascending by ID: the order for locking
	Uploads  []*UploadCmd
	Reads    []*ReadCmd
	Launches []*LaunchCmd
	Whiles   []*LoopCmd

	// TimedFrom and TimedTo bound the top-level commands that device time is measured
	// around, [TimedFrom, TimedTo): from the first launch, copy or loop to the last of
	// these or fills. Host transfers outside of that are not device work.
	TimedFrom, TimedTo int

	NoDeviceTime  bool // nothing is measured
	TimeTransfers bool // what is before TimedFrom and from TimedTo on is measured as well

	// Rehosted is what Clock was when a setter last changed which HostMemory, or which bytes of it, a
	// transfer is from or to, Recounted when one last changed the count of a loop.
	Rehosted, Recounted uint64

	// Scratch lists the buffers private to the sequence.
	Scratch []Buffer

	// Rows says that the plan is a chunk of a batch: so many rows, which are equal parts of Cmds and independent of each
	// other. 0 for any other plan.
	Rows int
	ends []rowEnd // of the rows

	stale   bool // a setter bound another buffer, or changed a count, since Uses was made
	changes changes
	adopted uint64 // of a copy: the clock of the original when it took over what setters changed there
}

// Use is a buffer that a run touches.
type Use struct {
	Buffer Buffer
	Writes bool
}

// Advance gives a buffer the version that the run about to be started writes.
func (u Use) Advance() { u.Buffer.leaf().version.Add(1) }

// Cmd is one command of a plan: *FillCmd, *UploadCmd, *CopyCmd, *LaunchCmd, *LoopCmd or
// *ReadCmd. Ranges of length 0 do not occur, launches of no groups do.
type Cmd interface{ where() string }

// FillCmd stores the low Width bytes of Value over Dst again and again.
type FillCmd struct {
	Path  string
	Dst   Range
	Value uint64
	Width int
}

// UploadCmd stores host bytes into Dst. Pieces are disjoint and fill Dst.
type UploadCmd struct {
	Path   string
	Index  int // in Plan.Uploads
	Dst    Range
	Mode   Mode
	Inputs []*Input
	Pieces []Piece

	// private reports, of a Mode other than Always, that every run comes past the upload and no other
	// command of the plan writes into Dst, so that bytes sent by one run are still there for the next.
	private bool
}

// Piece is a part of an upload that comes from one input.
type Piece struct {
	Input     *Input
	From, Len int64 // bytes of the input
	At        int64 // offset in the upload's Dst
}

// CopyCmd copies Src to Dst, which have equal lengths and do not overlap.
type CopyCmd struct {
	Path     string
	Dst, Src Range
}

// LaunchCmd runs a kernel.
type LaunchCmd struct {
	Path   string
	Index  int // in Plan.Launches
	Kernel Kernel
	Grid   Grid
	Args   []Bound // one a parameter
	Rest   int     // elements of the shared array of launch-time length
	Domain uint64  // items of work, for statistics; 0 is the number of threads
	Traces int     // capacity for trace records
	// Changed is what Plan.Clock was when a setter last changed the launch, but for Domain; Moved when one
	// last bound another range.
	Changed, Moved uint64

	change change
}

// Bound is the value of one parameter: a range for a buffer, bits for a scalar.
type Bound struct {
	Range Range
	Bits  uint64
}

// LoopCmd repeats Body: Count times, or while Flag is not zero and at most Count times.
type LoopCmd struct {
	Path  string
	While bool
	Index int // in Plan.Whiles
	Flag  Range
	Count uint64
	// Lowering of a While is LoopGraph or LoopHost. Forced says that the device may not change
	// the first into the second.
	Lowering Lowering
	Forced   bool
	Body     []Cmd
}

// ReadCmd fetches Src. Each output is a view into it.
type ReadCmd struct {
	Path  string
	Index int // in Plan.Reads
	Src   Range
	Views []View
	Gap   int64 // bytes that no output asked for
}

// View is the part of a read that one output wants.
type View struct {
	Output *Output
	Off    int64
}

func (c *FillCmd) where() string   { return c.Path }
func (c *UploadCmd) where() string { return c.Path }
func (c *CopyCmd) where() string   { return c.Path }
func (c *LaunchCmd) where() string { return c.Path }
func (c *LoopCmd) where() string   { return c.Path }
func (c *ReadCmd) where() string   { return c.Path }

// slots returns the number of threads of the launch, saturated.
func (c *LaunchCmd) slots() uint64 {
	n := c.Grid.Total()
	for _, size := range c.Kernel.Workgroup() {
		n = mulSat(n, uint64(size))
	}
	return n
}

// index fills everything that is derived from Cmds.
func (p *Plan) index() {
	p.walk(p.Cmds, func(c Cmd) {
		switch c := c.(type) {
		case *UploadCmd:
			c.Index = len(p.Uploads)
			p.Uploads = append(p.Uploads, c)
		case *ReadCmd:
			c.Index = len(p.Reads)
			p.Reads = append(p.Reads, c)
		case *LaunchCmd:
			c.Index, c.change, c.Changed, c.Moved = len(p.Launches), change{}, 0, 0
			p.Launches = append(p.Launches, c)
		case *LoopCmd:
			if c.While {
				c.Index = len(p.Whiles)
				p.Whiles = append(p.Whiles, c)
			}
		}
	})
	p.TimedFrom, p.TimedTo = 0, len(p.Cmds)
	device := func(c Cmd) bool {
		switch c.(type) {
		case *LaunchCmd, *CopyCmd, *LoopCmd:
			return true
		}
		return false
	}
	if first := slices.IndexFunc(p.Cmds, device); first >= 0 {
		p.TimedFrom = first
		for i, c := range p.Cmds[first:] {
			if _, fill := c.(*FillCmd); fill || device(c) {
				p.TimedTo = first + i + 1
			}
		}
	}
	p.stale = true
	p.refresh()
}

// walk visits commands in order, loops before their bodies.
func (p *Plan) walk(cmds []Cmd, visit func(Cmd)) {
	for _, c := range cmds {
		visit(c)
		if l, ok := c.(*LoopCmd); ok {
			p.walk(l.Body, visit)
		}
	}
}

// refresh brings Uses and UploadCmd.private up to date with the launches' arguments. It
// reuses what is there: a run after a setter allocates nothing.
func (p *Plan) refresh() {
	if !p.stale {
		return
	}
	p.stale = false
	p.Uses = appendUses(p.Uses[:0], p.Cmds)
	slices.SortFunc(p.Uses, func(a, b Use) int { return cmp.Compare(a.Buffer.ID(), b.Buffer.ID()) })
	n := 0
	for _, u := range p.Uses {
		if n > 0 && p.Uses[n-1].Buffer == u.Buffer {
			p.Uses[n-1].Writes = p.Uses[n-1].Writes || u.Writes
			continue
		}
		p.Uses[n] = u
		n++
	}
	p.Uses = p.Uses[:n]
	for _, u := range p.Uploads {
		u.private = u.Mode != Always && !writtenByOther(p.Cmds, u) && comesPast(p.Cmds, u)
	}
}

func appendUses(uses []Use, cmds []Cmd) []Use {
	for _, c := range cmds {
		Touches(c, func(r Range, writes bool) { uses = append(uses, Use{r.Buffer, writes}) })
	}
	return uses
}

// Touches visits every range that a command reads or writes, with all of a loop's body.
func Touches(c Cmd, visit func(r Range, writes bool)) {
	switch c := c.(type) {
	case *FillCmd:
		visit(c.Dst, true)
	case *UploadCmd:
		visit(c.Dst, true)
	case *CopyCmd:
		visit(c.Dst, true)
		visit(c.Src, false)
	case *ReadCmd:
		visit(c.Src, false)
	case *LaunchCmd:
		for i, a := range c.Args {
			if a.Range.Buffer != nil {
				visit(a.Range, c.writes(i))
			}
		}
	case *LoopCmd:
		if c.While {
			visit(c.Flag, false)
		}
		for _, b := range c.Body {
			Touches(b, visit)
		}
	}
}

// ReplaySafe reports whether what the uploads that are not Always have sent is still there after
// a run.
func (p *Plan) ReplaySafe() bool {
	for _, u := range p.Uploads {
		if u.Mode != Always && !u.private {
			return false
		}
	}
	return true
}

func (c *LaunchCmd) writes(param int) bool { return c.Kernel.Signature()[param].Access.Writes() }

// comesPast reports whether an upload happens in every run: a loop around it may have no round.
func comesPast(cmds []Cmd, u *UploadCmd) bool {
	return slices.ContainsFunc(cmds, func(c Cmd) bool {
		l, loop := c.(*LoopCmd)
		return c == Cmd(u) || loop && !l.While && l.Count > 0 && comesPast(l.Body, u)
	})
}

// writtenByOther reports whether a command other than u writes into u's destination.
func writtenByOther(cmds []Cmd, u *UploadCmd) bool {
	for _, c := range cmds {
		switch c := c.(type) {
		case *FillCmd:
			if c.Dst.Overlaps(u.Dst) {
				return true
			}
		case *UploadCmd:
			if c != u && c.Dst.Overlaps(u.Dst) {
				return true
			}
		case *CopyCmd:
			if c.Dst.Overlaps(u.Dst) {
				return true
			}
		case *LaunchCmd:
			for i, a := range c.Args {
				if a.Range.Overlaps(u.Dst) && c.writes(i) {
					return true
				}
			}
		case *LoopCmd:
			if writtenByOther(c.Body, u) {
				return true
			}
		}
	}
	return false
}

// String lists the plan, one command a line.
func (p *Plan) String() string {
	var b strings.Builder
	list(&b, p.Cmds, "")
	return b.String()
}

func list(b *strings.Builder, cmds []Cmd, indent string) {
	for _, c := range cmds {
		fmt.Fprintf(b, "%s%-10s ", indent, c.where())
		switch c := c.(type) {
		case *FillCmd:
			fmt.Fprintf(b, "fill %v with %#x, width %d\n", c.Dst, c.Value, c.Width)
		case *UploadCmd:
			fmt.Fprintf(b, "upload %v, %v, inputs %d\n", c.Dst, c.Mode, len(c.Inputs))
		case *CopyCmd:
			fmt.Fprintf(b, "copy %v from %v\n", c.Dst, c.Src)
		case *ReadCmd:
			fmt.Fprintf(b, "read %v, outputs %d, gap %d\n", c.Src, len(c.Views), c.Gap)
		case *LaunchCmd:
			fmt.Fprintf(b, "launch %s on %v", c.Kernel.Label(), c.Grid)
			for i, p := range c.Kernel.Signature() {
				if p.IsBuffer() {
					fmt.Fprintf(b, " %s=%v", p.Name, c.Args[i].Range)
				} else {
					fmt.Fprintf(b, " %s=%#x", p.Name, c.Args[i].Bits)
				}
			}
			b.WriteString("\n")
		case *LoopCmd:
			if c.While {
				fmt.Fprintf(b, "while %v, at most %d\n", c.Flag, c.Count)
			} else {
				fmt.Fprintf(b, "repeat %d\n", c.Count)
			}
			list(b, c.Body, indent+"  ")
		}
	}
}
