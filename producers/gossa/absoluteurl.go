package main

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// absoluteURL is about a field of a request's URL that is not empty: its scheme, or its host. The host is then the one that was asked,
// since no link to here has another. What comes behind it does not change it.
func (g *guards) absoluteURL(field ssa.Value, said facts) {
	load, is := field.(*ssa.UnOp)
	if !is {
		return
	}
	at, is := load.X.(*ssa.FieldAddr)
	if !is {
		return
	}
	switch fieldRule(at.X.Type(), at.Field) {
	case "net/url.URL.Scheme", "net/url.URL.Host":
		g.hasHost(at.X, said)
	}
}

// isAbsolute is about URL.IsAbs.
func (g *guards) isAbsolute(call *ssa.Call, truth bool, said facts) {
	if truth {
		g.hasHost(call.Call.Args[0], said)
	}
}

func (g *guards) hasHost(u ssa.Value, said facts) {
	if g.isOfRequest(u) && !g.setsHost(g.f, 0) {
		said.add(g.num.of(u), hostAsked)
	}
}

// isOfRequest reports whether a URL is that of a request which a client has sent, or a copy of it which only functions of net/url get.
func (c *checker) isOfRequest(u ssa.Value) bool {
	if at, is := u.(*ssa.Alloc); is {
		return c.isOfRequest(copiedFrom(at))
	}
	load, is := u.(*ssa.UnOp)
	if !is || load.Op != token.MUL {
		return false
	}
	at, is := load.X.(*ssa.FieldAddr)
	return is && c.asked[at.X] && fieldRule(at.X.Type(), at.Field) == "net/http.Request.URL"
}

// copiedFrom is the address of the struct that a variable is a copy of, or nil.
func copiedFrom(at *ssa.Alloc) (from ssa.Value) {
	for _, use := range *at.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			load, is := use.Val.(*ssa.UnOp)
			if !is || from != nil || use.Addr != at {
				return nil
			}
			from = load.X
		case *ssa.Call:
			if f := use.Call.StaticCallee(); f == nil || names.Package(f) != "net/url" {
				return nil
			}
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return from
}

// setsHost reports whether a function, or one that it calls with a URL or a request, may set the host of a URL.
func (c *checker) setsHost(f *ssa.Function, depth int) bool {
	if depth > deepest || slices.ContainsFunc(f.AnonFuncs, func(inner *ssa.Function) bool { return c.setsHost(inner, depth+1) }) {
		return true
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				if isHost(i.Addr) {
					return true
				}
			case ssa.CallInstruction:
				to := i.Common().StaticCallee()
				if to != nil && to != f && c.p.own[names.Package(to)] && slices.ContainsFunc(i.Common().Args, hasURL) && c.setsHost(to, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// isHost reports whether an address is that of a URL's host, or of a whole URL that is not a variable of the function.
func isHost(address ssa.Value) bool {
	switch at := address.(type) {
	case *ssa.FieldAddr:
		switch fieldRule(at.X.Type(), at.Field) {
		case "net/url.URL.Host", "net/url.URL.Opaque":
			return true
		}
	case *ssa.Alloc:
		return false
	}
	return isNamed(address.Type(), "net/url", "URL")
}

func hasURL(v ssa.Value) bool {
	return isNamed(v.Type(), "net/url", "URL") || isNamed(v.Type(), "net/http", "Request")
}

// isNamed reports whether a type is one of that name, or a pointer to it.
func isNamed(t types.Type, path, name string) bool {
	n := pointed(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

// keepsHost are the methods of a URL whose results have its host, so that what is known of that holds for them.
var keepsHost = []string{"String", "Redacted", "JoinPath", "Parse", "ResolveReference", "MarshalBinary"}

// isPartOfURL reports whether a call takes something out of a URL of which nothing is known, even if its host is.
func isPartOfURL(c *ssa.CallCommon) bool {
	f := c.StaticCallee()
	if f == nil || f.Signature.Recv() == nil || slices.Contains(keepsHost, f.Name()) {
		return false
	}
	return isNamed(f.Signature.Recv().Type(), "net/url", "URL")
}
