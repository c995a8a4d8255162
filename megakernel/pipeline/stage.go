package pipeline

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// Stage is one kernel of a pipeline.
type Stage struct {
	Program *ir.Program  // of package kernel, or of a builder
	Args    []driver.Arg // one a parameter: ranges, scalars and megakernel.Temp

	// Items is for how many items the program runs, one invocation each, whose number is its global id along x. Of a
	// program that can tell its group size (see driver.Resize) it is how many groups run.
	Items uint32

	// Feed, if set, is called between the stage before and this one: the host writes what the stage needs. Take is
	// called between this stage and the next: the host reads what the stage put out. Neither can happen inside a launch.
	Feed, Take func(context.Context) error
}

// stage is a stage, looked into.
type stage struct {
	*Stage
	id       int
	items    bool  // runs once for every item; else in groups of its own
	args     []arg // one a parameter
	accesses []access
	uses     []use // by binding
}

// arg is where a parameter gets its value from.
type arg struct {
	binding int    // of a buffer; -1 for a scalar
	bits    uint64 // of a scalar, as the program sees it
}

// use is what a stage does to a binding.
type use struct{ reads, writes bool }

func (u use) any() bool { return u.reads || u.writes }

// binding is memory that stages use.
type binding struct {
	memory driver.Range // of a temp: once it has any
	temp   *megakernel.Temp
	param  ir.Param // as the first stage declares it
	mixed  bool     // others see elements of another type there
	near   []int    // others that share bytes with it

	first, last int // stage that uses it
}

func (b *binding) bytes() int64 {
	if b.temp != nil {
		return b.temp.Bytes
	}
	return b.memory.Len
}

func (b *binding) String() string {
	if b.temp != nil {
		return fmt.Sprintf("temp %d", b.temp.ID)
	}
	return b.memory.String()
}

// length is how many elements, or records, of a parameter the binding has.
func (b *binding) length(q *ir.Param) int64 { return b.bytes() / int64(q.Bytes()) }

// looker looks into stages and collects what they share.
type looker struct {
	dev      driver.Device
	label    string
	stages   []*stage
	bindings []binding
	ranges   map[rangeKey]int
	temps    map[int]int
	found    driver.Problems
}

type rangeKey struct {
	buffer   driver.Buffer
	off, len int64
}

// look looks into all stages.
func look(dev driver.Device, label string, stages []Stage) (*looker, error) {
	l := &looker{dev: dev, label: label, ranges: map[rangeKey]int{}, temps: map[int]int{}}
	if len(stages) == 0 {
		return nil, driver.Problems{l.problem("empty", -1, "", "there are no stages", "give at least one")}
	}
	for i := range stages {
		s := &stage{Stage: &stages[i], id: i}
		l.stages = append(l.stages, s)
		if s.Program == nil {
			l.refuse("program", s, "", "it has no program", "give every stage a sealed program")
			continue
		}
		l.bind(s)
	}
	if len(l.found) > 0 {
		return nil, l.found
	}
	l.overlaps()
	for _, s := range l.stages {
		l.use(s)
	}
	if len(l.found) > 0 {
		return nil, l.found
	}
	return l, nil
}

// bind finds where the parameters of a stage get their values from.
func (l *looker) bind(s *stage) {
	_, err := driver.Resize(s.Program, s.Program.Workgroup())
	s.items = err == nil
	params := s.Program.Params()
	rest := s.Program.Traits().SharedRest
	if n := len(params); len(s.Args) != n && !(rest && len(s.Args) == n+1) {
		l.refuse("arguments", s, "", fmt.Sprintf("it has %d arguments for %d parameters", len(s.Args), n), "give one argument a parameter, in order")
		return
	}
	if s.Items > megakernel.MaxItems {
		l.refuse("items", s, "", fmt.Sprintf("%d items, at most %d are possible", s.Items, megakernel.MaxItems), "split the stage")
	}
	for k := range params {
		s.args = append(s.args, l.source(s, params[k], s.Args[k]))
	}
}

