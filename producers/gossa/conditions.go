package main

import (
	"go/constant"
	"go/token"
	"maps"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// deepest is through how many conditions that are parts of others, and validators that call others, facts are looked
// for.
const deepest = 8

// says is what holds where a condition is true, or false.
func (g *guards) says(cond ssa.Value, truth bool, depth int) facts {
	said := make(facts)
	if depth > deepest {
		return said
	}
	if depth == 0 { // a validator may be looked at on the way, whose conditions are others
		before := g.phis
		g.phis = nil
		defer func() { g.phis = before }()
	}
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return g.says(v.X, !truth, depth+1)
		}
	case *ssa.Phi:
		return g.saysPhiOnce(v, truth, depth)
	case *ssa.BinOp:
		g.compared(v, truth, depth, said)
	case *ssa.Lookup: // of a map of bools
		if truth && g.isConstantMap(v.X) {
			said.add(g.num.of(v.Index), isConstant)
		}
	case *ssa.Extract:
		switch from := v.Tuple.(type) {
		case *ssa.Lookup:
			if truth && v.Index == 1 && g.isConstantMap(from.X) {
				said.add(g.num.of(from.Index), isConstant)
			}
		case *ssa.Call:
			g.called(from, v.Index, truth, said)
		}
	case *ssa.Call:
		g.called(v, 0, truth, said)
	}
	return said
}

// saying is a question about a value that is a part of a condition.
type saying struct {
	v     *ssa.Phi
	truth bool
	depth int
}

// saysPhiOnce asks saysPhi, once for each condition: values of long conditions share parts, and all ways through these would
// be as many as their product.
func (g *guards) saysPhiOnce(v *ssa.Phi, truth bool, depth int) facts {
	key := saying{v, truth, depth}
	said, ok := g.phis[key]
	if !ok {
		said = g.saysPhi(v, truth, depth)
		if g.phis == nil {
			g.phis = make(map[saying]facts)
		}
		g.phis[key] = said
	}
	return maps.Clone(said) // callers add to it
}

// saysPhi is about a && b that is a value: what holds on all ways that do not have the other constant.
func (g *guards) saysPhi(v *ssa.Phi, truth bool, depth int) facts {
	var all facts
	for i, e := range v.Edges {
		if c, is := e.(*ssa.Const); is && c.Value != nil && constant.BoolVal(c.Value) != truth {
			continue
		}
		one := g.says(e, truth, depth+1)
		for b := v.Block().Preds[i]; len(b.Preds) == 1; b = b.Preds[0] {
			from := b.Preds[0]
			cond, is := from.Instrs[len(from.Instrs)-1].(*ssa.If)
			if is && from.Succs[0] != from.Succs[1] && b.Dominates(v.Block().Preds[i]) {
				one.addAll(g.says(cond.Cond, from.Succs[0] == b, depth+1))
			}
			if from == v.Block().Idom() {
				break
			}
		}
		if all == nil {
			all = one
			continue
		}
		for n := range all {
			all[n] = all[n].closed() & one[n].closed()
		}
	}
	if all == nil {
		all = make(facts)
	}
	return all
}

// compared is about == and !=, and about what strings.Index gives.
func (g *guards) compared(v *ssa.BinOp, truth bool, depth int, said facts) {
	x, y := v.X, v.Y
	if _, is := x.(*ssa.Const); is {
		x, y = y, x
	}
	if v.Op != token.EQL && v.Op != token.NEQ {
		g.ordered(v, truth, said)
		return
	}
	equal := (v.Op == token.EQL) == truth
	c, isConst := y.(*ssa.Const)
	switch {
	case isConst && c.IsNil():
		if equal && isError(x.Type()) {
			said.addAll(g.noError(x, depth+1))
		}
	case isConst && c.Value != nil && c.Value.Kind() == constant.Bool:
		said.addAll(g.says(x, constant.BoolVal(c.Value) == equal, depth+1))
	case isConst && c.Value != nil && c.Value.Kind() == constant.Int:
		g.comparedNumber(x, c, equal, said)
	case isConst && equal:
		said.add(g.num.of(x), isConstant)
		what := hostListed
		if s, _ := text(c); s == "" {
			what = hostEmpty
		} else {
			g.absoluteURL(x, said)
		}
		for _, n := range g.hostOf(x) {
			said.add(n, what)
		}
	case isConst && isEmpty(c):
		g.absoluteURL(x, said)
	case equal:
		g.sameHost(x, said)
		g.sameHost(y, said)
		g.agreed(x, y, said)
	}
}

