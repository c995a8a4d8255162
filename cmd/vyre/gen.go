package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
)

// genCmd writes typed launchers.
type genCmd struct {
	Source   []string `arg:"" optional:"" placeholder:"DIR" help:"Directories of packages, or Go files; DIR/... is every directory from DIR down that has kernels or a library; the current directory if none is given."`
	Out      string   `short:"o" placeholder:"FILE" help:"Write to FILE instead of kernels_vyre.go beside the source, or kernels_vyre_test.go if that is a test file; the programs go to the file with .vyp for .go; - is standard output, of the Go text alone."`
	Programs bool     `help:"Write no launchers, but for each kernel a function that returns its program: for packages that specialise them."`
	Bundle   string   `placeholder:"FILE" help:"Write launchers that load their kernels from FILE, which vyre bundle made, and compile nothing; FILE is in the directory of the launchers, or below it."`
	Check    bool     `help:"Write nothing; fail if a file is not what would be written."`
}

// Help is the long help of the command.
func (genCmd) Help() string {
	return `Once in a module, and once in a file beside the kernels:
  go get -tool github.com/govyre/vyre/cmd/vyre
  //go:generate go tool vyre gen
The first go tool vyre in a module builds the command, in silence, and takes a while; later ones do not.`
}

func (c *genCmd) Run(t *terminal) error {
	if len(c.Source) == 0 {
		c.Source = []string{"."}
	}
	var err error
	if c.Source, err = expand(c.Source, marker, libraryMarker); err != nil {
		return err
	}
	if c.Out == "-" && c.Check {
		return usagef("--check compares with a file, and -o - is none")
	}
	if c.Out != "" && len(c.Source) > 1 {
		return usagef("-o %s: one file cannot hold the launchers of %d sources", c.Out, len(c.Source))
	}
	if c.Bundle != "" && (c.Programs || len(c.Source) > 1) {
		return usagef("--bundle %s is for the launchers of one source, and without --programs", c.Bundle)
	}
	owner := make(map[string]string)
	bad := false
	for _, source := range c.Source {
		file, err := c.target(source)
		if err != nil {
			return err
		}
		if other, ok := owner[file]; ok {
			return usagef("%s and %s would both write %s; name their directory instead, or generate one with -o", other, source, file)
		}
		owner[file] = source
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := c.one(t, source, file); t.ctx.Err() != nil && err != nil {
			return err
		} else if err != nil {
			fmt.Fprintln(t.err, message(err))
			bad = true
		}
	}
	if bad {
		return errSilent
	}
	return nil
}

// target is the file with the launchers of a source.
func (c *genCmd) target(source string) (string, error) {
	if c.Out == "-" {
		return c.Out, nil
	}
	return gen.Target(source, c.Out)
}

// product is a file that is generated.
type product struct {
	name, noun string
	begins     string // in each of its kind
	want, have []byte
	missing    bool
	out        *sink
}

// one generates, or checks, the launchers of a source and the data file beside them.
func (c *genCmd) one(t *terminal, source, file string) error {
	if marks, err := c.library(t, source, file); err != nil || !marks {
		return err
	}
	if c.Check && c.Bundle == "" { // then the launchers say whether they have one
		name, err := gen.BundleOf(file)
		if err != nil {
			return err
		}
		if name != "" {
			own := *c
			own.Bundle = filepath.Join(filepath.Dir(file), name)
			c = &own
		}
	}
	products := []*product{{name: gen.DataFile(file), noun: "program", begins: gen.DataBegins}, {name: file, noun: "kernel", begins: generatedBy}}
	launchers := products[1]
	if c.Bundle != "" {
		products = products[1:]
	}
	info, err := os.Stat(file)
	direct := !c.Check && (file == "-" || err == nil && !info.Mode().IsRegular())
	if direct {
		products = []*product{launchers} // to look at: no program finds a data file beside it
	}
	for _, p := range slices.Backward(products) { // the first error is about the file that the user named
		if c.Check {
			continue
		}
		var err error
		if p.out, err = t.create("-o", p.name); err != nil {
			return err
		}
		defer p.out.close()
	}
	stop := t.spin("compiling the kernels of " + source)
	defer stop()
	pkg, err := front.Load(t.ctx, source, file) // a launcher that is half written must not be in the way of a whole one
	if err != nil {
		return err
	}
	bundle, err := c.bundle(t, pkg, filepath.Dir(file))
	if err != nil {
		return err
	}
	files, err := gen.Source(pkg, gen.Options{Command: gen.Command(source, file, bundle, c.Programs), Dir: filepath.Dir(file), Programs: c.Programs, File: filepath.Base(file), Bundle: bundle})
	stop()
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	launchers.want = files.Launchers
	if direct {
		return launchers.out.write(launchers.want)
	}
	if c.Bundle == "" {
		products[0].want = files.Programs
	}
	for _, p := range products {
		if err := p.look(); err != nil {
			return err
		}
	}
	if c.Check && c.Bundle != "" {
		return launchers.current("vyre gen --bundle " + c.Bundle + " " + source)
	}
	if c.Check {
		return check(pkg, source, products)
	}
	for _, p := range products { // the programs first: no launcher has a name that they do not have
		if p.fresh() {
			continue
		}
		if err := p.out.writeAs(p.want, counted(len(pkg.Kernels()), p.noun)); err != nil {
			return err
		}
	}
	return nil
}

