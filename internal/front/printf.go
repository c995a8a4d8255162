package front

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

const (
	traceValues  = 3  // of one trace row
	printfValues = 12 // of one call of gpu.Printf
)

// printf lowers gpu.Printf to trace rows of up to three values. The message of each says which part of how many it is,
// and the format; ir.PrintfPart reads it. The texts among the arguments are constants and become part of the format.
func printf(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	format, ok := l.text(e.Args[1], "the format of a Printf")
	if !ok {
		return nil
	}
	if e.Ellipsis.IsValid() {
		l.refuse(e.Ellipsis, notConstant, "the number of printed values is not constant", "list them")
		return nil
	}
	p := &printing{l: l, call: e, args: e.Args[2:]}
	if !p.read(format) {
		return nil
	}
	if len(p.vals) > printfValues {
		l.refuse(e.Args[2].Pos(), notConstant, "gpu.Printf of "+decimal(int64(len(p.vals)))+" values", "print at most "+decimal(printfValues)+", or call it twice")
		return nil
	}
	l.at(e.Pos())
	parts := max(1, (len(p.vals)+traceValues-1)/traceValues)
	for k := range parts {
		vals := p.vals[k*traceValues : min(len(p.vals), (k+1)*traceValues)]
		l.b.Trace(l.tags, ir.PrintfMessage(k, parts, p.format.String()), vals...)
		l.tag()
	}
	return nil
}

// tag numbers the next trace row, if the last one becomes a part of the program.
func (l *lowering) tag() {
	if !l.b.Dead() {
		l.tags++
	}
}

// printing is a format that is held against its arguments.
type printing struct {
	l      *lowering
	call   *ast.CallExpr
	args   []ast.Expr
	next   int
	format strings.Builder
	vals   []build.Value
}

// read takes the format apart and evaluates an argument for each verb.
func (p *printing) read(format string) bool {
	refuse := func(what, instead string) bool {
		p.l.refuse(p.call.Args[1].Pos(), notConstant, what, instead)
		return false
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			p.format.WriteByte(format[i])
			continue
		}
		start, digits, most := i, 0, 0
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
			if digits++; format[i] < '0' || format[i] > '9' {
				digits = 0
			}
			most = max(most, digits)
		}
		switch {
		case i == len(format):
			return refuse("the format ends in the middle of a verb", "write %% for a percent sign")
		case i-start > 12 || most > 3: // a width of thousands fills memory where the text is printed
			return refuse(fmt.Sprintf("the verb %.20q… of the format is too long", format[start:]), "give it a width of a few digits")
		case format[i] == '%':
			p.format.WriteString("%%")
			continue
		case p.next == len(p.args):
			return refuse(fmt.Sprintf("the format has a verb %s without an argument", format[start:i+1]), "give each verb an argument")
		}
		if !p.verb(format[start:i+1], p.args[p.next]) {
			return false
		}
		p.next++
	}
	if p.next < len(p.args) {
		return refuse(fmt.Sprintf("the format has %d verbs for %d arguments", p.next, len(p.args)), "give each argument a verb, %v if it does not matter which")
	}
	return true
}

// verb evaluates the argument of a verb that fits its type.
func (p *printing) verb(verb string, arg ast.Expr) bool {
	l := p.l
	if c := l.src.info.Types[arg].Value; c != nil && c.Kind() == constant.String {
		if kind := verb[len(verb)-1]; kind != 's' && kind != 'q' && kind != 'v' {
			l.refuse(arg.Pos(), notConstant, fmt.Sprintf("the verb %s does not fit a text", verb), "write %s")
			return false
		}
		p.format.WriteString(strings.ReplaceAll(fmt.Sprintf(verb, constant.StringVal(c)), "%", "%%"))
		return true
	}
	x := l.exprAs(arg, nil)
	if x.bad || !l.admit(arg.Pos(), x.typ) {
		return false
	}
	var fit string
	switch {
	case x.elem.IsHalf():
		l.refuse(arg.Pos(), notConstant, "a value of type "+l.typeName(x.typ)+" in gpu.Printf", "write x.Float32()")
		return false
	case x.elem == ir.Bool:
		fit = "tv"
	case x.elem.IsFloat():
		fit = "eEfFgGv"
	case x.elem != ir.None:
		fit = "dboxXcv"
	default:
		l.refuse(arg.Pos(), notConstant, "a value of type "+l.typeName(x.typ)+" in gpu.Printf", "print its parts, each with a verb of its own")
		return false
	}
	if !strings.Contains(fit, verb[len(verb)-1:]) {
		l.refuse(arg.Pos(), notConstant, fmt.Sprintf("the verb %s does not fit a %s", verb, l.typeName(x.typ)), "use one of "+strings.Join(strings.Split(fit, ""), ", "))
		return false
	}
	p.format.WriteString(verb)
	p.vals = append(p.vals, l.bits(x))
	return true
}