func isEmpty(v ssa.Value) bool {
	s, is := text(v)
	return is && s == ""
}

// comparedNumber is about v[0] == '/', and strings.Index(v, "..") == -1.
func (g *guards) comparedNumber(x ssa.Value, c *ssa.Const, equal bool, said facts) {
	n, _ := constant.Int64Val(c.Value)
	if at, is := x.(*ssa.Lookup); is && isText(at.X.Type()) {
		i, is := at.Index.(*ssa.Const)
		if !is {
			return
		}
		k, _ := constant.Int64Val(i.Value)
		switch {
		case k == 0 && n == '/' && equal:
			said.add(g.num.of(at.X), startsSlash)
		case k == 1 && n == '/' && !equal:
			said.add(g.num.of(at.X), noTwoSlash)
		case k == 1 && n == '\\' && !equal:
			said.add(g.num.of(at.X), noBackslash)
		}
		return
	}
	call, is := x.(*ssa.Call)
	if is && equal && n == 1 && isCall(call, "crypto/subtle.ConstantTimeCompare") {
		g.agreed(call.Call.Args[0], call.Call.Args[1], said)
	}
	if is && equal && (n == -1 || n == 0 && isCall(call, "strings.Count")) {
		g.without(call, said)
	}
}

// ordered is about strings.Index(v, "..") < 0.
func (g *guards) ordered(v *ssa.BinOp, truth bool, said facts) {
	call, is := v.X.(*ssa.Call)
	c, isConst := v.Y.(*ssa.Const)
	if !is || !isConst || c.Value == nil || c.Value.Kind() != constant.Int {
		return
	}
	n, _ := constant.Int64Val(c.Value)
	switch {
	case v.Op == token.LSS && n == 0 && truth, v.Op == token.GEQ && n == 0 && !truth,
		v.Op == token.GTR && n == -1 && !truth:
		g.without(call, said)
	}
}

// without is about a text that does not have another.
func (g *guards) without(call *ssa.Call, said facts) {
	args := call.Call.Args
	if len(args) < 2 {
		return
	}
	s, is := text(args[1])
	if !is {
		return
	}
	n := g.num.of(args[0])
	switch {
	case isCall(call, "strings.Contains", "strings.Index", "strings.Count"):
		if s == ".." {
			g.inside(args[0], false, said)
		}
	case isCall(call, "strings.ContainsAny", "strings.IndexAny"):
		said.add(n, withoutAny(s))
	}
}

func isCall(c *ssa.Call, name ...string) bool {
	f := c.Call.StaticCallee()
	if f == nil {
		return false
	}
	is := ruleName(f)
	for _, n := range name {
		if n == is {
			return true
		}
	}
	return false
}

// called is about a call that returns a bool.
func (g *guards) called(call *ssa.Call, result int, truth bool, said facts) {
	c := &call.Call
	f := c.StaticCallee()
	if truth && g.byRule(f, c, said) {
		return
	}
	if f == nil {
		if c.IsInvoke() && truth {
			g.named(c.Method.Name(), c.Args, said)
		}
		return
	}
	if check := checks[ruleName(f)]; check != nil {
		check(g, call, truth, said)
	} else {
		g.validated(c, f, result, truth, said)
	}
}

// checks are what functions of the standard library say of their arguments.
var checks = map[string]func(g *guards, call *ssa.Call, truth bool, said facts){
	"strings.HasPrefix":            (*guards).prefixed,
	"strings.HasSuffix":            (*guards).suffixed,
	"strings.Contains":             (*guards).contains,
	"strings.ContainsAny":          (*guards).contains,
	"strings.EqualFold":            (*guards).folded,
	"path/filepath.IsLocal":        (*guards).local,
	"path/filepath.IsAbs":          (*guards).absolute,
	"path.IsAbs":                   (*guards).absolute,
	"io/fs.ValidPath":              (*guards).local,
	"net/url.(*URL).IsAbs":         (*guards).isAbsolute,
	"slices.Contains":              (*guards).listed,
	"bytes.Equal":                  (*guards).sameSecret,
	"crypto/hmac.Equal":            (*guards).sameSecret,
	"regexp.(*Regexp).MatchString": (*guards).compiled,
	"regexp.MatchString":           (*guards).matches,
}

