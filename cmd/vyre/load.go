package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

// loaded is a kernel from Go source, from text form, from the wire form, or from a bundle.
type loaded struct {
	program *ir.Program // nil if a bundle has none
	name    string
	image   *driver.Image // of a bundle
}

// params are the parameters of the kernel.
func (l *loaded) params() []ir.Param {
	if l.image != nil {
		return l.image.Params
	}
	return l.program.Params()
}

// rest reports whether the kernel has a shared array whose length comes with the launch.
func (l *loaded) rest() bool {
	if l.image != nil {
		return driver.KernelFlags(l.image.Flags)&driver.SharedRest != 0
	}
	return l.program.Traits().SharedRest
}

// workgroup is the size of a group.
func (l *loaded) workgroup() [3]uint32 {
	if l.image != nil {
		return l.image.Workgroup
	}
	return l.program.Workgroup()
}

// compile makes the kernel on a device: of its program, or of its bundle.
func (l *loaded) compile(t *terminal, dev driver.Device, o driver.Options) (driver.Kernel, error) {
	if l.image != nil {
		return dev.Load(t.ctx, l.image, o)
	}
	return dev.Compile(t.ctx, l.program, o)
}

// translate writes what is made of the kernels of a source. Where it goes is opened before anything is read.
func (t *terminal) translate(source, file string, to func(all []loaded) ([]byte, error)) error {
	out, err := t.create("-o", file)
	if err != nil {
		return err
	}
	defer out.close()
	all, err := t.load(source)
	if err != nil {
		return err
	}
	stop := t.spin("translating " + names(all))
	b, err := to(all)
	stop()
	if err != nil {
		return err
	}
	return out.write(b)
}

// programs are those of kernels.
func programs(all []loaded) (ps []*ir.Program) {
	for _, l := range all {
		ps = append(ps, l.program)
	}
	return ps
}

// load reads "FILE[:KERNEL]": Go source or a directory of it, programs in text form (.vyre) or wire form
// (.vyrb), a bundle (.vyk), or any of these from standard input. All have a program.
func (t *terminal) load(spec string) ([]loaded, error) {
	all, err := t.find(spec)
	for _, l := range all {
		if l.program == nil {
			return nil, fmt.Errorf("%s has no program of kernel %s: it was made with --no-programs", spec, l.name)
		}
	}
	return all, err
}

// find is load for commands that only run kernels, and so need no program.
func (t *terminal) find(spec string) ([]loaded, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	file, name := splitSpec(spec)
	all, err := t.loadFile(file)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no kernel; mark one with //vyre:kernel workgroup=256", file)
	}
	if name == "" {
		return all, nil
	}
	for _, l := range all {
		if l.name == name {
			return []loaded{l}, nil
		}
	}
	return nil, usagef("%s has no kernel %s; it has %s", file, name, names(all))
}

func (t *terminal) loadFile(file string) ([]loaded, error) {
	form := strings.ToLower(filepath.Ext(file))
	if form != ".vyre" && form != ".vyrb" && form != ".vyk" && !standard(file) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && form != ".go" && form != "" {
			return nil, usagef("%s is neither Go source (.go) nor a program (.vyre, .vyrb) nor a bundle (.vyk)", file)
		}
		defer t.spin("compiling the kernels of " + file)()
		return kernels(front.Load(t.ctx, file))
	}
	b, err := t.read(file, maxProgram)
	if err != nil {
		return nil, err
	}
	if standard(file) {
		file, form = "stdin", formOf(b)
	}
	switch form {
	case ".vyre":
		ps, err := text.Parse(file, string(b))
		var all []loaded
		for _, p := range ps {
			all = append(all, loaded{program: p, name: p.Name()})
		}
		return all, err
	case ".vyrb":
		p, _, err := wire.Decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return []loaded{{program: p, name: p.Name()}}, nil
	case ".vyk":
		return bundled(file, b)
	}
	return kernels(front.Parse(t.ctx, []front.File{{Name: file, Src: b}}, front.Options{}))
}

