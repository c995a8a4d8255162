package ptx

import (
	"strings"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// Options chooses how programs are compiled. The zero value is what a device does.
type Options struct {
	Passes   compile.Choice
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
	compile.Stats
	Kernel  string
	Changed bool        // there is something else than before the run
	Program *ir.Program // before the group text the one after the run; in it the one that the instructions are of
	Listing *Listing    // in the group text: the instructions
}

// Compile takes a program through all groups of passes. The error is an ir.Diags about what the target lacks, a
// *TargetError, about the choice of passes, or a *compile.InternalError.
func Compile(p *ir.Program, t Target, o Options) (*Module, error) {
	return CompileModule([]*ir.Program{p}, t, o)
}

// CompileModule compiles programs into one module, with an entry for each.
func CompileModule(ps []*ir.Program, t Target, o Options) (m *Module, err error) {
	lowered := make([]*ir.Program, len(ps))
	for i, p := range ps {
		if failed := compile.Guard("optimising", p.Name(), compile.Nowhere, func() { lowered[i], err = optimise(p, t, o) }); failed != nil {
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
	if failed := compile.Guard("emitting", strings.Join(names, ", "), compile.Nowhere, func() { m, err = Emit(lowered, t, o) }); failed != nil {
		return nil, failed
	}
	return m, err
}

// optimise takes p through the groups before text.
func optimise(p *ir.Program, t Target, o Options) (*ir.Program, error) {
	if err := Check(p, t); err != nil {
		return nil, err
	}
	p, err := copies(p, t)
	if err != nil {
		return nil, err
	}
	how := opt.Options{Passes: o.Passes, Check: o.Check}
	if o.Trace != nil {
		last := p
		how.Trace = func(s compile.Stats, q *ir.Program) {
			o.Trace(Step{Stats: s, Kernel: p.Name(), Changed: q != last, Program: q})
			last = q
		}
	}
	q, _, err := opt.Run(p, how)
	return q, err
}
