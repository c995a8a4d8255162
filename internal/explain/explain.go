package explain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Input says what to explain, and how it is compiled.
type Input struct {
	Program *ir.Program // as the front end made it
	// Read returns a source file by its name in the program's positions. Nil, or an error,
	// leaves the file out of the page.
	Read    func(file string) ([]byte, error)
	Options opt.Options // of the passes; Trace is this package's
	Target  ptx.Target
	Times   bool // show how long each pass took, which differs from run to run
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

// New compiles the program and keeps what it looked like on the way. An error is the optimiser's,
// about its options, or the emitter's, about what the target lacks.
func New(in Input) (*Page, error) {
	tagged, o, err := tag(in.Program)
	if err != nil {
		return nil, err
	}
	page := &Page{program: in.Program, target: in.Target, origins: o}
	last, err := page.programs(tagged, in)
	if err != nil {
		return nil, err
	}
	module, err := ptx.Emit(last, in.Target, ptx.Options{})
	if err != nil {
		var ds ir.Diags
		if errors.As(err, &ds) {
			return nil, o.restore(ds)
		}
		return nil, err
	}
	assembly := o.ptxColumn(module)
	if source := o.sourceColumn(in.Read); source != nil {
		source.weigh(assembly)
		page.columns = append([]*column{source}, page.columns...)
		page.stages = append([]stage{{source.title, source}}, page.stages...)
	}
	page.add(assembly)
	return page, nil
}

func (p *Page) add(c *column) {
	p.stages = append(p.stages, stage{c.title, c})
	p.columns = append(p.columns, c)
}

// programs adds the front end's program and those behind the passes, and returns the last.
func (p *Page) programs(tagged *ir.Program, in Input) (*ir.Program, error) {
	front := p.origins.programColumn(tagged)
	front.id, front.title = "front", "front end"
	front.fact("rows", strconv.Itoa(rows(tagged)), "constants aside")
	p.add(front)
	last, shown := tagged, front
	runs := make(map[string]int)
	in.Options.Trace = func(s opt.PassStats, q *ir.Program) {
		if runs[s.Pass]++; q == last {
			p.stages = append(p.stages, stage{name: s.Pass})
			return
		}
		c := p.origins.programColumn(q)
		c.id, c.title = s.Pass, s.Pass
		if n := runs[s.Pass]; n > 1 {
			c.id, c.title = fmt.Sprintf("%s-%d", s.Pass, n), fmt.Sprintf("%s, run %d", s.Pass, n)
		}
		c.fact("rows", fmt.Sprintf("%d → %d", rows(last), rows(q)), "before and after, constants aside")
		if in.Times {
			c.fact("took", fmt.Sprintf("%d ns", s.Time.Nanoseconds()), "time of the pass")
		}
		for _, name := range slices.Sorted(maps.Keys(s.Rewrites)) {
			c.rules = append(c.rules, rule{name, s.Rewrites[name]})
		}
		came, went := markChanges(shown, c)
		c.fact("lines", fmt.Sprintf("+%d −%d", came, went), "new since the column before, and gone")
		p.add(c)
		last, shown = q, c
	}
	q, report, err := opt.Run(tagged, in.Options)
	if err != nil {
		return nil, err
	}
	front.totals(report.Before)
	if shown != front {
		shown.totals(report.After)
	}
	return q, nil
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