func (g *guards) suffixed(call *ssa.Call, truth bool, said facts) {
	if truth {
		g.sameHost(call.Call.Args[0], said)
	}
}

// sameHost is about a text that is compared: if it is a host, the URL has one of some.
func (g *guards) sameHost(v ssa.Value, said facts) {
	for _, n := range g.hostOf(v) {
		said.add(n, hostListed)
	}
}

func (g *guards) contains(call *ssa.Call, truth bool, said facts) {
	if !truth {
		g.without(call, said)
	}
}

func (g *guards) folded(call *ssa.Call, truth bool, said facts) {
	if _, is := text(call.Call.Args[1]); is && truth {
		said.add(g.num.of(call.Call.Args[0]), isConstant)
	}
}

func (g *guards) local(call *ssa.Call, truth bool, said facts) {
	if truth {
		said.add(g.num.of(call.Call.Args[0]), isInside)
	}
}

func (g *guards) absolute(call *ssa.Call, truth bool, said facts) {
	if !truth {
		said.add(g.num.of(call.Call.Args[0]), isRelative)
	}
}

func (g *guards) listed(call *ssa.Call, truth bool, said facts) {
	if !truth {
		return
	}
	list, v := call.Call.Args[0], call.Call.Args[1]
	if g.isConstantList(list) {
		said.add(g.num.of(v), isConstant)
	}
	g.sameHost(v, said)
}

func (g *guards) sameSecret(call *ssa.Call, truth bool, said facts) {
	if truth {
		g.agreed(call.Call.Args[0], call.Call.Args[1], said)
	}
}

func (g *guards) compiled(call *ssa.Call, truth bool, said facts) {
	if p, is := g.pattern(call.Call.Args[0]); is {
		said.add(g.num.of(call.Call.Args[1]), matched(p, truth))
	}
}

func (g *guards) matches(call *ssa.Call, truth bool, said facts) {
	if p, is := text(call.Call.Args[0]); is {
		said.add(g.num.of(call.Call.Args[1]), matched(p, truth))
	}
}

// validated is about a function of the program, or one of which only the name is known.
func (g *guards) validated(c *ssa.CallCommon, f *ssa.Function, result int, truth bool, said facts) {
	unknown, some := c.Args, false
	if g.p.own[names.Package(f)] && f.Blocks != nil {
		unknown = nil
		for k, a := range c.Args {
			if !isText(a.Type()) && isScalar(a.Type()) {
				continue
			}
			v := validator{f, k, result, truth}
			what := g.accepts(v) &^ isChecked
			said.add(g.num.of(a), what)
			if what&isAgreed != 0 {
				g.by[g.num.of(a)] = f.Name()
			}
			if some = some || what != 0; !g.letsThrough(v) && g.looksAt(f, k) {
				unknown = append(unknown, a)
			}
		}
	} else if g.p.standard[names.Package(f)] {
		return
	}
	if truth && !some {
		g.named(f.Name(), unknown, said)
	}
}

// validators are names of functions that look at what they are given.
var validators = regexp.MustCompile(`^(?i:is)?.*(?i:valid|safe|allowed|permitted)|^(?i:check|verify|sanitize|escape)`)

func (g *guards) named(name string, args []ssa.Value, said facts) {
	if !validators.MatchString(name) || strings.HasPrefix(name, "Invalid") {
		return
	}
	for _, a := range args {
		if isText(a.Type()) {
			n := g.num.of(a)
			said.add(n, isChecked)
			g.by[n] = name
		}
	}
}

// noError is what holds where an error is nil.
func (g *guards) noError(v ssa.Value, depth int) facts {
	said := make(facts)
	result := 0
	if e, is := v.(*ssa.Extract); is {
		v, result = e.Tuple, e.Index
	}
	call, is := v.(*ssa.Call)
	if !is || depth > deepest {
		return said
	}
	c := &call.Call
	f := c.StaticCallee()
	if g.byRule(f, c, said) {
		return said
	}
	if f == nil {
		if c.IsInvoke() {
			g.named(c.Method.Name(), c.Args, said)
		}
		return said
	}
	switch name := ruleName(f); {
	case strings.HasPrefix(name, "strconv.") && len(c.Args) > 0, strings.HasSuffix(name, "uuid.Parse"),
		name == "time.ParseDuration":
		said.add(g.num.of(c.Args[0]), isParsed)
	case name == "time.Parse":
		said.add(g.num.of(c.Args[1]), isParsed)
	case name == "net/url.Parse", name == "net/url.ParseRequestURI":
		said.add(g.num.of(c.Args[0]), noControls)
	default:
		g.validated(c, f, result, true, said)
	}
	return said
}

