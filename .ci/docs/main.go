// Command docs compiles and runs every block of code in pages of the documentation, in order:
//
//	go run ./.ci/docs PAGE...
//
// Each page has an empty folder of its own. What a block is stands after its three backticks:
//
//	sh                 commands, run by bash; `cd` lasts for the page
//	sh in=repository   commands, run in the repository's root
//	text output        what the sh block before it printed; … stands for anything
//	go file=PATH       a file, written there
//	go                 declarations, or statements, built on their own; kernels among them go through `vyre check`
//	go refused=CODE    a kernel that `vyre check` refuses, under that code
//
// Blocks of other kinds are left alone, but a block that looks like code and says none of this is an error. A comment
// `<!-- given: DECLARATIONS -->` before a go block stands in front of its statements.
//
// After `go mod init` the module's path is replaced by this repository, and nothing is fetched from a network.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
)

const module = "github.com/govyre/vyre"

func main() {
	flag.Parse()
	failed := false
	for _, path := range flag.Args() {
		if err := run(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s:%v\n", path, err)
			failed = true
		}
	}
	if failed || flag.NArg() == 0 {
		os.Exit(1)
	}
}

// block is a fenced block of a page.
type block struct {
	line   int
	kind   string            // go, sh, text, …
	attrs  map[string]string // in, file, refused, output
	given  string            // of the comment before it
	text   string
	indent string // of a list that the block stands in
}

// page is one page under way.
type page struct {
	repo, work, dir string // the repository; the page's own folder; where commands run
	vyre            string // the command, built
	printed         string // by the last sh block
	blocks          int    // built on their own
}

func run(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	blocks, err := parse(string(src))
	if err != nil {
		return err
	}
	p := &page{}
	if p.repo, err = os.Getwd(); err != nil {
		return err
	}
	if p.work, err = os.MkdirTemp("", "docs"); err != nil {
		return err
	}
	defer os.RemoveAll(p.work)
	p.dir, p.vyre = p.work, filepath.Join(p.work, "bin", "vyre")
	if out, err := command(p.repo, "go", "build", "-o", p.vyre, "./cmd/vyre").CombinedOutput(); err != nil {
		return fmt.Errorf("1: the command does not build: %w\n%s", err, out)
	}
	counts := map[string]int{}
	for _, b := range blocks {
		if err := p.do(b); err != nil {
			return fmt.Errorf("%d: %w", b.line, err)
		}
		counts[b.kind]++
	}
	fmt.Printf("%s: %d blocks of Go, %d of commands, %d of output\n", path, counts["go"], counts["sh"], counts["text output"])
	return nil
}

var (
	fence = regexp.MustCompile("^( *)```([^`]*)$")
	given = regexp.MustCompile(`(?s)<!-- given: (.*?) -->\s*$`)
)

// parse returns the blocks of a page that are to be done.
func parse(src string) ([]block, error) {
	var blocks []block
	var b *block
	var before strings.Builder // prose since the last block
	for i, line := range strings.Split(src, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case b != nil && m != nil && m[2] == "":
			if b.kind != "" {
				blocks = append(blocks, *b)
			}
			b = nil
			before.Reset()
		case b != nil:
			b.text += strings.TrimPrefix(line, b.indent) + "\n"
		case m != nil:
			b = &block{line: i + 1, indent: m[1], attrs: map[string]string{}}
			words := strings.Fields(m[2])
			for k, w := range words {
				if key, value, ok := strings.Cut(w, "="); ok || k > 0 {
					b.attrs[key] = value
				}
			}
			switch _, output := b.attrs["output"]; {
			case len(words) == 0:
			case words[0] == "text" && output:
				b.kind = "text output"
			case words[0] == "go" || words[0] == "sh":
				b.kind = words[0]
			case words[0] != "text" && words[0] != "mermaid" && words[0] != "json":
				return nil, fmt.Errorf("%d: nobody runs a block of %s", i+1, words[0])
			}
			if g := given.FindStringSubmatch(before.String()); g != nil {
				b.given = g[1]
			}
		default:
			before.WriteString(line + "\n")
		}
	}
	if b != nil {
		return nil, fmt.Errorf("%d: the block has no end", b.line)
	}
	return blocks, nil
}

