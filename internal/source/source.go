// Package source finds the function that a program was made of.
package source

import "github.com/govyre/vyre/ir"

// Of returns the file of a program's function, and the first line in it that rows come from; zero if no row has a position. Of rows that
// come from functions it calls, it is the call that counts.
func Of(p *ir.Program) (at ir.Pos) {
	for r := range ir.Row(p.Rows()) {
		pos := p.Pos(r)
		for pos.Call != nil && pos.Call.Line > 0 { // else it names the wave
			pos = *pos.Call
		}
		if pos.File == "" || at.File != "" && pos.File != at.File {
			continue
		}
		if at.File == "" || pos.Line < at.Line {
			at = ir.Pos{File: pos.File, Line: pos.Line}
		}
	}
	return at
}
