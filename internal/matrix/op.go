package matrix

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
)

// FormOf is the form of a matrix product, 0 of any other op.
func FormOf(op ir.Op) Form {
	if op < ir.OpMma || op >= ir.OpMma+ir.Op(B1) {
		return 0
	}
	return Form(op-ir.OpMma) + F16
}

// Op is the product of a form that has one; fp8 forms are products of tiles only.
func (f Form) Op() ir.Op { return ir.OpMma + ir.Op(f-F16) }

// FormsOf lists the forms of a program's products, by names between spaces.
func FormsOf(p *ir.Program) string {
	var has [formEnd]bool
	for r := range ir.Row(p.Rows()) {
		has[FormOf(p.Op(r))] = true
	}
	return names(func(f Form) bool { return has[f] })
}

// Offered lists the forms that there are on an architecture: by its units, or exactly by other instructions.
func Offered(sm int) string {
	return names(func(f Form) bool { return f.Exact() || sm >= 80 || sm >= 75 && f <= F16F16 })
}

func names(has func(Form) bool) string {
	var list []string
	for f := F16; f <= B1; f++ {
		if has(f) {
			list = append(list, f.String())
		}
	}
	return strings.Join(list, " ")
}

// Resolve is the generation by which the products of a program are computed: the one of that name, of sm_90 without one. It
// is 0 if the program has none that depend on it.
func Resolve(p *ir.Program, name string) (Generation, error) {
	g := SM90
	if name != "" {
		var err error
		if g, err = ParseGeneration(name); err != nil {
			return 0, err
		}
	}
	depends := Generation(0)
	for r := range ir.Row(p.Rows()) {
		if f := FormOf(p.Op(r)); f != 0 && !f.Exact() {
			if depends = g; !f.Known(g) {
				return 0, fmt.Errorf("%s has no %s: use a later generation", g, p.Op(r))
			}
		}
	}
	return depends, nil
}
