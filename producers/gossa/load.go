package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/govyre/vyre/producers/calls/names"
)

// program is packages and all that they import, as SSA.
type program struct {
	ssa   *ssa.Program
	roots []*ssa.Function // where execution begins, sorted

	standard map[string]bool // packages of the standard library
	names    *names.Program

	variables *variableTypes // after resolve, if they were asked for
}

// callees are the functions that a call may call where the program alone does not say which.
type callees map[ssa.CallInstruction][]*ssa.Function

// listed is what the go command is asked of packages. They are read and checked here: see builder.
const listed = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypesSizes | packages.NeedModule

// load type-checks packages and builds their SSA.
//
// Errors: a folder that is not there; packages that are not there, with what the go command says of them; packages that do not
// type-check, with what is wrong with them.
func load(ctx context.Context, dir string, tests bool, tags string, patterns []string) (*program, error) {
	if err := isFolder(dir); err != nil {
		return nil, err
	}
	config := &packages.Config{Context: ctx, Mode: listed, Dir: dir, Tests: tests}
	if tags != "" {
		config.BuildFlags = []string{"-tags=" + tags}
	}
	initial, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, notListed(dir, err)
	}
	if len(initial) == 0 {
		return nil, fmt.Errorf("no packages match %s in %s; files for other build tags (--tags), or with cgo where it is off, do not count", strings.Join(patterns, " "), dir)
	}
	var all []*packages.Package
	standard := make(map[string]bool)
	packages.Visit(initial, nil, func(p *packages.Package) {
		all = append(all, p)
		within := p.Module == nil || p.Module.Path == "std"
		standard[p.PkgPath] = within && !slices.Contains(initial, p) && !strings.HasPrefix(p.PkgPath, "cmd/") && !plain[p.PkgPath]
	})
	if err := wrongIn(all); err != nil {
		return nil, withoutModule(ctx, dir, err)
	}
	b, err := build(ctx, all)
	if err != nil {
		return nil, err
	}
	p := &program{ssa: b.prog, standard: standard, names: names.New(b.prog)}
	p.findRoots(b.packages(initial))
	if len(p.roots) == 0 {
		return nil, fmt.Errorf("there is no function in %s", strings.Join(patterns, " "))
	}
	return p, nil
}

// plain are packages of the standard library that say in plain Go what they do with their arguments, and call the functions
// that they are passed: they are looked into where others are not.
var plain = map[string]bool{"cmp": true, "iter": true, "maps": true, "slices": true}

// newer is how the go command says that it is too old for a module.
var newer = regexp.MustCompile(`(\S+) requires go >= ([\w.]+) \(running go ([\w.]+)(; GOTOOLCHAIN=\w+)?`)

// notListed says why the go command lists no packages, and for a module that is too new for it what to do. The toolchain that
// gossa runs and the one that it is made of are two: the second has to know the language as well.
func notListed(dir string, err error) error {
	m := newer.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("the go command does not list packages: %w", err)
	}
	what := fmt.Sprintf("take go%s or later, and make gossa anew with it: it was made by %s", m[2], runtime.Version())
	if m[4] != "" {
		what += fmt.Sprintf(", and%s keeps the go command from fetching that itself", m[4][1:])
	}
	return fmt.Errorf("%s in %s wants Go %s, and the go command there is go%s; %s", m[1], dir, m[2], m[3], what)
}

// isFolder says of a folder that is not there which one that is: the go command, run in it, would seem to be what is missing.
func isFolder(dir string) error {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	}
	return nil
}

