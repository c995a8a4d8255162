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

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
	"github.com/govyre/vyre/kernel"
)

// loaded is a kernel from Go source, from text form or from the wire form.
type loaded struct {
	program *ir.Program
	name    string
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
// (.vyrb), or any of these from standard input.
func (t *terminal) load(spec string) ([]loaded, error) {
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
	if form != ".vyre" && form != ".vyrb" && !standard(file) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && form != ".go" && form != "" {
			return nil, usagef("%s is neither Go source (.go) nor a program (.vyre, .vyrb)", file)
		}
		defer t.spin("compiling the kernels of " + file)()
		return kernels(kernel.Load(t.ctx, file))
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
			all = append(all, loaded{p, p.Name()})
		}
		return all, err
	case ".vyrb":
		p, _, err := wire.Decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return []loaded{{p, p.Name()}}, nil
	}
	return kernels(kernel.Parse(t.ctx, []kernel.File{{Name: file, Src: b}}, kernel.Options{}))
}

// formOf tells what standard input has: the wire form starts with a byte that no text has, the text form with
// its version.
func formOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89VYR")):
		return ".vyrb"
	case textForm.Match(b):
		return ".vyre"
	}
	return ".go"
}

// textForm is the first line of the text form, after comments.
var textForm = regexp.MustCompile(`^(\s*//.*\n)*\s*vyre [0-9]`)

func kernels(pkg *kernel.Package, err error) ([]loaded, error) {
	if err != nil {
		return nil, err
	}
	var all []loaded
	for _, k := range pkg.Kernels() {
		all = append(all, loaded{k.Program, k.Name})
	}
	return all, nil
}

// loadOne is load for a command that takes a single kernel.
func (t *terminal) loadOne(spec string) (loaded, error) {
	all, err := t.load(spec)
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
