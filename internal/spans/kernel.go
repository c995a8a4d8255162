package spans

import (
	"github.com/govyre/vyre/internal/source"
	"github.com/govyre/vyre/ir"
)

// Named is the name of a wave that runs a program.
func Named(plan, wave string, when When, p *ir.Program) Name {
	at := source.Of(p)
	return Name{Plan: plan, Wave: wave, When: when, File: at.File, Line: at.Line}
}

// Names are those of the spans that a kernel records, by the tags of its traces.
type Names map[uint32]Name

// NamesOf finds them in a program; nil if it records none.
func NamesOf(p *ir.Program) Names {
	if !p.Traits().Traces {
		return nil
	}
	var all Names
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpTrace {
			continue
		}
		if n, ok := Parse(p.Message(r)); ok {
			if all == nil {
				all = Names{}
			}
			all[p.X(r)] = n
		}
	}
	return all
}

// Kernel is a kernel that may record spans.
type Kernel interface{ Spans() Names }

// Of returns the names of a kernel's spans; nil if it records none.
func Of(kernel any) Names {
	if k, ok := kernel.(Kernel); ok {
		return k.Spans()
	}
	return nil
}