// withoutModule adds to what the go command says of packages that there is no module, or several, if that is why.
func withoutModule(ctx context.Context, dir string, err error) error {
	env := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOWORK")
	env.Dir = dir
	out, failed := env.Output()
	if failed != nil {
		return err
	}
	switch module, work, _ := strings.Cut(strings.TrimRight(string(out), "\n"), "\n"); {
	case work != "" && strings.Contains(err.Error(), "go.work"):
		return fmt.Errorf("%w\npatterns name packages of modules that %s uses: ./MODULE/... for each", err, work)
	case work == "" && (module == os.DevNull || module == ""):
		return fmt.Errorf("%w\nthere is no go.mod in %s or above it: -C FOLDER names the folder of a module", err, dir)
	}
	return err
}

// wrongIn says what the go command has against packages. If some were not found, the rest follows from that.
func wrongIn(all []*packages.Package) error {
	var missing, wrong []string
	for _, p := range all {
		for _, e := range p.Errors {
			text := e.Msg
			if e.Pos != "" && e.Pos != "-" {
				text = e.Error()
			}
			if e.Kind == packages.ListError {
				missing = append(missing, text)
			} else {
				wrong = append(wrong, text)
			}
		}
	}
	if len(missing) > 0 {
		return lines("the packages cannot be loaded", missing)
	}
	return lines("the packages do not compile", wrong)
}

// lines is an error with the first ten lines of many.
func lines(said string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	more := ""
	if len(list) > 10 {
		list, more = list[:10], fmt.Sprintf("\nand %d more", len(list)-10)
	}
	return fmt.Errorf("%s:\n%s%s", said, strings.Join(list, "\n"), more)
}

// findRoots takes init and main of main packages. Where there are none but those of tests, all functions of the packages are
// roots as well: somebody else calls them.
func (p *program) findRoots(built []*ssa.Package) {
	program := false
	for _, m := range ssautil.MainPackages(built) {
		p.roots = append(p.roots, m.Func("init"), m.Func("main"))
		program = program || !strings.HasSuffix(m.Pkg.Path(), ".test")
	}
	if !program {
		named := make(map[*ssa.Package]bool)
		for _, b := range built {
			named[b] = true
		}
		for f := range p.names.Functions() {
			if named[f.Pkg] && f.TypeParams().Len() == len(f.TypeArgs()) && !slices.Contains(p.roots, f) {
				p.roots = append(p.roots, f)
			}
		}
	}
	p.roots = slices.DeleteFunc(p.roots, func(f *ssa.Function) bool { return f == nil })
	p.names.Sort(p.roots)
}

// resolve finds what calls may call, by one of three algorithms. They are those of golang.org/x/tools, of which cha and rta look
// at no context.
func (p *program) resolve(ctx context.Context, how string) (callees, error) {
	var g *callgraph.Graph
	switch how {
	case "cha":
		g = cha.CallGraph(p.ssa)
	case "rta":
		g = rta.Analyze(p.roots, true).CallGraph
	case "vta":
		var err error
		if p.variables, err = p.variableTypes(ctx); err != nil {
			return nil, err
		}
		return p.variables.callees(ctx, p)
	default:
		return nil, fmt.Errorf("calls are resolved by cha, rta or vta, not %q", how)
	}
	may := make(callees)
	for _, n := range g.Nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, e := range n.Out {
			if e.Site != nil && e.Site.Common().StaticCallee() == nil {
				may[e.Site] = append(may[e.Site], e.Callee.Func)
			}
		}
	}
	order := orderOf(p, may)
	for site, list := range may {
		slices.SortFunc(list, func(a, b *ssa.Function) int { return order[a] - order[b] })
		may[site] = slices.Compact(list)
	}
	return may, nil
}

// orderOf numbers the functions that calls may call as they are sorted. Most are called from many places.
func orderOf[K comparable](p *program, may map[K][]*ssa.Function) map[*ssa.Function]int {
	order, list := make(map[*ssa.Function]int), []*ssa.Function{}
	for _, called := range may {
		for _, f := range called {
			if _, seen := order[f]; !seen {
				order[f] = 0
				list = append(list, f)
			}
		}
	}
	p.names.Sort(list)
	for i, f := range list {
		order[f] = i
	}
	return order
}
