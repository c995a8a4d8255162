package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// checkCmd compiles and reports.
type checkCmd struct {
	Source []string `arg:"" help:"Go files, directories, programs in text form, with :NAME to choose one kernel; DIR/... is every directory from DIR down that has kernels, - is standard input."`
	Target string   `completes:"target" placeholder:"SM" help:"Compile for this architecture as well, such as sm_75, and report what it refuses."`
	JSON   bool     `help:"Print kernels and findings as one JSON document."`
}

// checked is the form of --json.
type checked struct {
	Kernels  []checkedKernel `json:"kernels"`
	Findings []finding       `json:"findings"`
	Errors   []string        `json:"errors"` // what no position belongs to, such as a file that is not there
	Target   string          `json:"target,omitempty"`
}

type checkedKernel struct {
	Source      string `json:"source"`
	Name        string `json:"name"`
	Rows        int    `json:"rows"`
	Class       string `json:"class"`
	Cooperative bool   `json:"cooperative"`
	Warnings    int    `json:"warnings"`

	Deterministic bool `json:"deterministic"`
}

type finding struct {
	Code     string `json:"code,omitempty"` // none if Go's own compiler would say the same
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
	Text     string `json:"text"` // all of it, as it is printed without --json
}

// Help is the long help of the command.
func (checkCmd) Help() string {
	return `For each kernel it says how many rows its program has, and how far results agree between devices:
  exact        the same bits on every device, unless the kernel races
  unordered    it adds floats by atomics, reads a clock or traces, so the order of invocations may show
  approximate  it calls a function of gpu.Fast…, which is right within the tolerance that its comment says
A cooperative kernel has a barrier of the whole grid, so all groups must run at once.
Notes under a kernel say which of its arrays are in local memory, which loops over constants are not unrolled, which
accesses keep a bounds check, and why. checks=none in a kernel's directive makes such a check an error.`
}

func (c *checkCmd) Run(t *terminal) error {
	r := &checker{t: t, json: c.JSON, doc: checked{Kernels: []checkedKernel{}, Findings: []finding{}, Errors: []string{}}}
	if c.Target != "" {
		target, err := ptx.ParseTarget(c.Target)
		if err != nil {
			return usage{err}
		}
		r.target, r.doc.Target = &target, target.String()
	}
	// A source that is not there hides no finding of the others.
	specs, err := expand(c.Source, marker)
	r.failed(err)
	for _, spec := range specs {
		all, err := t.load(spec)
		if err := t.ctx.Err(); err != nil {
			return err
		}
		r.failed(err)
		for _, l := range all {
			r.kernel(spec, l)
		}
	}
	if c.JSON {
		if err := json.NewEncoder(printable.JSONWriter(t.out)).Encode(r.doc); err != nil {
			return err
		}
	}
	switch {
	case r.misused && !r.wrong:
		return usage{errSilent}
	case r.misused || r.wrong:
		return errSilent
	}
	return nil
}

// checker collects what is to be said, or says it.
type checker struct {
	t      *terminal
	target *ptx.Target // nil if no architecture was named
	json   bool
	doc    checked

	wrong   bool // a source or a kernel is not right
	misused bool // the command line names what is not there
}

// kernel checks one that its front end has accepted.
func (r *checker) kernel(spec string, l loaded) {
	stop := r.t.spin("checking " + l.name)
	defer stop()
	if r.target != nil {
		if _, err := ptx.Compile(l.program, *r.target, ptx.Options{}); err != nil {
			stop()
			r.failed(err)
			return
		}
	}
	warnings := once(verify.Program(l.program, verify.Target{}))
	notes := slow(l.program)
	stop()
	r.findings(warnings)
	tr := l.program.Traits()
	file, _ := splitSpec(spec)
	k := checkedKernel{file, l.name, l.program.Rows(), tr.Class.String(), tr.Resident, len(warnings), tr.Deterministic}
	r.doc.Kernels = append(r.doc.Kernels, k)
	if r.json {
		for _, n := range notes {
			r.doc.Findings = append(r.doc.Findings, finding{Severity: "note", File: n.Pos.File, Line: n.Pos.Line, Column: n.Pos.Col,
				Kernel: l.name, Message: n.Msg, Text: noteText(n)})
		}
		return
	}
	fmt.Fprintf(r.t.out, "%s: ok, %d rows, %s", k.Name, k.Rows, k.Class)
	if k.Cooperative {
		fmt.Fprint(r.t.out, ", cooperative")
	}
	if tr.Deterministic {
		fmt.Fprint(r.t.out, ", deterministic")
	}
	if k.Warnings > 0 {
		fmt.Fprintf(r.t.out, ", %s", counted(k.Warnings, "warning"))
	}
	if r.target != nil {
		fmt.Fprintf(r.t.out, ", compiles for %v", *r.target)
	}
	fmt.Fprintln(r.t.out)
	for _, n := range notes {
		fmt.Fprintf(r.t.out, "\t%s\n", noteText(n))
	}
}

// slow says what the passes leave that costs time, but for checks that the source asks for. A program that they refuse has
// no such notes: compiling it tells why.
func slow(p *ir.Program) []opt.Note {
	_, rep, err := opt.Run(p, opt.Options{})
	if err != nil {
		return nil
	}
	checks, err := opt.BoundsChecks(p)
	if err != nil {
		return rep.Notes
	}
	for _, c := range checks {
		if !c.Asked {
			rep.Notes = append(rep.Notes, c)
		}
	}
	return rep.Notes
}

func noteText(n opt.Note) string {
	if n.Pos.Line == 0 {
		return "note: " + n.Msg
	}
	return n.Pos.String() + ": note: " + n.Msg
}

// once is the findings of which none reads like one before: a statement that became several rows is warned of once.
func once(ds ir.Diags) (distinct ir.Diags) {
	seen := make(map[string]bool)
	for _, d := range ds {
		if text := d.String(); !seen[text] {
			seen[text] = true
			distinct = append(distinct, d)
		}
	}
	return distinct
}

// failed reports why a source or a kernel is not right.
func (r *checker) failed(err error) {
	var ds ir.Diags
	if err == nil {
		return
	}
	if isUsage(err) {
		r.misused = true
	} else {
		r.wrong = true
	}
	switch {
	case errors.As(err, &ds):
		r.findings(ds)
	case r.json:
		r.doc.Errors = append(r.doc.Errors, message(err))
	default:
		fmt.Fprintln(r.t.err, message(err))
	}
}

func (r *checker) findings(ds ir.Diags) {
	for _, d := range ds {
		if !r.json {
			fmt.Fprintln(r.t.err, d)
			continue
		}
		f := finding{Code: d.Code, Severity: "error", File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Col,
			Kernel: d.Kernel, Message: d.Msg, Fix: d.Fix, Text: d.String()}
		if d.Severity == ir.Warning {
			f.Severity = "warning"
		}
		r.doc.Findings = append(r.doc.Findings, f)
	}
}
