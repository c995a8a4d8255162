package main

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph"
)

// use is where a value is used: in a block, or where that leads to another.
type use struct{ in, to *ssa.BasicBlock }

// refinement is a value together with what is known of it.
type refinement struct {
	v    ssa.Value
	what fact
	made string // for one of several parts: what is known of each
}

// known is what is known of a value at its use.
func (b *body) factsOf(v ssa.Value, at use) fact {
	if b.guards == nil || at.in == nil {
		return 0
	}
	what := shapeOf(v)
	if at.to != nil {
		return what | b.guards.onArm(v, at.in, at.to)
	}
	return what | b.guards.at(v, at.in)
}

// guarded returns the object that a value is at its use: its own, or another that stands for what a check leaves of it.
func (b *body) guarded(v ssa.Value, o int32, at use) int32 {
	if o == none || b.guards == nil {
		return o
	}
	if what := b.factsOf(v, at); what != 0 {
		return b.checked(v, o, what)
	}
	if isText(v.Type()) {
		return b.again(v, o, at, 0)
	}
	return o
}

// check is a function of which is supposed that it makes a value harmless.
type check struct {
	by      string
	classes []string // for these; nil is all
}

func (c check) isOf(class string) bool { return c.classes == nil || slices.Contains(c.classes, class) }

// checked makes the object of a value of which facts are known: a sanitizer for the classes that they end.
func (b *body) checked(v ssa.Value, o int32, what fact) int32 {
	key := refinement{v: v, what: what}
	if made, ok := b.refined[key]; ok {
		return made
	}
	made := o
	if classes := b.checker.endedBy(what); len(classes) > 0 || what&(isChecked|isAgreed) != 0 {
		at, _ := v.(ssa.Instruction)
		made = b.special(at, "checked "+v.Name())
		b.read(o, made, graph.KindAssign)
		if len(classes) > 0 {
			b.place(&rule{kind: sanitizerRule, name: "check", classes: classes}, made)
		}
		if by := b.guards.by[b.guards.num.of(v)]; what&isChecked != 0 {
			b.supposedChecked[made] = check{by: by}
		} else if what&isAgreed != 0 {
			b.supposedChecked[made] = check{by, agreedClasses}
		}
	}
	b.refined[key] = made
	return made
}

// again makes a text anew of its parts, where checks that come after it have said something of these.
func (b *body) again(v ssa.Value, o int32, at use, depth int) int32 {
	parts := partsOfText(v)
	if len(parts) == 0 || depth > 3 {
		return o
	}
	objects, other := make([]int32, len(parts)), false
	for i, p := range parts {
		own := b.plain(p)
		objects[i] = own
		if own == none {
			continue
		}
		if what := b.factsOf(p, at); what != 0 {
			objects[i] = b.checked(p, own, what)
		} else {
			objects[i] = b.again(p, own, at, depth+1)
		}
		other = other || objects[i] != own
	}
	if !other {
		return o
	}
	key := refinement{v: v, made: textOf(objects)}
	if made, ok := b.refined[key]; ok {
		return made
	}
	made := b.special(v.(ssa.Instruction), "made of what is checked")
	for _, p := range objects {
		b.read(p, made, graph.KindAssign)
	}
	b.refined[key] = made
	return made
}

func textOf(list []int32) string {
	var to []byte
	for _, o := range list {
		to = append(to, byte(o), byte(o>>8), byte(o>>16), byte(o>>24))
	}
	return string(to)
}

// lossless are functions whose result has their arguments in it, so that a check of these is one of it.
var lossless = map[string]bool{
	"path/filepath.Join": true, "path/filepath.Clean": true, "path/filepath.FromSlash": true,
	"path/filepath.ToSlash": true, "path/filepath.Abs": true,
	"path.Join": true, "path.Clean": true, "fmt.Sprintf": true, "fmt.Sprint": true,
	"strings.TrimSpace": true, "strings.ToLower": true,
	"strings.ToUpper": true, "strings.TrimPrefix": true, "strings.TrimSuffix": true, "strings.Trim": true,
	"strings.TrimLeft": true, "strings.TrimRight": true,
}

// partsOfText are the values that a text is made of without loss; none if that is not known.
func partsOfText(v ssa.Value) (list []ssa.Value) {
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return []ssa.Value{v.X, v.Y}
		}
	case *ssa.ChangeType:
		return []ssa.Value{v.X}
	case *ssa.Extract:
		if call, is := v.Tuple.(*ssa.Call); is && v.Index == 0 {
			return partsOfText(call)
		}
	case *ssa.Call:
		f := v.Call.StaticCallee()
		if f == nil || !lossless[ruleName(f)] {
			return nil
		}
		for _, a := range v.Call.Args {
			some := variadic(a)
			if some == nil {
				some = []ssa.Value{a}
			}
			for _, p := range some {
				p = unwrapped(p)
				if _, is := p.Type().Underlying().(*types.Slice); !is {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// readAs are the objects of arguments as a function reads them that is not followed: of pointers, too, what checks
// leave of them.
func (b *body) readAs(c *ssa.CallCommon, args []int32) []int32 {
	if b.guards == nil || len(b.guards.in) == 0 || isPartOfURL(c) {
		return args
	}
	read := slices.Clone(args)
	for k := range read {
		if k == 0 && c.IsInvoke() {
			continue
		}
		v := unwrapped(argument(c, k))
		if what := b.factsOf(v, b.use); what != 0 && !isText(v.Type()) && read[k] != none {
			read[k] = b.checked(v, read[k], what)
		}
	}
	return read
}
