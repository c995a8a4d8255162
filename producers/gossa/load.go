package main

import (
	"context"
	"fmt"
	"go/types"
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
	named []*ssa.Package  // that were asked for

	standard map[string]bool // packages of the standard library
	own      map[string]bool // packages of main modules, and those that were asked for
	light    bool            // bodies of packages that are not own are not read
	called   map[string]bool // names of methods that interfaces of those have
	names    *names.Program
	left     []leftOut // of packages, sorted
	files    []string  // of all packages
	sums     map[string][]byte
	buffer   []byte   // for reading a file
	sources  []string // those of own packages, sorted

	variables *variableTypes                   // after resolve, if they were asked for
	exported  map[*ssa.Function]bool           // of a library
	handed    map[ssa.CallInstruction][]handed // by root rules
}

// callees are the functions that a call may call where the program alone does not say which.
type callees map[ssa.CallInstruction][]*ssa.Function

// listed is what the go command is asked of packages. They are read and checked here: see builder. No compiler runs, not for cgo
// either: CompiledGoFiles would be what cgo makes. To ask for sizes of types would be to ask for these, which takes twice the time.
const listed = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// listing is what the go command says of packages.
type listing struct {
	dir      string
	patterns []string
	initial  []*packages.Package // that were asked for
	all      []*packages.Package // with all that they import
	p        *program            // what of it is known without reading files
}

// load lists packages, type-checks them and builds their SSA.
func load(ctx context.Context, dir string, tests bool, tags string, patterns []string) (*program, error) {
	l, err := list(ctx, dir, tests, tags, patterns)
	if err != nil {
		return nil, err
	}
	return l.load(ctx)
}

// list asks the go command.
//
// Errors: a folder that is not there; packages that are not there, with what the go command says of them.
func list(ctx context.Context, dir string, tests bool, tags string, patterns []string) (*listing, error) {
	if err := isFolder(dir); err != nil {
		return nil, err
	}
	env, sizes := goEnv(ctx, dir)
	config := &packages.Config{Context: ctx, Mode: listed, Dir: dir, Tests: tests, Env: env}
	if tags != "" {
		config.BuildFlags = []string{"-tags=" + tags}
	}
	initial, err := packages.Load(config, patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, notListed(dir, err)
	}
	if len(initial) == 0 {
		return nil, nothingf("no packages match %s in %s; files for other build tags (--tags) do not count", strings.Join(patterns, " "), dir)
	}
	if err := notThere(initial); err != nil {
		return nil, withoutModule(ctx, dir, err)
	}
	l := &listing{dir: dir, patterns: patterns, initial: initial, p: &program{standard: make(map[string]bool), own: make(map[string]bool)}}
	packages.Visit(initial, nil, func(p *packages.Package) {
		p.TypesSizes = sizes
		l.add(p)
	})
	slices.Sort(l.p.sources)
	l.p.sources = slices.Compact(l.p.sources) // those of tests are in several packages
	return l, nil
}

// add says of a package what it is to the program.
func (l *listing) add(of *packages.Package) {
	l.all = append(l.all, of)
	p, within, named := l.p, of.Module == nil || of.Module.Path == "std", slices.Contains(l.initial, of)
	p.standard[of.PkgPath] = within && !named && len(of.GoFiles) > 0 && !strings.HasPrefix(of.PkgPath, "cmd/") && !plain[of.PkgPath]
	p.own[of.PkgPath] = p.own[of.PkgPath] || named || of.Module != nil && of.Module.Main || strings.HasPrefix(of.PkgPath, "cmd/")
	p.files = append(p.files, of.GoFiles...)
	if p.own[of.PkgPath] {
		p.sources = append(p.sources, of.GoFiles...)
	}
}

// load type-checks packages and builds their SSA. What does not type-check is left out: see leftOut.
//
// Errors: packages of which no function is left, with what is wrong with them.
func (l *listing) load(ctx context.Context) (*program, error) {
	b, err := build(ctx, l.all, l.p)
	if err != nil {
		return nil, err
	}
	p := l.p
	p.ssa, p.names, p.called = b.prog, names.New(b.prog), b.interfaceMethods()
	p.left = b.leftOut(l.all, p.standard)
	p.findRoots(b.packages(l.initial))
	if err := p.nothing(l.patterns); err != nil {
		return nil, withoutModule(ctx, l.dir, err)
	}
	return p, nil
}

// goEnv is the environment of the go command, and the sizes of types for what it builds.
func goEnv(ctx context.Context, dir string) ([]string, types.Sizes) {
	env := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED", "CC", "GOOS", "GOHOSTOS", "GOARCH", "GOHOSTARCH")
	env.Dir = dir
	out, err := env.Output()
	said := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if err != nil || len(said) != 6 { // listing packages says what is wrong
		return os.Environ(), types.SizesFor("gc", runtime.GOARCH)
	}
	return withC(said), types.SizesFor("gc", said[4])
}

// withC adds cgo to the environment where only a C compiler is missing. Files with cgo are listed then as well: their C is never
// compiled, and what is found does not depend on it.
func withC(said []string) []string {
	if said[0] == "1" || os.Getenv("CGO_ENABLED") != "" || said[2] != said[3] || said[4] != said[5] {
		return os.Environ()
	}
	if command := strings.Fields(said[1]); len(command) > 0 {
		if _, err := exec.LookPath(command[0]); err == nil { // so cgo is off because somebody wants it
			return os.Environ()
		}
	}
	return append(os.Environ(), "CGO_ENABLED=1")
}

// nothing says why there is nothing to look at.
func (p *program) nothing(patterns []string) error {
	if slices.ContainsFunc(p.roots, func(f *ssa.Function) bool { return f.Blocks != nil && f.Syntax() != nil }) {
		return nil
	}
	var wrong []string
	for _, l := range p.left {
		if p.own[l.Package] {
			wrong = append(wrong, l.Error)
		}
	}
	if len(wrong) > 0 {
		return lines("the packages do not compile", wrong)
	}
	return fmt.Errorf("there is no function in %s", strings.Join(patterns, " "))
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

// notThere says what the go command has against packages that were asked for and have no files.
func notThere(initial []*packages.Package) error {
	var missing []string
	for _, p := range initial {
		if len(p.GoFiles) > 0 {
			continue
		}
		for _, e := range p.Errors {
			missing = append(missing, said(e))
		}
	}
	if err := lines("the packages cannot be loaded", missing); err != nil {
		return nothing{err}
	}
	return nil
}

// nothing is that what was asked for is not there.
type nothing struct{ error }

func nothingf(format string, args ...any) error { return nothing{fmt.Errorf(format, args...)} }

// said is what the go command says of a package.
func said(e packages.Error) string {
	if e.Pos != "" && e.Pos != "-" {
		return strings.TrimSpace(e.Error())
	}
	return strings.TrimSpace(e.Msg)
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
	p.named = built
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
