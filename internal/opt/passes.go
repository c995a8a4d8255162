package opt

import "github.com/govyre/vyre/internal/compile"

// functions are the passes by the names that the table of package compile has for them.
var functions = map[string]func(*work){
	"canonical": canonical,
	"fold":      fold,
	"algebra":   algebra,
	"branch":    branch,
	"dce":       dce,
	"mem2reg":   mem2reg,
	"gvn":       gvn,
	"narrow":    narrow,
	"join":      join,
	"forward":   forward,
	"dse":       dse,
	"bounds":    bounds,
	"views":     views,
	"unswitch":  unswitch,
	"licm":      licm,
	"unroll":    unroll,
	"idiom":     idiom,
	"barrier":   barrier,
	"irce":      irce,
	"pack":      packArrays,
	"clamp":     clamp,
	"guards":    guards,
	"vector":    vector,
	"schedule":  schedule,
	"accurate":  accurate,
	"egraph":    equate,
	"expand":    expand,
	"search":    superoptimise,
}

// applies reports whether there may be anything to do for a run that depends on what happened before.
func (w *work) applies(when compile.When) bool {
	switch when {
	case compile.IfReopened:
		return w.reopened
	case compile.IfInnerLoops:
		return w.innerLoops()
	case compile.IfChecks:
		return w.checks
	}
	return true
}

func init() {
	for _, r := range compile.Table() {
		if r.Group != compile.Text && functions[r.Pass] == nil {
			panic("BUG: opt: the pass " + r.Pass + " has no function")
		}
	}
}
