package names

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Of is what a function is called, with the path of its package, its receiver's type and its type arguments.
//
// It is that of ssa.Function.RelString, but for types. Package ssa builds packages at the same time, and spells the types of
// what several of them ask for as the first one does, which is chance: with or without aliases, with these or those names of
// parameters. Here identical types are spelled alike.
func Of(f *ssa.Function) string {
	var w nameWriter
	w.function(f)
	return w.String()
}

// Short is that name without package and receiver.
func Short(f *ssa.Function) string {
	var w nameWriter
	w.short(f)
	return w.String()
}

// nameWriter writes names.
type nameWriter struct {
	strings.Builder
	files  *token.FileSet // if there are some, types that only have the same name are told apart
	inside []*types.Named // types of functions, whose definition is being written
}

func (w *nameWriter) function(f *ssa.Function) {
	if f.Parent() != nil {
		w.function(f.Parent())
		w.WriteString(ordinalWithin(f))
		return
	}
	if recv := receiver(f); recv != nil {
		w.WriteByte('(')
		w.write(recv)
		w.WriteString(").")
	} else if in := Package(f); in != "" {
		w.WriteString(in + ".")
	}
	w.short(f)
}

// receiver is the type whose method a function is, or wraps; nil if there is none.
func receiver(f *ssa.Function) types.Type {
	switch {
	case f.Signature.Recv() != nil:
		return f.Signature.Recv().Type()
	case isBound(f):
		return f.FreeVars[0].Type()
	case isThunk(f):
		return f.Signature.Params().At(0).Type()
	}
	return nil
}

// isBound reports whether a function is what a method value such as x.f calls, and isThunk whether it is the method expression
// T.f. Every place of the source has its own.
func isBound(f *ssa.Function) bool {
	return f.Synthetic != "" && len(f.FreeVars) == 1 && strings.HasSuffix(f.Name(), "$bound")
}

func isThunk(f *ssa.Function) bool {
	return f.Synthetic != "" && f.Signature.Recv() == nil && strings.HasSuffix(f.Name(), "$thunk")
}

// ordinalWithin is what the name of a function without one adds to that of the function in which it is.
func ordinalWithin(f *ssa.Function) string {
	return "$" + strconv.Itoa(1+slices.Index(f.Parent().AnonFuncs, f))
}

func (w *nameWriter) short(f *ssa.Function) {
	if f.Parent() != nil {
		w.short(f.Parent())
		w.WriteString(ordinalWithin(f))
		return
	}
	name, typed, _ := strings.Cut(f.Name(), "[")
	w.WriteString(name)
	if typed == "" {
		return
	}
	args := f.TypeArgs()
	if f.Origin() != nil && f.Signature.Recv() != nil {
		args = args[typeArguments(f.Signature.Recv().Type()).Len():] // those before are the receiver's
	}
	w.list("[", len(args), func(i int) { w.write(args[i]) }, ", ", "]")
	if i := strings.LastIndex(typed, "]"); i >= 0 {
		w.WriteString(typed[i+1:])
	}
}

// typeArguments are those of a named type, or of what a pointer refers to.
func typeArguments(t types.Type) *types.TypeList {
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	if n, is := types.Unalias(t).(*types.Named); is {
		return n.TypeArgs()
	}
	return nil
}

// list writes n things.
func (w *nameWriter) list(before string, n int, each func(int), between, after string) {
	w.WriteString(before)
	for i := range n {
		if i > 0 {
			w.WriteString(between)
		}
		each(i)
	}
	w.WriteString(after)
}

// write writes a type.
func (w *nameWriter) write(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		w.WriteString(types.Typ[t.Kind()].String()) // byte is uint8
	case *types.Pointer:
		w.prefixed("*", t.Elem())
	case *types.Slice:
		w.prefixed("[]", t.Elem())
	case *types.Array:
		w.prefixed("["+strconv.FormatInt(t.Len(), 10)+"]", t.Elem())
	case *types.Map:
		w.prefixed("map[", t.Key())
		w.prefixed("]", t.Elem())
	case *types.Chan:
		w.channel(t)
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.list("struct{", t.NumFields(), func(i int) { w.field(t.Field(i), t.Tag(i)) }, "; ", "}")
	case *types.Interface:
		w.iface(t)
	case *types.Named:
		w.named(t)
	default: // what only constraints and generic functions have
		w.WriteString(types.TypeString(t, nil))
	}
}

func (w *nameWriter) prefixed(by string, t types.Type) {
	w.WriteString(by)
	w.write(t)
}

func (w *nameWriter) channel(t *types.Chan) {
	if of, is := types.Unalias(t.Elem()).(*types.Chan); is && t.Dir() == types.SendRecv && of.Dir() == types.RecvOnly {
		w.prefixed("chan (", of)
		w.WriteByte(')')
		return
	}
	w.prefixed([...]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()], t.Elem())
}

// signature leaves names of parameters out: identical types may have different ones.
func (w *nameWriter) signature(s *types.Signature) {
	w.list("(", s.Params().Len(), func(i int) {
		t := s.Params().At(i).Type()
		if slice, is := t.(*types.Slice); is && s.Variadic() && i == s.Params().Len()-1 {
			w.prefixed("...", slice.Elem())
			return
		}
		w.write(t)
	}, ", ", ")")
	switch r := s.Results(); r.Len() {
	case 0:
	case 1:
		w.prefixed(" ", r.At(0).Type())
	default:
		w.list(" (", r.Len(), func(i int) { w.write(r.At(i).Type()) }, ", ", ")")
	}
}

func (w *nameWriter) field(f *types.Var, tag string) {
	if !f.Embedded() {
		w.WriteString(w.member(f) + " ")
	} else if w.files != nil {
		w.WriteString(w.member(f) + "=") // that of an alias is not the type's
	}
	w.write(f.Type())
	if tag != "" {
		w.WriteString(" " + strconv.Quote(tag))
	}
}

// member is the name of a field or a method.
func (w *nameWriter) member(o types.Object) string {
	if w.files != nil {
		return o.Id() // with its package, if it is not exported
	}
	return o.Name()
}

// iface writes all methods of an interface, whichever of them it embeds.
func (w *nameWriter) iface(t *types.Interface) {
	if t.Empty() {
		w.WriteString("any")
		return
	}
	if !t.IsMethodSet() {
		w.WriteString(types.TypeString(t, nil))
		return
	}
	w.list("interface{", t.NumMethods(), func(i int) {
		w.WriteString(w.member(t.Method(i)))
		w.signature(t.Method(i).Signature())
	}, "; ", "}")
}

func (w *nameWriter) named(t *types.Named) {
	o := t.Obj()
	if o.Pkg() != nil {
		w.WriteString(o.Pkg().Path() + ".")
	}
	w.WriteString(o.Name())
	if args := t.TypeArgs(); args.Len() > 0 {
		w.list("[", args.Len(), func(i int) { w.write(args.At(i)) }, ", ", "]")
	}
	if w.files == nil || o.Pkg() == nil || o.Parent() == o.Pkg().Scope() || slices.Contains(w.inside, t) {
		return
	}
	// It is a function's, which may be generic: then it is another type for each of its instances, as its definition says.
	at := w.files.Position(o.Pos())
	fmt.Fprintf(w, "@%s:%d:%d ", path.Base(strings.ReplaceAll(at.Filename, `\`, "/")), at.Line, at.Column)
	w.inside = append(w.inside, t)
	w.write(t.Underlying())
	w.inside = w.inside[:len(w.inside)-1]
}