// bundled are the kernels of a bundle.
func bundled(file string, b []byte) (all []loaded, err error) {
	in, err := aot.Open(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, im := range in.Kernels() {
		p, err := im.Program()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, loaded{program: p, name: im.Label(), image: im})
	}
	return all, nil
}

// formOf tells what standard input has: the wire form starts with a byte that no text has, the text form with
// its version.
func formOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89VYR")):
		return ".vyrb"
	case bytes.HasPrefix(b, []byte(bundle.Magic)):
		return ".vyk"
	case textForm.Match(b):
		return ".vyre"
	}
	return ".go"
}

// textForm is the first line of the text form, after comments.
var textForm = regexp.MustCompile(`^(\s*//.*\n)*\s*vyre [0-9]`)

func kernels(pkg *front.Package, err error) ([]loaded, error) {
	if err != nil {
		return nil, err
	}
	var all []loaded
	for _, k := range pkg.Kernels() {
		all = append(all, loaded{program: k.Program, name: k.Name})
	}
	return all, nil
}

// loadOne is load for a command that takes a single kernel.
func (t *terminal) loadOne(spec string) (loaded, error) { return one(spec, t.load) }

func one(spec string, load func(spec string) ([]loaded, error)) (loaded, error) {
	all, err := load(spec)
	if err != nil {
		return loaded{}, err
	}
	if len(all) > 1 {
		return loaded{}, usagef("%s has %d kernels; choose one with %s:NAME, NAME being %s", spec, len(all), spec, names(all))
	}
	return all[0], nil
}

// splitSpec splits FILE:KERNEL. A drive letter is no file, where there are drives.
func splitSpec(spec string) (file, name string) {
	if i := strings.LastIndexByte(spec, ':'); i > 0 && (spec[0] == '-' || i >= len(filepath.VolumeName(spec))) && !strings.ContainsAny(spec[i+1:], `/\`) {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

// expand replaces DIR/... by the directories from DIR down whose Go files mark kernels. As for the Go tool, names
// that start with a dot or an underscore, testdata, vendor and other modules do not count.
//
// What it finds it returns beside an error, which says what is wrong with each of the others.
func expand(specs []string, markers ...*regexp.Regexp) ([]string, error) {
	var all []string
	var wrong []error
	for _, spec := range specs {
		root, ok := strings.CutSuffix(filepath.ToSlash(spec), "/...")
		if spec == "..." {
			root, ok = ".", true
		}
		if !ok {
			all = append(all, spec)
			continue
		}
		before := len(all)
		err := filepath.WalkDir(filepath.FromSlash(root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if path != root && skipped(path, d.Name()) {
				return filepath.SkipDir
			}
			if has, err := marks(path, markers...); err != nil || !has {
				return err
			}
			all = append(all, path)
			return nil
		})
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case len(all) == before:
			wrong = append(wrong, fmt.Errorf("%s: no Go file has a kernel; mark one with //vyre:kernel workgroup=256", spec))
		}
	}
	return all, errors.Join(wrong...)
}

func skipped(path, name string) bool {
	if name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// marker is a line that makes the function below it a kernel, or was meant to.
var marker = regexp.MustCompile(`(?m)^//[ \t]*vyre:kernel\b`)

// libraryMarker is a line that makes a file a part of a library.
var libraryMarker = regexp.MustCompile(`(?m)^//vyre:library$`)

// marks reports whether a file of a directory has one of the markers.
func marks(dir string, markers ...*regexp.Regexp) (bool, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file := filepath.Join(dir, f.Name())
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // no source for the Go tool either; a pipe would wait, a device never end
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(markers, func(m *regexp.Regexp) bool { return m.Match(b) }) {
			return true, nil
		}
	}
	return false, nil
}

// names lists kernels.
func names(all []loaded) string {
	var list []string
	for _, l := range all {
		list = append(list, l.name)
	}
	return strings.Join(list, ", ")
}

// selfNamed reports whether the error's text says already where it comes from.
func selfNamed(err error) bool {
	var ds ir.Diags
	var de *driver.Error
	return errors.As(err, &ds) || errors.As(err, &de)
}
