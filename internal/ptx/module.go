package ptx

import (
	"encoding/hex"
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Listing is the instructions of a kernel on the way. Until they are worked out, places in memory are written as
// the program names them and carried values as copies of lists, which no assembler takes.
type Listing struct {
	Text  string
	Lines []Line // lines of Text, in order; those of the entry stand for no row
}

// Module is the PTX of one or more kernels for one target.
type Module struct {
	Text    string
	Target  Target
	Version string // of PTX: the lowest that has what the text uses
	Kernels []Kernel
}

// Kernel is what a launch has to know about one entry of a module.
type Kernel struct {
	Entry  string
	Params Params
	// Program is what was compiled: the accurate functions expanded. The site of a trap is a row of it.
	Program *ir.Program
	// Static is the shared memory that the code declares. Dynamic is what every launch has to bring; a last
	// array whose length comes with the launch lies after that, RestElem bytes an element.
	Static, Dynamic, RestElem int
	Local                     int    // bytes of local arrays an invocation
	Tables                    int    // bytes of tables, which the module holds
	Lines                     []Line // in order
}

// Line says that a line of the text, counted from 1, stands for a row of the program.
type Line struct {
	Line int
	Row  ir.Row
}

// RowAt returns the row that the line of the text stands for, NoRow for the entry's own lines.
func (k *Kernel) RowAt(line int) ir.Row {
	for _, l := range k.Lines {
		if l.Line == line {
			return l.Row
		}
	}
	return ir.NoRow
}

// Check returns what keeps a target from running p: an error of type ir.Diags, which names the op, the architecture
// and what to do, or a *TargetError for a target that is none. A device asks about the program that it was given, so that what is
// refused does not depend on what the passes make of it.
func Check(p *ir.Program, t Target) error {
	if _, err := t.version(); err != nil {
		return err
	}
	if errs := verify.Lacks(p, t.offer()); len(errs) > 0 {
		return errs
	}
	return nil
}

// Emit writes one module with an entry for each program. Programs are lowered: an op with a recipe is an error, and a
// target that is none is a *TargetError. That the target has what they need is for Check to say before. Programs
// of equal digest and name would give equal entries, which is an error.
func Emit(ps []*ir.Program, t Target, o Options) (*Module, error) {
	v, err := t.version()
	if err != nil {
		return nil, err
	}
	runs, err := o.Passes.Runs()
	if err != nil {
		return nil, err
	}
	w := &printer{line: 1, o: o}
	var fs []*function
	taken := make(map[string]bool)
	for _, p := range ps {
		entry := entryName(p, o.Label)
		if taken[entry] {
			return nil, fmt.Errorf("two kernels of the module are %s: one program given twice", entry)
		}
		taken[entry] = true
		if p, err = copies(p, t); err != nil {
			return nil, err
		}
		if err := lowered(p); err != nil {
			return nil, err
		}
		f := newFunction(p, t, entry, len(ps))
		f.trace = o.Trace
		if err := f.stages(runs); err != nil {
			return nil, err
		}
		if v.less(f.version) {
			v = f.version
		}
		fs = append(fs, f)
	}
	m := &Module{Target: t, Version: v.String()}
	w.module(v, t, fs)
	for _, f := range fs {
		if err := f.print(w); err != nil {
			return nil, err
		}
		m.Kernels = append(m.Kernels, f.kernel())
	}
	m.Text = string(w.out)
	return m, nil
}

// lowered reports an op that the pass expand would have replaced.
func lowered(p *ir.Program) error {
	for r := range ir.Row(p.Rows()) {
		if in := p.Op(r).Info(); in.Attr&ir.Expanded != 0 {
			return fmt.Errorf("kernel %q, row %d: %s stands for simpler ops; run the pass expand first", p.Name(), r, in.Name)
		}
	}
	return nil
}

// entryName is the label, else the program's name, made fit for a symbol, and the digest's first bytes.
func entryName(p *ir.Program, label string) string {
	if label == "" {
		label = p.Name()
	}
	if label == "" {
		label = "k"
	}
	d := p.Digest()
	return symbolText(label, 48) + "_" + hex.EncodeToString(d[:4])
}

// symbolText makes s a symbol of at most n bytes.
func symbolText(s string, n int) string {
	b := []byte(s)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_') {
			b[i] = '_'
		}
	}
	if len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		b = append([]byte{'_'}, b...)
	}
	return string(b[:min(n, len(b))])
}

// fileTable numbers the source files of a module.
type fileTable struct {
	names  []string
	number map[string]int
}

func (t *fileTable) add(name string) {
	if t.number == nil {
		t.number = make(map[string]int)
	}
	if t.number[name] == 0 {
		t.names = append(t.names, name)
		t.number[name] = len(t.names)
	}
}