// prefixed is about strings.HasPrefix.
func (g *guards) prefixed(call *ssa.Call, truth bool, said facts) {
	v, prefix := call.Call.Args[0], call.Call.Args[1]
	s, isConst := text(prefix)
	n := g.num.of(v)
	switch {
	case truth && isConst && s == "/":
		said.add(n, startsSlash)
	case truth && endsSeparator(prefix), !truth && (s == ".." || s == "../"):
		if isCleaned(v) {
			g.inside(v, truth, said)
		}
	case !truth && s == "//":
		said.add(n, noTwoSlash)
	case !truth && s == `/\`:
		said.add(n, noBackslash)
	}
}

// endsSeparator reports whether a text ends in / or what the system has instead.
func endsSeparator(v ssa.Value) bool {
	if s, is := text(v); is {
		return strings.HasSuffix(s, "/") || strings.HasSuffix(s, `\`)
	}
	sum, is := v.(*ssa.BinOp)
	return is && sum.Op == token.ADD && endsSeparator(sum.Y)
}

// resultOf is the call of which a value is the first result, or nil.
func resultOf(v ssa.Value) *ssa.Call {
	if e, is := v.(*ssa.Extract); is && e.Index == 0 {
		v = e.Tuple
	}
	call, _ := v.(*ssa.Call)
	return call
}

// isCleaned reports whether a path has a .. at its beginning at most.
func isCleaned(v ssa.Value) bool {
	call := resultOf(v)
	return call != nil && isCall(call, "path/filepath.Clean", "path.Clean", "path/filepath.Abs", "path/filepath.EvalSymlinks",
		"path/filepath.Rel", "path/filepath.Join", "path.Join")
}

// inside is about a path that does not lead out of its folder. Nor do those that it alone is made of. A name that is joined to the
// folder is not a path itself, and what it is joined to may be a link: something is known of it if links are followed. That an absolute
// path has no .. says nothing of what it is made of, unless it is compared with the folder.
func (g *guards) inside(v ssa.Value, compared bool, said facts) {
	base, followed := none, false
	for range deepest {
		said.add(g.num.of(v), isInside)
		call := resultOf(v)
		switch {
		case call == nil:
			return
		case isCall(call, "path/filepath.Clean", "path.Clean"):
			v = call.Call.Args[0]
		case isCall(call, "path/filepath.Rel"):
			v, base, compared = call.Call.Args[1], g.num.of(call.Call.Args[0]), true
		case !compared:
			return
		case isCall(call, "path/filepath.Abs"):
			v = call.Call.Args[0]
		case isCall(call, "path/filepath.EvalSymlinks"):
			v, followed = call.Call.Args[0], true
		case isCall(call, "path/filepath.Join") && followed:
			if list := variadic(call.Call.Args[0]); len(list) == 2 && g.num.of(list[0]) == base {
				said.add(g.num.of(list[1]), isJoined)
			}
			return
		default:
			return
		}
	}
}

// hostOf are the numbers of the URL of which a text is the host, or a part of that, and of the text that the URL was
// made of.
func (g *guards) hostOf(v ssa.Value) (list []int) {
	for range deepest {
		switch x := v.(type) {
		case *ssa.Extract:
			v = x.Tuple
			continue
		case *ssa.UnOp:
			if at, is := x.X.(*ssa.FieldAddr); is && fieldRule(at.X.Type(), at.Field) == "net/url.URL.Host" {
				return g.ofURL(at.X)
			}
		case *ssa.Call:
			if isCall(x, "net/url.(*URL).Hostname") {
				return g.ofURL(x.Call.Args[0])
			}
			if f := x.Call.StaticCallee(); f != nil && len(x.Call.Args) > 0 && isText(x.Call.Args[0].Type()) {
				v = x.Call.Args[0]
				continue
			}
		}
		break
	}
	return nil
}

func (g *guards) ofURL(u ssa.Value) []int {
	list := []int{g.num.of(u)}
	if e, is := u.(*ssa.Extract); is && e.Index == 0 {
		if call, is := e.Tuple.(*ssa.Call); is && isCall(call, "net/url.Parse", "net/url.ParseRequestURI") {
			list = append(list, g.num.of(call.Call.Args[0]))
		}
	}
	return list
}