// current says that a launcher is what it would be now, or which command makes it.
func (p *product) current(command string) error {
	switch {
	case p.missing:
		return fmt.Errorf("%s does not exist; run %s", p.name, command)
	case !p.fresh():
		return fmt.Errorf("%s is not what would be written now; run %s", p.name, command)
	}
	return nil
}

// bundle returns the name of the bundle from the directory of the launchers. It has the kernels of the package as they are now.
func (c *genCmd) bundle(t *terminal, pkg *front.Package, dir string) (string, error) {
	if c.Bundle == "" {
		return "", nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(c.Bundle)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(name) {
		return "", usagef("--bundle %s is not below %s, where the launchers would embed it", c.Bundle, dir)
	}
	have := make(map[string][32]byte)
	all, err := t.find(c.Bundle)
	if err != nil {
		return "", err
	}
	for _, l := range all {
		if l.image == nil {
			return "", usagef("--bundle %s is not a bundle; vyre bundle makes one", c.Bundle)
		}
		have[l.name] = l.image.Digest
	}
	return filepath.ToSlash(name), gen.CheckBundle(pkg, c.Bundle, have)
}

// library generates, or checks, the file that registers the library of a directory, and reports whether there are kernels to
// go on with.
func (c *genCmd) library(t *terminal, source, file string) (kernels bool, err error) {
	if info, err := os.Stat(source); err != nil || !info.IsDir() || c.Out != "" {
		return true, nil
	}
	l, err := front.FindLibrary(source)
	if err != nil || l == nil {
		return true, err
	}
	p := &product{name: filepath.Join(source, gen.LibraryFile), noun: "file", begins: generatedBy, want: gen.Library(l, gen.Command(source, file, "", c.Programs))}
	if !c.Check {
		if p.out, err = t.create("-o", p.name); err != nil {
			return false, err
		}
		defer p.out.close()
	}
	switch err := p.look(); {
	case err != nil:
		return false, err
	case !p.fresh() && c.Check:
		return false, fmt.Errorf("%s does not have the files with //vyre:library; run vyre gen %s", p.name, source)
	case !p.fresh():
		if err := p.out.writeAs(p.want, counted(len(l.Files), p.noun)); err != nil {
			return false, err
		}
	}
	return l.Kernels, nil
}

// look reads what a product holds. What somebody else wrote stays.
func (p *product) look() (err error) {
	p.have, err = os.ReadFile(p.name)
	p.missing = errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !p.missing:
		return err
	case p.out != nil && !p.missing && !begins(p.have, p.begins):
		return fmt.Errorf("%s was not written by vyre gen and stays; move it away, or choose another file with -o", p.name)
	}
	return nil
}

func (p *product) fresh() bool { return !p.missing && bytes.Equal(p.have, p.want) }

// check says which product is not what would be written, and why.
func check(pkg *front.Package, source string, products []*product) error {
	data, launchers := products[0], products[1]
	for _, p := range []*product{launchers, data} {
		if p.missing {
			return fmt.Errorf("%s does not exist; run vyre gen %s", p.name, source)
		}
	}
	if data.fresh() && launchers.fresh() {
		return nil
	}
	if err := gen.Check(pkg, launchers.name, data.have); err != nil {
		return fmt.Errorf("%w\n\trun vyre gen %s", err, source)
	}
	stale := launchers
	if launchers.fresh() {
		stale = data
	}
	return fmt.Errorf("%s was made from the same source, and reads otherwise: by another version of vyre, or from other comments; run vyre gen %s", stale.name, source)
}

// generatedBy begins every Go file that vyre gen writes.
const generatedBy = "// Code generated by \"vyre gen"

// begins reports whether a file begins with a text, or is what is left of one that did.
func begins(file []byte, text string) bool {
	return strings.HasPrefix(text, string(file[:min(len(file), len(text))]))
}

// counted is n with a noun, in the plural if it must be.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
