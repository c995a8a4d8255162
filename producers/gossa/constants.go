package main

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
)

// global is the variable that a value is read from, or nil.
func global(v ssa.Value) *ssa.Global {
	if load, is := v.(*ssa.UnOp); is {
		if at, is := load.X.(*ssa.Global); is {
			return at
		}
	}
	return nil
}

// only is what a variable of a package is set to, once and by its init.
func only(at *ssa.Global) (v ssa.Value) {
	if at.Pkg == nil {
		return nil
	}
	for _, m := range at.Pkg.Members {
		f, is := m.(*ssa.Function)
		if !is {
			continue
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if s, is := i.(*ssa.Store); is && s.Addr == at {
					if v != nil || f.Name() != "init" {
						return nil
					}
					v = s.Val
				}
			}
		}
	}
	return v
}

// isConstantMap reports whether all keys of a map are constants.
func (c *checker) isConstantMap(m ssa.Value) bool {
	if at := global(m); at != nil {
		is, ok := c.lists[at]
		if !ok {
			made := only(at)
			is = made != nil && constantKeys(made) && c.untouched(at)
			c.lists[at] = is
		}
		return is
	}
	return constantKeys(m)
}

// constantKeys reports whether a map is made here, with constants for keys.
func constantKeys(m ssa.Value) bool {
	if _, is := m.(*ssa.MakeMap); !is {
		return false
	}
	for _, use := range *m.Referrers() {
		switch use := use.(type) {
		case *ssa.MapUpdate:
			if _, is := use.Key.(*ssa.Const); !is || use.Map != m {
				return false
			}
		case *ssa.Store, *ssa.Lookup, *ssa.DebugRef, *ssa.Range:
		default:
			return false
		}
	}
	return true
}

// untouched reports whether no function of its package puts anything into a variable's map.
func (c *checker) untouched(at *ssa.Global) bool {
	for f := range c.p.names.Functions() {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if u, is := i.(*ssa.MapUpdate); is && global(u.Map) == at {
					if _, is := u.Key.(*ssa.Const); !is {
						return false
					}
				}
			}
		}
	}
	return true
}

// isConstantList reports whether all elements of a list are constants.
func (c *checker) isConstantList(v ssa.Value) bool {
	if at := global(v); at != nil {
		if v = only(at); v == nil {
			return false
		}
	}
	list := variadic(v)
	for _, e := range list {
		if _, is := e.(*ssa.Const); !is {
			return false
		}
	}
	return len(list) > 0
}

// pattern is that of a regular expression which is made of a constant.
func (c *checker) pattern(v ssa.Value) (string, bool) {
	if at := global(v); at != nil {
		v = only(at)
	}
	call, is := v.(*ssa.Call)
	if !is || !isCall(call, "regexp.MustCompile") {
		return "", false
	}
	return text(call.Call.Args[0])
}

// metacharacters are those that mean something to sinks of some classes.
var metacharacters = map[fact]string{
	isInside: `/\`,
	noSQL:    "'\"`\\;() \t\n",
	noShell:  "&;|$<>()`\\\"' \t\n-",
	noMarkup: `<>&"'`,
	noURL:    `/\:@?#`,
	noLines:  "\r\n",
	noQuery:  `()*\|&='"/[]$`,
}

// withoutAny is what holds of a text that has none of some characters.
func withoutAny(chars string) (what fact) {
	for one, of := range metacharacters {
		if !strings.ContainsFunc(of, func(r rune) bool { return !strings.ContainsRune(chars, r) }) {
			what |= one
		}
	}
	return what
}

// matched is what holds of a text that a pattern matches, or does not match.
func matched(pattern string, truth bool) (what fact) {
	p, err := syntax.Parse(pattern, syntax.Perl)
	compiled, err2 := regexp.Compile(pattern)
	if err != nil || err2 != nil {
		return 0
	}
	if !truth { // it refuses those texts
		for one, texts := range refused {
			all := true
			for _, t := range texts {
				all = all && compiled.MatchString(t)
			}
			if all {
				what |= one
			}
		}
		return what
	}
	p = p.Simplify()
	if !isAnchored(p) {
		return 0
	}
	for one, of := range metacharacters {
		some := strings.ContainsFunc(of, func(r rune) bool { return allows(p, r) })
		if !some && (one != isInside || !compiled.MatchString("..")) {
			what |= one
		}
	}
	return what
}

// refused are texts that a pattern must match, so that others do not begin so.
var refused = map[fact][]string{
	isInside:    {"..", "../x", "x/../y", "x/../..", "/../x"},
	noTwoSlash:  {"//x", "//x.y/z"},
	noBackslash: {`/\x`, `/\x.y/z`},
	noControls:  {"/\t/x", "/\n/x", "/\t\\x", "/\r/x"},
}

// isAnchored reports whether a pattern matches whole texts only.
func isAnchored(p *syntax.Regexp) bool {
	if p.Op == syntax.OpCapture {
		return isAnchored(p.Sub[0])
	}
	return p.Op == syntax.OpConcat && p.Sub[0].Op == syntax.OpBeginText && p.Sub[len(p.Sub)-1].Op == syntax.OpEndText
}

// allows reports whether a text that matches may have a character.
func allows(p *syntax.Regexp, r rune) bool {
	switch p.Op {
	case syntax.OpLiteral:
		for _, l := range p.Rune {
			if l == r || p.Flags&syntax.FoldCase != 0 && unicode.ToLower(l) == unicode.ToLower(r) {
				return true
			}
		}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(p.Rune); i += 2 {
			if p.Rune[i] <= r && r <= p.Rune[i+1] {
				return true
			}
		}
	case syntax.OpAnyChar:
		return true
	case syntax.OpAnyCharNotNL:
		return r != '\n'
	}
	for _, s := range p.Sub {
		if allows(s, r) {
			return true
		}
	}
	return false
}
