package main

import (
	"go/types"
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// general is what a function does of which no rule says anything. Results are made of everything that it gets, and so
// is what a method's receiver refers to. A function of a dependency may put it into what its other arguments refer to
// as well.
func (p *program) general(f *ssa.Function, c *ssa.CallCommon) *rule {
	r := &rule{kind: modelRule, result: !saysOnlyWhetherItFailed(f, c), from: none, general: true}
	n := arguments(c)
	switch {
	case c.IsInvoke():
		if len(c.Args) > 0 {
			r.writes = []int{0}
		}
	case f != nil && f.Signature.Recv() != nil && len(c.Args) > 1: // what comes to no method but itself it has already
		if _, is := f.Signature.Recv().Type().Underlying().(*types.Pointer); is {
			r.writes = []int{0}
		}
	}
	if !p.isDependency(f, c) || n < 2 {
		return r
	}
	if decodes(f) {
		r.args, r.writes = []int{0}, []int{1}
		return r
	}
	for k := range n {
		if !slices.Contains(r.writes, k) && (k > 0 || !c.IsInvoke()) && fills(c, argument(c, k)) {
			r.writes = append(r.writes, k)
		}
	}
	return r
}

// decodes is true of functions as Unmarshal(data []byte, v any) error: nothing of what v had before is in data, or in the error.
func decodes(f *ssa.Function) bool {
	if f == nil || f.Signature.Recv() != nil || f.Signature.Params().Len() < 2 ||
		!strings.HasPrefix(f.Name(), "Unmarshal") && !strings.HasPrefix(f.Name(), "Decode") {
		return false
	}
	_, is := f.Signature.Params().At(0).Type().Underlying().(*types.Pointer)
	switch f.Signature.Params().At(1).Type().Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return !is
	}
	return false
}

// saysOnlyWhetherItFailed is true of a method with an error as its only result, unless it is about the making of errors: as of an error
// beside other results, nothing is known of its text.
func saysOnlyWhetherItFailed(f *ssa.Function, c *ssa.CallCommon) bool {
	name := ""
	switch {
	case c.IsInvoke():
		name = c.Method.Name()
	case f != nil && f.Signature.Recv() != nil:
		name = f.Name()
	}
	results := c.Signature().Results()
	return name != "" && results.Len() == 1 && isError(results.At(0).Type()) && !makesErrors.MatchString(name)
}

var makesErrors = regexp.MustCompile(`Err|^Unwrap|^Wrap|^Cause|^New|^With|^Join`)

// isDependency reports whether a call is of a function that is neither the program's own nor the standard library's.
func (p *program) isDependency(f *ssa.Function, c *ssa.CallCommon) bool {
	in := ""
	switch {
	case f != nil:
		in = names.Package(f)
	case c.IsInvoke() && c.Method.Pkg() != nil:
		in = c.Method.Pkg().Path()
	}
	return in != "" && !p.own[in] && !p.standard[in] && !plain[in]
}

// fills reports whether a function may put something into what an argument leads to: that of a pointer, a map or a
// list. Of arguments in the list of a variadic function only addresses of variables are taken for such, as rows have
// them that are scanned: others are to be printed.
func fills(c *ssa.CallCommon, v ssa.Value) bool {
	v = unwrapped(v)
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
		return true
	case *types.Slice:
		if !c.Signature().Variadic() || v != c.Args[len(c.Args)-1] {
			return true
		}
		if _, is := t.Elem().Underlying().(*types.Interface); !is {
			return true
		}
		return slices.ContainsFunc(variadic(v), isAddress)
	}
	return false
}

// variadic are the values of a list that a call of a variadic function makes.
func variadic(v ssa.Value) (list []ssa.Value) {
	for _, store := range stores(v) {
		list = append(list, store.Val)
	}
	return list
}

// stores are those into the elements of such a list, with their indices, or none where these are not known.
func stores(v ssa.Value) iter.Seq2[int, *ssa.Store] {
	return func(yield func(int, *ssa.Store) bool) {
		s, is := v.(*ssa.Slice)
		if !is {
			return
		}
		array, is := s.X.(*ssa.Alloc)
		if !is {
			return
		}
		for _, use := range *array.Referrers() {
			at, is := use.(*ssa.IndexAddr)
			if !is {
				continue
			}
			n := none
			if k, is := at.Index.(*ssa.Const); is {
				n = int(k.Int64())
			}
			for _, stored := range *at.Referrers() {
				if store, is := stored.(*ssa.Store); is && store.Addr == at && !yield(n, store) {
					return
				}
			}
		}
	}
}

// isAddress is true of &x and &x.f, also in an interface.
func isAddress(v ssa.Value) bool {
	switch unwrapped(v).(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return true
	}
	return false
}
