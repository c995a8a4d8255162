package main

import (
	"errors"
	"fmt"
	"path/filepath"
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

// load reads "FILE[:KERNEL]": Go source or a directory of it, programs in text form
// (.vyre) or wire form (.vyrb).
func load(spec string) ([]loaded, error) {
	file, name := splitSpec(spec)
	var all []loaded
	switch strings.ToLower(filepath.Ext(file)) {
	case ".vyre":
		src, err := readFile(file, maxProgram)
		if err != nil {
			return nil, err
		}
		ps, err := text.Parse(file, string(src))
		if err != nil {
			return nil, err
		}
		for _, p := range ps {
			all = append(all, loaded{p, p.Name()})
		}
	case ".vyrb":
		b, err := readFile(file, maxProgram)
		if err != nil {
			return nil, err
		}
		p, _, err := wire.Decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, loaded{p, p.Name()})
	default:
		pkg, err := kernel.Load(file)
		if err != nil {
			return nil, err
		}
		for _, k := range pkg.Kernels() {
			all = append(all, loaded{k.Program, k.Name})
		}
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
	return nil, fmt.Errorf("%s has no kernel %s; it has %s", file, name, names(all))
}

// loadOne is load for a command that takes a single kernel.
func loadOne(spec string) (loaded, error) {
	all, err := load(spec)
	if err != nil {
		return loaded{}, err
	}
	if len(all) > 1 {
		return loaded{}, usagef("%s has %d kernels; choose one with %s:NAME, NAME being %s", spec, len(all), spec, names(all))
	}
	return all[0], nil
}

// splitSpec splits FILE:KERNEL. A Windows drive letter is no file.
func splitSpec(spec string) (file, name string) {
	if i := strings.LastIndexByte(spec, ':'); i > 1 && !strings.ContainsAny(spec[i+1:], `/\`) {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

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
