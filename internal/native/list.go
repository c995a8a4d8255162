package native

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/internal/native/internal/arm64"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// Listing is the machine code of a program, to be read. Nothing runs it, so it can be made on any system.
type Listing struct {
	Lines  []Line
	Bytes  int
	Target string
	Frames []Frame
	Number string            // the register, or the cell, that has the number of the vector, times 32; of the first of those in step
	InStep int               // vectors that the code is for at once
	Lanes  int               // invocations of a vector: eight, or one
	Notes  map[ir.Row]string // of rows at which a vector stops: who goes on with it
}

// Line is an instruction, or the name of a place that is jumped to.
type Line struct {
	Place    string // if there is one, nothing else is set
	At       int
	Op, Args string
	Row      ir.Row // of the program, that it was made for; ir.NoRow: for none
}

// Frame is memory that machine code knows by address.
type Frame struct {
	Register string // which has the address
	Of       string
	Size     int
	Cells    []Cell
}

// Cell is what stands in a frame from an offset on.
type Cell struct {
	At   int
	What string
}

// listed is a target whose code can be read.
type listed struct {
	target
	read    func(code []byte, at int, label func(at int) string) (amd64.Inst, error)
	general func(amd64.Reg) string // what a general register is called
}

// Targets are the names of all instruction sets that can be listed.
func Targets() []string { return []string{"amd64.avx2", "amd64.avx512", "arm64.neon"} }

// listedTarget returns the target with a name. Programs that list nothing link no target but their own, and no reader.
func listedTarget(name string) (*listed, error) {
	switch name {
	case "amd64.avx2":
		return &listed{amd64Target(), amd64.Read, amd64.Reg.String}, nil
	case "amd64.avx512":
		return &listed{amd64Target512(), amd64.Read, amd64.Reg.String}, nil
	case "arm64.neon":
		return &listed{arm64Target(), arm64.Read, arm64.Name}, nil
	}
	return nil, fmt.Errorf("there is no target %q: there are %v", name, Targets())
}

// marks notes where rows stand in the code, and where vectors stop.
type marks struct {
	at    []markedRow // ascending
	waits map[ir.Row]status
}

type markedRow struct {
	at  int
	row ir.Row
}

func newMarks() *marks { return &marks{at: []markedRow{{0, ir.NoRow}}, waits: map[ir.Row]status{}} }

func (m *marks) put(at int, r ir.Row) { m.at = append(m.at, markedRow{at, r}) }

// row returns the row that the code at an offset is of.
func (m *marks) row(at int) ir.Row {
	after, _ := slices.BinarySearchFunc(m.at, at+1, func(r markedRow, at int) int { return cmp.Compare(r.at, at) })
	return m.at[after-1].row
}

// List makes machine code of a program, which the passes should have gone over, for a target, and reads it. An *UnsupportedError says why there is none.
func List(p *ir.Program, name string) (*Listing, error) { return list(p, name, Options{}) }

func list(p *ir.Program, name string, o Options) (*Listing, error) {
	t, err := listedTarget(name)
	if err != nil {
		return nil, err
	}
	if p, err = opt.AtOnce(p); err != nil {
		return nil, err
	}
	m := newMarks()
	o.target, o.marks = &t.target, m
	f, code, err := translate(p, o)
	if err != nil {
		return nil, err
	}
	l := &Listing{Bytes: len(code), Target: t.name, Number: t.general(vectorNumber), InStep: f.layout.step, Lanes: f.layout.lanes, Frames: []Frame{f.groupFrame(t), f.vectorFrame(t)}, Notes: map[ir.Row]string{}}
	if f.layout.numbered {
		l.Number = fmt.Sprintf("[%s+%#x]", t.general(groupFrame), groupVector)
	}
	for r, why := range m.waits {
		l.Notes[r] = f.note(r, why)
	}
	l.Lines, err = read(t, code, m)
	return l, err
}

// note says who goes on with a row at which vectors stop.
func (f *function) note(r ir.Row, why status) string {
	switch in := f.p.Op(r).Info(); {
	case f.p.Op(r) == ir.OpTrap:
		return "goes to Go if a lane traps"
	case why == assisted:
		return "computed by Go"
	case why == atWarp:
		return "waits for the warp"
	default:
		return "waits for the " + [...]string{ir.LevelGroup: "group", ir.LevelGrid: "grid", ir.LevelFirst: "first groups"}[in.Level]
	}
}

// read turns code into lines: at first only to see which places there are.
func read(t *listed, code []byte, m *marks) ([]Line, error) {
	places := map[int]string{}
	for at := 0; at < len(code); {
		in, err := t.read(code, at, func(to int) string {
			places[to] = ""
			return ""
		})
		if err != nil {
			return nil, err
		}
		at += in.Len
	}
	for i, at := range slices.Sorted(maps.Keys(places)) {
		places[at] = fmt.Sprintf("L%d", i+1)
	}
	var lines []Line
	for at := 0; at < len(code); {
		in, err := t.read(code, at, func(to int) string { return places[to] })
		if err != nil {
			return nil, err
		}
		if name, ok := places[at]; ok {
			lines = append(lines, Line{Place: name})
		}
		lines = append(lines, Line{At: at, Op: in.Name, Args: in.Args, Row: m.row(at)})
		at += in.Len
	}
	return lines, nil
}

