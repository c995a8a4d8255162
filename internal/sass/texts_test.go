package sass_test

import (
	"fmt"
	"slices"
	"strings"
)

// A text is a kernel in PTX, in a form that can be made smaller: a list of lines between a fixed beginning and end.
// Each invocation has a record of inputs and one of outputs. What a line writes, no other one does, but for variables.
type text struct {
	name  string
	lines []textLine
}

// textLine is one instruction, or the beginning or the end of what a branch leaves out or repeats.
type textLine struct {
	kind  lineKind
	guard string   // such as "@!%p3"
	op    string   // such as "add.u32"
	dst   string   // a register, "" without one
	src   []string // registers, constants
	at    int      // of stores: the byte of the record
	label int      // of what a branch leaves out or repeats: which
}

type lineKind uint8

const (
	plain  lineKind = iota
	keep            // a store of src[0]
	skip            // a branch over what follows, if src[0] is true
	loop            // src[0] rounds of what follows
	shut            // the end of skip or loop
	finish          // the end of the invocation, if src[0] is true
)

// Records of an invocation.
const (
	inBytes  = 64  // four words, four of 64 bits of which the last two are floats in half of the kernels
	outBytes = 128 // sixteen of 64 bits
)

// classes are the kinds of registers, by the first letters of their names.
var classes = []struct{ name, kind string }{{"p", "pred"}, {"h", "b16"}, {"r", "b32"}, {"d", "b64"}, {"f", "f32"}, {"e", "f64"}}

func isRegister(o string) bool { return strings.HasPrefix(o, "%") }

// registersOf are the registers with numbers that operands name, also in braces and brackets.
func registersOf(operands ...string) (rs []string) {
	for _, o := range operands {
		for _, r := range strings.FieldsFunc(o, func(c rune) bool { return strings.ContainsRune("{}[]+, @!", c) }) {
			if isRegister(r) && r != "%in" && r != "%out" {
				rs = append(rs, r)
			}
		}
	}
	return rs
}

// print writes the kernel: inputs and parameters are there under the names %r0 to %r5, %d0 to %d3, %f0, %f1, %e0, %e1.
func (t *text) print(b *strings.Builder) {
	fmt.Fprintf(b, ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 s, .param .u32 t, .param .u64 w)\n{\n", t.name)
	most := make(map[byte]int)
	read := make(map[string]bool)
	for _, l := range t.lines {
		for _, o := range registersOf(append(slices.Clone(l.src), l.dst, l.guard)...) {
			n := 0
			fmt.Sscan(o[2:], &n)
			most[o[1]] = max(most[o[1]], n)
			read[o] = true
		}
	}
	for _, c := range classes {
		fmt.Fprintf(b, "\t.reg .%s %%%s<%d>;\n", c.kind, c.name, max(most[c.name[0]]+1, 8))
	}
	b.WriteString("\t.reg .b64 %in, %out;\n\t.reg .b32 %me, %k<8>;\n\t.reg .pred %q<8>;\n" +
		"\tmov.u32 %me, %tid.x;\n\tld.param.u64 %in, [in];\n\tmad.wide.u32 %in, %me, 64, %in;\n" +
		"\tld.param.u64 %out, [out];\n\tmad.wide.u32 %out, %me, 128, %out;\n")
	for _, in := range inputs {
		if read[in.register] {
			fmt.Fprintf(b, "\t%s %s, %s;\n", in.load, in.register, in.from)
		}
	}
	var open []textLine
	for _, l := range t.lines {
		if l.kind == shut {
			of := open[len(open)-1]
			open = open[:len(open)-1]
			if of.kind == loop {
				fmt.Fprintf(b, "\tadd.u32 %%k%d, %%k%d, 1;\n\tsetp.lt.u32 %%q%d, %%k%d, %s;\n\t@%%q%d bra L%d;\n", of.label, of.label, of.label, of.label, of.src[0], of.label, of.label)
			} else {
				fmt.Fprintf(b, "L%d:\n", of.label)
			}
			continue
		}
		b.WriteString("\t")
		if l.guard != "" {
			b.WriteString(l.guard + " ")
		}
		switch l.kind {
		case plain:
			args := l.src
			if l.dst != "" {
				args = append([]string{l.dst}, l.src...)
			}
			fmt.Fprintf(b, "%s %s;\n", l.op, strings.Join(args, ", "))
		case keep:
			fmt.Fprintf(b, "%s [%%out+%d], %s;\n", l.op, l.at, l.src[0])
		case skip:
			open = append(open, l)
			fmt.Fprintf(b, "@%s bra L%d;\n", l.src[0], l.label)
		case loop:
			open = append(open, l)
			fmt.Fprintf(b, "mov.u32 %%k%d, 0;\nL%d:\n", l.label, l.label)
		case finish:
			fmt.Fprintf(b, "@%s exit;\n", l.src[0])
		}
	}
	b.WriteString("\tret;\n}\n")
}

// inputs are the registers that are there, and where they come from.
var inputs = []struct{ register, load, from string }{
	{"%r0", "ld.global.u32", "[%in]"}, {"%r1", "ld.global.u32", "[%in+4]"}, {"%r2", "ld.global.u32", "[%in+8]"}, {"%r3", "ld.global.u32", "[%in+12]"},
	{"%r4", "ld.param.u32", "[s]"}, {"%r5", "ld.param.u32", "[t]"},
	{"%d0", "ld.global.u64", "[%in+16]"}, {"%d1", "ld.global.u64", "[%in+24]"}, {"%d2", "ld.global.u64", "[%in+32]"}, {"%d3", "ld.param.u64", "[w]"},
	{"%f0", "ld.global.f32", "[%in+48]"}, {"%f1", "ld.global.f32", "[%in+52]"},
	{"%e0", "ld.global.f64", "[%in+40]"}, {"%e1", "ld.global.f64", "[%in+56]"},
}

// firstFree is the first number of a register that no input has.
const firstFree = 8

// valid reports whether each register is written on every way to where it is read.
func (t *text) valid() bool {
	known := make(map[string]bool)
	for _, in := range inputs {
		known[in.register] = true
	}
	type scope struct {
		of  textLine
		new []string
	}
	var scopes []scope
	carries := false
	for _, l := range t.lines {
		for _, o := range registersOf(append(slices.Clone(l.src), l.guard)...) {
			if !known[o] {
				return false
			}
		}
		base, _, _ := strings.Cut(l.op, ".")
		if taken := base == "addc" || base == "subc" || base == "madc"; taken && !carries {
			return false
		}
		carries = strings.Contains(l.op, ".cc.")
		switch l.kind {
		case skip:
			scopes = append(scopes, scope{of: l})
		case loop:
			k := fmt.Sprintf("%%k%d", l.label)
			known[k] = true
			scopes = append(scopes, scope{of: l, new: []string{k}})
		case shut:
			if len(scopes) == 0 {
				return false
			}
			for _, o := range scopes[len(scopes)-1].new {
				delete(known, o)
			}
			scopes = scopes[:len(scopes)-1]
		case plain:
			if l.dst == "" || known[l.dst] {
				continue
			}
			if l.guard != "" {
				return false
			}
			known[l.dst] = true
			if len(scopes) > 0 {
				top := &scopes[len(scopes)-1]
				top.new = append(top.new, l.dst)
			}
		}
	}
	return len(scopes) == 0
}

// module prints kernels as one module.
func module(ts []*text, sm int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 7.8\n.target sm_%d\n.address_size 64\n", sm)
	for _, t := range ts {
		t.print(&b)
	}
	return b.String()
}
