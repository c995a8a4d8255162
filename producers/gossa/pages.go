package main

import (
	"mime"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// responseWrite is what rules call that which writes pages.
const responseWrite = "net/http.(ResponseWriter).Write"

// pageWords are parts of types of content in which browsers run scripts, or of which they find out what it is.
var pageWords = []string{"html", "xml", "xsl", "rdf", "vtt", "svg", "script", "manifest", "multipart", "unknown", "*"}

// isPageType reports whether browsers may run scripts in content of a type.
func isPageType(value string) bool {
	media, _, err := mime.ParseMediaType(value)
	return err != nil || !strings.Contains(media, "/") ||
		slices.ContainsFunc(pageWords, func(word string) bool { return strings.Contains(media, word) })
}

// response is what a function does with a ResponseWriter that it gets.
type response struct {
	known  bool                  // it is only passed to functions of the standard library
	types  []ssa.CallInstruction // that say what type the content is
	plain  bool                  // each of these says that it is not a page
	writes []ssa.CallInstruction
}

// responseOf looks at all uses of a ResponseWriter.
func (b *body) responseOf(w ssa.Value) *response {
	if a := b.responses[w]; a != nil {
		return a
	}
	a := &response{known: true, plain: true}
	if _, is := w.(*ssa.Parameter); is {
		a.uses(b.p, w)
	} else {
		a.known = false
	}
	b.responses[w] = a
	return a
}

func (a *response) uses(p *program, w ssa.Value) {
	for _, use := range *w.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeInterface:
			a.uses(p, use)
		case ssa.CallInstruction:
			a.call(p, use, w)
		default:
			a.known = false
		}
	}
}

func (a *response) call(p *program, i ssa.CallInstruction, w ssa.Value) {
	c := i.Common()
	f := c.StaticCallee()
	switch {
	case c.IsInvoke() && c.Value == w && c.Method.Name() == "Header" && i.Value() != nil:
		a.header(i.Value())
	case c.IsInvoke() && c.Value == w && c.Method.Name() == "WriteHeader":
	case c.IsInvoke() && c.Value == w && c.Method.Name() == "Write":
		a.writes = append(a.writes, i)
	case f != nil && p.standard[names.Package(f)]:
		a.writes = append(a.writes, i)
	default:
		a.known = false
	}
}

// header looks for the type of the content.
func (a *response) header(h ssa.Value) {
	for _, use := range *h.Referrers() {
		call, is := use.(ssa.CallInstruction)
		if !is || call.Common().StaticCallee() == nil {
			a.known = a.known && isDebug(use)
			continue
		}
		c := call.Common()
		switch ruleName(c.StaticCallee()) {
		case "net/http.(Header).Get", "net/http.(Header).Values":
		case "net/http.(Header).Set", "net/http.(Header).Add":
			name, is := text(c.Args[1])
			if a.known = a.known && is; strings.EqualFold(name, "Content-Type") {
				value, _ := text(c.Args[2])
				a.types, a.plain = append(a.types, call), a.plain && !isPageType(value)
			}
		default:
			a.known = false
		}
	}
}

// isNoPage reports whether the type of content says so wherever a call writes to a ResponseWriter.
func (b *body) isNoPage(i ssa.CallInstruction, w ssa.Value) bool {
	a := b.responseOf(w)
	return a.known && a.plain && slices.ContainsFunc(a.types, func(t ssa.CallInstruction) bool { return comesBefore(t, i) })
}

// isPlainText reports whether all that is written begins with text that no browser takes for a page, where nothing says what type it is.
// But what calls this function may have said it.
func (b *body) isPlainText(i ssa.CallInstruction, w ssa.Value) bool {
	a := b.responseOf(w)
	if !a.known || len(a.types) > 0 {
		return false
	}
	for _, one := range a.writes {
		if !beginsPlain(one.Common()) && !slices.ContainsFunc(a.writes, func(first ssa.CallInstruction) bool {
			return first != one && beginsPlain(first.Common()) && comesBefore(first, one)
		}) {
			return false
		}
	}
	return true
}

// comesBefore reports whether an instruction is on all ways to another.
func comesBefore(x, y ssa.Instruction) bool {
	if x.Block() == y.Block() {
		return slices.Index(x.Block().Instrs, x) < slices.Index(x.Block().Instrs, y)
	}
	return x.Block().Dominates(y.Block())
}

// beginsPlain reports whether a call writes a text that begins with a constant which is neither < nor a blank: net/http takes what begins
// so for a page in no case.
func beginsPlain(c *ssa.CallCommon) bool {
	f := c.StaticCallee()
	var v ssa.Value
	switch {
	case f == nil && len(c.Args) == 1:
		v = c.Args[0]
	case f != nil && len(c.Args) == 2 && ruleName(f) == "io.WriteString":
		v = c.Args[1]
	case f != nil && len(c.Args) == 3 && ruleName(f) == "fmt.Fprintf":
		v = c.Args[1]
		if s, is := text(v); is {
			before, _, _ := strings.Cut(s, "%")
			return isPlainBeginning(before)
		}
		return false
	case f != nil && len(c.Args) == 2 && (ruleName(f) == "fmt.Fprint" || ruleName(f) == "fmt.Fprintln"):
		if v = firstOf(c.Args[1]); v == nil {
			return false
		}
		v = unwrapped(v)
	default:
		return false
	}
	if made, is := v.(*ssa.Convert); is {
		v = made.X
	}
	before, _, _ := strings.Cut(leading(v), unknownText)
	return isPlainBeginning(before)
}

func isPlainBeginning(s string) bool {
	s = strings.TrimLeft(s, "\t\n\x0c\r ")
	return s != "" && s[0] != '<'
}