// groupFrame says what the frame of a group has where.
func (f *function) groupFrame(t *listed) Frame {
	out := Frame{Register: t.general(groupFrame), Of: "the group", Size: int(f.layout.group.size), Cells: []Cell{
		{groupCount, "vectors of the group, times 32"}, {groupPolls, "rounds of loops until the code returns to Go"}, {groupVector, "the vector that stopped, times 32"}}}
	if !f.layout.alone {
		out.Cells = append(out.Cells, Cell{groupWaits, "vectors that wait at a barrier of the group"}, Cell{groupEnded, "vectors that have ended"})
	}
	add := func(at int32, format string, args ...any) {
		out.Cells = append(out.Cells, Cell{int(at), fmt.Sprintf(format, args...)})
	}
	for i, at := range f.layout.objects {
		if o := f.p.Objects()[i]; !o.Local() {
			add(at, "@%s: address and length", f.objectName(i))
		}
	}
	scalars := slices.DeleteFunc(slices.Clone(f.p.Params()), func(q ir.Param) bool { return q.IsBuffer() })
	for _, e := range f.bank {
		switch e.from {
		case fromConst:
			add(e.off, "%s", repeated(e.bits))
		case fromArg:
			add(e.off, "%%%s", scalars[e.x].Name)
		case fromLen:
			add(e.off, "len @%s", f.objectName(int(e.x)))
		case fromGroups:
			add(e.off, "groups.%c", "xyz"[e.x])
		case fromGroup:
			add(e.off, "group.%c", "xyz"[e.x])
		case fromBase:
			add(e.off, "group.%c times the size of a group", "xyz"[e.x])
		}
	}
	for _, t := range f.tables {
		add(t.off, "%s, of each vector", map[ir.Op]string{ir.OpLocal: fmt.Sprintf("local.%c", "xyz"[t.x]), ir.OpLane: [...]string{"lane", inVector: "lane in the vector"}[min(t.x, inVector)], ir.OpWarp: "warp", ir.OpConst: "mask of the lanes that there are"}[t.op])
	}
	out.sort()
	return out
}

// repeated says what lanes hold that all have the same 64 bits, or twice the same 32: with the number that they are as a
// float if that is a likely one.
func repeated(bits uint64) string {
	likely := func(f float64) bool { return 1e-9 < math.Abs(f) && math.Abs(f) < 1e12 }
	if word := uint32(bits); word == uint32(bits>>32) {
		if f := math.Float32frombits(word); likely(float64(f)) {
			return fmt.Sprintf("%#x, in each lane: %v as f32", word, f)
		}
		return fmt.Sprintf("%#x, in each lane", word)
	}
	if f := math.Float64frombits(bits); likely(f) {
		return fmt.Sprintf("%#x, in each lane of 64 bits: %v as f64", bits, f)
	}
	return fmt.Sprintf("%#x, in each lane of 64 bits", bits)
}

// vectorFrame says what the frame of a vector has where.
func (f *function) vectorFrame(t *listed) Frame {
	out := Frame{Register: t.general(vectorFrame), Of: "the vector", Size: int(f.layout.vector.size), Cells: []Cell{
		{vectorResume, "where it goes on"}, {vectorStatus, "why it stopped"}, {vectorRow, "at which row"}, {vectorLeft, "of the first one of a warp: how many have still to come, and how many there are"},
		{vectorArgs, "operands of a row that it stops at"},
		{vectorMask, "lanes that are active in it"}, {vectorResult, "its result"}, {vectorLanes, "what goes lane by lane"}, {vectorSaved, "registers, while it is stopped"}}}
	kept := -1
	for i := range f.vregs {
		if v := &f.vregs[i]; v.home == homeless && v.reg < 0 && v.end > 0 && (kept < 0 || int(v.off) < kept) {
			kept = int(v.off)
		}
	}
	if kept >= 0 {
		out.Cells = append(out.Cells, Cell{kept, "values for which there was no register"})
	}
	for i, at := range f.layout.locals {
		if o := f.p.Objects()[i]; o.Local() {
			out.Cells = append(out.Cells, Cell{int(at), "@" + f.objectName(i)})
		}
	}
	out.sort()
	return out
}

func (f *Frame) sort() {
	slices.SortStableFunc(f.Cells, func(a, b Cell) int { return cmp.Compare(a.At, b.At) })
}

// objectName names an object as texts of programs do.
func (f *function) objectName(i int) string {
	o := f.p.Objects()[i]
	switch {
	case o.Field != nil:
		return fmt.Sprintf("%s.%d", o.Param.Name, i-int(o.First))
	case o.Param != nil:
		return o.Param.Name
	}
	return o.Array.Name
}
