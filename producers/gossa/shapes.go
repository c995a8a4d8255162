package main

import (
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// shapeOf is what is known of a text by how it is made: a path that begins at a root cannot lead out of it.
func shapeOf(v ssa.Value) fact {
	call, is := v.(*ssa.Call)
	if !is || len(call.Call.Args) == 0 {
		return 0
	}
	first := call.Call.Args[0]
	switch {
	case isCall(call, "path/filepath.Join", "path.Join"):
		list := variadic(first)
		if len(list) > 1 && isRoot(list[0]) {
			return isInside | noURL
		}
	case isCall(call, "path/filepath.Clean"):
		return shapeOf(first) | rooted(first)
	case isCall(call, "path.Clean"):
		return shapeOf(first) | rooted(first) | noURL
	}
	return 0
}

// isRoot is true of a constant / or \.
func isRoot(v ssa.Value) bool {
	s, is := text(v)
	return is && (s == "/" || s == `\`)
}

// rooted is what is known of what is cleaned if it is "/" + v.
func rooted(v ssa.Value) fact {
	if sum, is := v.(*ssa.BinOp); is && sum.Op == token.ADD && isRoot(sum.X) {
		return isInside
	}
	return 0
}

// unknownText stands for a part of a text that is not known.
const unknownText = "\x00"

// leading is what a text is, as far as that is known.
func leading(v ssa.Value) string {
	if s, is := text(v); is {
		return s
	}
	if sum, is := v.(*ssa.BinOp); is && sum.Op == token.ADD {
		return leading(sum.X) + leading(sum.Y)
	}
	return unknownText
}

var (
	withHost = regexp.MustCompile(`^(\w+:)?//[^/?#]*[/?#]`)
	absolute = regexp.MustCompile(`^(\w+:)?//`)
	inPath   = regexp.MustCompile(`/[^/\\]|[?#]`)
)

// hasHost reports whether what comes after the beginning of a URL is no part of its host.
func hasHost(beginning string, next ssa.Value) bool {
	switch {
	case withHost.MatchString(beginning):
		return true
	case absolute.MatchString(beginning):
		return false
	case inPath.MatchString(beginning):
		return true
	}
	call, is := next.(*ssa.Call)
	if !is || !strings.HasSuffix(beginning, "/") || !isCall(call, "strings.Trim", "strings.TrimLeft") {
		return false
	}
	cut, _ := text(call.Call.Args[1])
	return strings.Contains(cut, "/")
}

// verbs are those of a format; %% is none.
var verbs = regexp.MustCompile(`%%|%[-+# 0-9.]*[a-zA-Z]`)

// formatted finds the values that a function formats, of which it is known that they come after the host of a URL.
func formatted(f *ssa.Function) map[ssa.Instruction]fact {
	found := make(map[ssa.Instruction]fact)
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			call, is := i.(*ssa.Call)
			if !is || len(call.Call.Args) != 2 || !isCall(call, "fmt.Sprintf") {
				continue
			}
			format, is := text(call.Call.Args[0])
			if !is || strings.ContainsAny(format, "[*") {
				continue
			}
			before := beginnings(format)
			for n, store := range stores(call.Call.Args[1]) {
				if n != none && n < len(before) && hasHost(before[n], unwrapped(store.Val)) {
					found[store] = noURL
				}
			}
		}
	}
	return found
}

// beginnings are what a format has before each verb.
func beginnings(format string) (list []string) {
	done, from := "", 0
	for _, at := range verbs.FindAllStringIndex(format, -1) {
		done += format[from:at[0]]
		from = at[1]
		if format[at[0]:at[1]] == "%%" {
			done += "%"
			continue
		}
		list = append(list, done)
		done += unknownText
	}
	return list
}

// unwrapped is what was put into an interface.
func unwrapped(v ssa.Value) ssa.Value {
	if made, is := v.(*ssa.MakeInterface); is {
		return made.X
	}
	return v
}
