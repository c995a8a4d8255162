package explain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Input says what to explain, and how it is compiled.
type Input struct {
	Program *ir.Program // as the front end made it
	// Read returns a source file by its name in the program's positions. Nil, or an error,
	// leaves the file out of the page.
	Read   func(file string) ([]byte, error)
	Passes compile.Choice
	Target ptx.Target
	Times  bool // show how long each pass took, which differs from run to run
	// Machine is what the machine code takes, which the compiler does not know. Nil leaves that out.
	Machine *Machine
	// Disassemble shows the machine code that a text of PTX becomes; nil, or no lines, leaves it out.
	Disassemble func(text string) []MachineLine
}

// Page is what there is to see of one kernel, in columns.
type Page struct {
	program *ir.Program
	target  ptx.Target
	origins *origins
	columns []*column
	stages  []stage
}

// stage is a step on the way: a column, or a pass that changed nothing and has none.
type stage struct {
	name   string
	column *column
}

// New compiles the program and keeps what it looked like on the way. It looks at the context before each column, which takes
// longer than the pass that it shows.
//
// Errors: that of the context; one about the choice of passes, or about what the target lacks.
func New(ctx context.Context, in Input) (*Page, error) {
	page, err := explain(ctx, in)
	if ended := ctx.Err(); ended != nil {
		return nil, fmt.Errorf("explain %s: %w", in.Program.Name(), ended)
	}
	return page, err
}

// explain is New, and may leave out columns once the context has ended.
func explain(ctx context.Context, in Input) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tagged, o, err := tag(in.Program)
	if err != nil {
		return nil, err
	}
	page := &Page{program: in.Program, target: in.Target, origins: o}
	front := o.programColumn(tagged)
	front.id, front.title = "front", "front end"
	front.fact("rows", strconv.Itoa(rows(tagged)), "constants aside")
	front.totals(opt.Count(tagged))
	page.add(front)
	w := &way{ctx: ctx, page: page, times: in.Times, program: tagged, shown: front}
	module, err := ptx.Compile(tagged, in.Target, ptx.Options{Passes: in.Passes, Trace: w.step})
	if err != nil {
		var ds ir.Diags
		if errors.As(err, &ds) {
			return nil, o.restore(ds)
		}
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	assembly := o.moduleColumn(module)
	assembly.machine(in.Machine)
	checks, err := opt.BoundsChecks(in.Program)
	if err != nil {
		return nil, err
	}
	if source := o.sourceColumn(in.Read, checks); source != nil {
		source.weigh(assembly)
		page.columns = append([]*column{source}, page.columns...)
		page.stages = append([]stage{{source.title, source}}, page.stages...)
	}
	page.add(assembly)
	if in.Disassemble != nil {
		if code := in.Disassemble(module.Text); len(code) > 0 {
			page.add(assembly.machineColumn(code, in.Target))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cpu, err := o.cpuColumn(tagged, in.Passes)
	if err != nil {
		return nil, err
	}
	page.add(cpu)
	return page, nil
}

func (p *Page) add(c *column) {
	p.stages = append(p.stages, stage{c.title, c})
	p.columns = append(p.columns, c)
}

// way follows a program through the passes.
type way struct {
	ctx     context.Context
	page    *Page
	times   bool
	program *ir.Program // after the last run
	count   int         // of instructions, once there are any
	shown   *column     // the last one
}

// step adds a column for what a run made, or its name if that was nothing.
func (w *way) step(s ptx.Step) {
	var c *column
	switch {
	case s.Run == "ptx.print", w.ctx.Err() != nil:
		return // the module has its text, or nobody waits for it
	case !s.Changed:
		w.page.stages = append(w.page.stages, stage{name: s.Run})
		return
	case s.Listing == nil:
		c = w.page.origins.programColumn(s.Program)
		c.fact("rows", fmt.Sprintf("%d → %d", rows(w.program), rows(s.Program)), "before and after, constants aside")
		w.program = s.Program
	default:
		c = w.page.origins.listingColumn(s.Program, s.Listing)
		if w.count == 0 {
			w.shown.totals(opt.Count(s.Program)) // the last of the programs
			c.fact("instructions", strconv.Itoa(s.Rows), "labels and directives too")
		} else {
			c.fact("instructions", fmt.Sprintf("%d → %d", w.count, s.Rows), "before and after, labels and directives too")
		}
		w.count = s.Rows
	}
	c.id, c.title = strings.ReplaceAll(s.Run, ".", "-"), s.Run
	if w.times {
		c.fact("took", fmt.Sprintf("%d ns", s.Time.Nanoseconds()), "time of the pass")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Rewrites)) {
		c.rules = append(c.rules, rule{name, s.Rewrites[name]})
	}
	if c.about == w.shown.about {
		came, went := markChanges(w.shown, c)
		c.fact("lines", fmt.Sprintf("+%d −%d", came, went), "new since the column before, and gone")
	}
	w.page.add(c)
	w.shown = c
}

// totals shows what a program has of what costs most.
func (c *column) totals(t opt.Totals) {
	if t.Accesses > 0 {
		value := fmt.Sprintf("%d, %d in bounds", t.Accesses, t.InBounds)
		if t.Vectors > 0 {
			value += fmt.Sprintf(", %d wide", t.Vectors)
		}
		c.fact("accesses", value, "loads, stores and atomics; those proven in bounds, which need no check; those of two or four elements")
	}
	if t.Barriers > 0 {
		c.fact("barriers", strconv.Itoa(t.Barriers), "of a workgroup or the grid")
	}
}

// rows counts rows as the statistics of passes do: constants aside.
func rows(p *ir.Program) int {
	n := 0
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpConst {
			n++
		}
	}
	return n
}