func (p *page) do(b block) error {
	switch file, code := b.attrs["file"], b.attrs["refused"]; {
	case b.kind == "sh":
		return p.shell(b.text, b.attrs["in"] == "repository")
	case b.kind == "text output":
		return compare(p.printed, b.text)
	case file != "":
		path := filepath.Join(p.dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return atomicfile.WriteBytes(context.Background(), path, []byte(b.text))
	default:
		return p.build(b, code)
	}
}

// shell runs commands, and remembers what they print and where they end.
func (p *page) shell(text string, inRepository bool) error {
	dir, end := p.dir, filepath.Join(p.work, "end")
	if inRepository {
		dir = p.repo
	}
	cmd := command(dir, "bash", "-euc", `go() { command go "$@" && case "$*" in "mod init "*) `+p.replace()+`;; esac; }
`+text+`
pwd >`+end)
	out, err := cmd.CombinedOutput()
	fmt.Printf("$ %s%s", strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n$ ")+"\n", out)
	if err != nil {
		return fmt.Errorf("the commands fail: %w", err)
	}
	p.printed = string(out)
	if where, err := os.ReadFile(end); err != nil {
		return err
	} else if !inRepository {
		p.dir = strings.TrimSpace(string(where))
	}
	return nil
}

// replace is the command that puts this repository in the module's place, with its sums, for nothing is fetched.
func (p *page) replace() string {
	return fmt.Sprintf("command go mod edit -replace %s=%q && cp %q go.sum", module, p.repo, filepath.Join(p.repo, "go.sum"))
}

// compare holds what was printed against what a page says.
func compare(got, want string) error {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = strings.ReplaceAll(pattern, "…", "(?s:.*)")
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(strings.TrimSpace(got)) {
		return fmt.Errorf("the output is not what the page says:\n%s", got)
	}
	return nil
}

// build builds a block on its own, and checks its kernels.
func (p *page) build(b block, refused string) error {
	p.blocks++
	dir := filepath.Join(p.work, "blocks")
	if p.blocks == 1 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		setup := `go mod init example.com/blocks && ` + p.replace() + ` && go get ` + module + `/...`
		if out, err := command(dir, "bash", "-euc", setup).CombinedOutput(); err != nil {
			return fmt.Errorf("a module for blocks: %w\n%s", err, out)
		}
	}
	file := filepath.Join(dir, fmt.Sprintf("b%d", p.blocks), "block.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(context.Background(), file, []byte(complete(b.text, b.given))); err != nil {
		return err
	}
	if refused == "" {
		if out, err := command(filepath.Dir(file), "go", "vet", ".").CombinedOutput(); err != nil {
			return fmt.Errorf("the block does not build: %w\n%s", err, out)
		}
	}
	if !strings.Contains(b.text, "//vyre:kernel") {
		return nil
	}
	out, err := command(filepath.Dir(file), p.vyre, "check", file).CombinedOutput()
	switch {
	case refused == "" && err != nil:
		return fmt.Errorf("the kernel is refused: %w\n%s", err, out)
	case refused != "" && (err == nil || !bytes.Contains(out, []byte(refused))):
		return fmt.Errorf("the kernel is not refused under %s: %v\n%s", refused, err, out)
	}
	return nil
}

// packages are those that blocks may use without naming their import.
var packages = []string{"bytes", "context", "errors", "fmt", "log", "math", "math/bits", "os", "testing", "time",
	module, module + "/gpu", module + "/kernel", module + "/ir", module + "/driver", module + "/internal/conform", module + "/driver/metrics", module + "/prim", module + "/graph", module + "/graph/session", module + "/egraph", module + "/egraph/device"}

// complete makes a file of a block: with a package and its imports, and statements in a function.
func complete(text, given string) string {
	parses := func(src string) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		return err == nil
	}
	if strings.Contains("\n"+text, "\npackage ") {
		return text
	}
	head := "package block\n\n"
	for _, path := range packages {
		if regexp.MustCompile(`\b` + filepath.Base(path) + `\.[A-Z]`).MatchString(text + given) {
			head += fmt.Sprintf("import %q\n", path)
		}
	}
	if src := head + "\n" + given + "\n" + text; parses(src) {
		return src
	}
	return head + "\nfunc _() {\n" + given + "\n" + text + "}\n"
}

// command runs without a network, and without a workspace but for those of this repository's own modules.
func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=", "GOFLAGS=")
	return cmd
}