// source finds where a parameter gets its value from.
func (l *looker) source(s *stage, q ir.Param, a driver.Arg) arg {
	where := "argument " + q.Name
	const fix = "pass a range or a Temp for a buffer, and a scalar of the exact type for a value"
	switch a := a.(type) {
	case driver.Scalar:
		if q.IsBuffer() || a.Type != q.Type {
			l.refuse("arguments", s, where, fmt.Sprintf("it is %v, the parameter is %s", a, describe(&q)), fix)
			return arg{binding: -1}
		}
		return arg{binding: -1, bits: a.Type.Extend(a.Bits)}
	case driver.Range:
		switch {
		case !q.IsBuffer():
			l.refuse("arguments", s, where, "it is a range, the parameter is "+describe(&q), fix)
		case a.Buffer == nil:
			l.refuse("arguments", s, where, "it has no buffer", "pass a range of an open buffer")
		default:
			key := rangeKey{a.Buffer, a.Off, a.Len}
			k, ok := l.ranges[key]
			if !ok {
				k = len(l.bindings)
				l.ranges[key] = k
				l.bindings = append(l.bindings, binding{memory: a, param: q, first: s.id})
			}
			return l.join(s, k, q)
		}
	case megakernel.Temp:
		switch k, ok := l.temps[a.ID]; {
		case !q.IsBuffer():
			l.refuse("arguments", s, where, "it is a temp, the parameter is "+describe(&q), fix)
		case a.Kept:
			l.refuse("temp", s, where, fmt.Sprintf("temp %d is to be kept, and temps of a pipeline last for a run", a.ID), "pass a range of a buffer of your own")
		case a.Bytes <= 0 || a.Bytes%int64(q.Bytes()) != 0:
			l.refuse("temp", s, where, fmt.Sprintf("temp %d has %d bytes, its elements %d each", a.ID, a.Bytes, q.Bytes()), "give it whole elements, at least one")
		case ok && l.bindings[k].temp.Bytes != a.Bytes:
			l.refuse("temp", s, where, fmt.Sprintf("temp %d has %d bytes here and %d in another stage", a.ID, a.Bytes, l.bindings[k].temp.Bytes), "say the same of it wherever it stands")
		default:
			if !ok {
				k = len(l.bindings)
				l.temps[a.ID] = k
				l.bindings = append(l.bindings, binding{temp: &a, param: q, first: s.id})
			}
			return l.join(s, k, q)
		}
	default:
		l.refuse("arguments", s, where, fmt.Sprintf("it is a %T", a), fix)
	}
	return arg{binding: -1}
}

// join adds to a binding what a stage wants of it.
func (l *looker) join(s *stage, k int, q ir.Param) arg {
	b := &l.bindings[k]
	b.mixed = b.mixed || !sameElements(&b.param, &q)
	b.last = s.id
	return arg{binding: k}
}

// overlaps lists for each binding those that share bytes with it and are not the same range.
func (l *looker) overlaps() {
	for i := range l.bindings {
		for j := range i {
			if a, b := &l.bindings[i], &l.bindings[j]; a.temp == nil && b.temp == nil && a.memory.Overlaps(b.memory) {
				a.near, b.near = append(a.near, j), append(b.near, i)
			}
		}
	}
}

// use finds out what a stage does to its bindings, and refuses temps that it reads before anybody writes them.
func (l *looker) use(s *stage) {
	s.accesses = l.scan(s)
	s.uses = make([]use, len(l.bindings))
	p := s.Program
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		if in.Imm == ir.ImmCopy {
			_, src := ir.CopyObjects(p.X(r))
			s.uses[s.args[p.Objects()[src].Index].binding].reads = true
		}
		if in.Imm != ir.ImmObject || p.Objects()[p.X(r)].Param == nil {
			continue
		}
		u := &s.uses[s.args[p.Objects()[p.X(r)].Index].binding]
		u.reads, u.writes = u.reads || in.Attr&ir.Reads != 0, u.writes || in.Attr&ir.Writes != 0
	}
	for k, u := range s.uses {
		if b := &l.bindings[k]; b.temp != nil && b.first == s.id && u.reads && !u.writes {
			l.refuse("unwritten", s, b.String(), "no stage has written it when this one reads it", "let a stage before write it, or pass a range of a buffer of your own")
		}
	}
}

// orders reports whether one stage has to see what the other does: both use the same memory, and one writes.
func (l *looker) orders(a, b *stage) bool {
	for k, u := range a.uses {
		for _, other := range append(l.bindings[k].near[:len(l.bindings[k].near):len(l.bindings[k].near)], k) {
			if v := b.uses[other]; u.writes && v.any() || u.any() && v.writes {
				return true
			}
		}
	}
	return false
}

// refuse keeps a problem of a stage.
func (l *looker) refuse(code string, s *stage, where, msg, fix string) {
	path := s.String()
	if where != "" {
		path += ", " + where
	}
	l.found = append(l.found, l.problem(code, s.id, path, msg, fix))
}

// problem is an error of the package.
func (l *looker) problem(code string, index int, path, msg, fix string) *driver.Error {
	return &driver.Error{Op: "plan", Label: l.label, Device: l.dev.Name(), Kind: driver.InvalidArgument, Path: path, Msg: msg, Fix: fix, Err: &Reason{Code: code, Index: index}}
}

func (s *stage) String() string {
	if s.Program == nil {
		return fmt.Sprintf("stage %d", s.id)
	}
	return fmt.Sprintf("stage %d %s", s.id, s.Program.Name())
}

func describe(q *ir.Param) string {
	switch {
	case q.Record != nil:
		return "a buffer of records"
	case q.IsBuffer():
		return "a buffer of " + q.Type.String()
	}
	return q.Type.String()
}

// sameElements reports whether two parameters may become one.
func sameElements(a, b *ir.Param) bool {
	if (a.MaxLen >= 1<<32) != (b.MaxLen >= 1<<32) { // their lengths have different types
		return false
	}
	if a.Record == nil || b.Record == nil {
		return a.Record == b.Record && a.Type == b.Type
	}
	return a.Record.Same(b.Record)
}
