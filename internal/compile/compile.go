package compile

import (
	"strings"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/passes"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Options chooses how a program is compiled. The zero value is what a device does.
type Options struct {
	Passes   passes.Choice
	Label    string // names the entry instead of the program
	LineInfo bool   // .file and .loc, for debuggers and profilers
	Annotate bool   // the row after each instruction, of the program that the passes made
	// MaxRegisters bounds the registers of a thread; 0 leaves that to the assembler.
	MaxRegisters int
	Check        bool // verify after every run of a pass, not only after the last

	// Trace is called after each run, in order; text is printed when all programs have come that far.
	Trace func(Step)
}

// Step is what there was after a run of a pass.
type Step struct {
	passes.Stats
	Kernel  string
	Changed bool         // there is something else than before the run
	Program *ir.Program  // before the group text the one after the run; in it the one that the instructions are of
	Listing *ptx.Listing // in the group text: the instructions
}

// Program compiles one program. The error is an ir.Diags about what the target lacks, a *ptx.TargetError, about the choice
// of passes, or a *passes.InternalError.
func Program(p *ir.Program, t ptx.Target, o Options) (*ptx.Module, error) {
	return Programs([]*ir.Program{p}, t, o)
}

// Programs compiles programs into one module, with an entry for each.
func Programs(ps []*ir.Program, t ptx.Target, o Options) (m *ptx.Module, err error) {
	lowered := make([]*ir.Program, len(ps))
	for i, p := range ps {
		if failed := passes.Guard("optimising", p.Name(), passes.Nowhere, func() { lowered[i], err = optimise(p, t, o) }); failed != nil {
			return nil, failed
		}
		if err != nil {
			return nil, err
		}
	}
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name()
	}
	if failed := passes.Guard("emitting", strings.Join(names, ", "), passes.Nowhere, func() { m, err = emit(lowered, t, o) }); failed != nil {
		return nil, failed
	}
	return m, err
}

// optimise takes p through the groups before text.
func optimise(p *ir.Program, t ptx.Target, o Options) (*ir.Program, error) {
	if err := ptx.Check(p, t); err != nil {
		return nil, err
	}
	how := opt.Options{Passes: o.Passes, Check: o.Check}
	if o.Trace != nil {
		last := p
		how.Trace = func(s passes.Stats, q *ir.Program) {
			o.Trace(Step{Stats: s, Kernel: p.Name(), Changed: q != last, Program: q})
			last = q
		}
	}
	q, _, err := opt.Run(p, how)
	return q, err
}

// emit takes programs through the group text.
func emit(ps []*ir.Program, t ptx.Target, o Options) (*ptx.Module, error) {
	how := ptx.Options{Passes: o.Passes, Label: o.Label, LineInfo: o.LineInfo, Annotate: o.Annotate, MaxRegisters: o.MaxRegisters}
	if o.Trace != nil {
		last := make(map[*ir.Program]string)
		how.Trace = func(s passes.Stats, p *ir.Program, l ptx.Listing) {
			o.Trace(Step{Stats: s, Kernel: p.Name(), Changed: l.Text != last[p], Program: p, Listing: &l})
			last[p] = l.Text
		}
	}
	return ptx.Emit(ps, t, how)
}
