package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/govyre/vyre/internal/atomicfile"
)

// mostTypes is how many packages there are of which types are kept: those that were asked for last.
const mostTypes = 8192

// keptPackage is what is kept of a package whose bodies are not read, beside its types.
type keptPackage struct {
	Path   string
	Typed  bool // there are types
	Wrong  []string
	Called []string
	CallsC bool
	Leaks  bool
}

// split tells packages apart: those of which bodies are read come first where they import none that is to be kept, such as
// slices, and last where they do. Between them are those whose types are kept: packages whose bodies are not read, and which
// import nothing of the program.
func (b *builder) split(all []*packages.Package) (first, kept, last []*packages.Package) {
	base, paths := make(map[*packages.Package]bool), make(map[string]int)
	var below func(p *packages.Package)
	below = func(p *packages.Package) {
		if !base[p] {
			base[p] = true
			for _, i := range p.Imports {
				below(i)
			}
		}
	}
	for _, p := range all {
		paths[p.PkgPath]++
		if plain[p.PkgPath] || !b.p.light {
			below(p)
		}
	}
	known := make(map[*packages.Package]bool)
	var keeps func(p *packages.Package) bool
	keeps = func(p *packages.Package) bool {
		is, ok := known[p]
		if !ok {
			is = b.of[p].light && paths[p.PkgPath] == 1
			for _, i := range p.Imports {
				is = is && (base[i] || keeps(i))
			}
			known[p] = is
		}
		return is
	}
	for _, p := range all {
		switch {
		case base[p]:
			first = append(first, p)
		case keeps(p):
			kept = append(kept, p)
		default:
			last = append(last, p)
		}
	}
	slices.SortFunc(kept, func(p, q *packages.Package) int { return strings.Compare(p.PkgPath, q.PkgPath) })
	return first, kept, last
}

// types finds the types of packages: those that an earlier run has kept, others by checking, which are kept then. A package that is
// kept leads to others that are.
func (b *builder) types(ctx context.Context, list []*packages.Package) error {
	keys := b.keysOf(list)
	known := b.known()
	var missing []*packages.Package
	for _, p := range importsFirst(list) {
		if !b.recall(keys[p], p, known) {
			missing = append(missing, p)
		}
	}
	b.ended += len(list) - len(missing)
	if err := b.stage(ctx, missing, false); err != nil {
		return err
	}
	for _, p := range list {
		c := b.of[p]
		c.files, c.info = nil, types.Info{}
		if c.types != nil {
			b.prog.CreatePackage(c.types, nil, nil, true)
		}
	}
	var all sync.WaitGroup
	for _, p := range missing {
		all.Go(func() {
			b.slots <- struct{}{}
			defer func() { <-b.slots }()
			b.keep(ctx, keys[p], b.of[p])
		})
	}
	all.Wait()
	if len(missing) > 0 && len(keys) > 0 {
		forgetOldest(filepath.Join(cacheFolder(), "types"), mostTypes)
	}
	return ctx.Err()
}

// importsFirst sorts packages so that each comes after those that it imports.
func importsFirst(list []*packages.Package) (sorted []*packages.Package) {
	wanted := make(map[*packages.Package]bool)
	for _, p := range list {
		wanted[p] = true
	}
	var visit func(p *packages.Package)
	visit = func(p *packages.Package) {
		if !wanted[p] {
			return
		}
		delete(wanted, p)
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			visit(p.Imports[path])
		}
		sorted = append(sorted, p)
	}
	for _, p := range list {
		visit(p)
	}
	return sorted
}

// keysOf names the types of packages: by what gossa is, by their files and by the types that they import. There are none if nothing
// is to be kept.
func (b *builder) keysOf(list []*packages.Package) map[*packages.Package]string {
	self, err := os.Executable()
	if cacheFolder() == "" || err != nil {
		return nil
	}
	sum, err := b.p.sum(self)
	if err != nil {
		return nil
	}
	keys, tree := make(map[*packages.Package]string), &sourceTree{}
	var key func(p *packages.Package) string
	key = func(p *packages.Package) string {
		if k, ok := keys[p]; ok {
			return k
		}
		h := sha256.New()
		fmt.Fprintf(h, "%x\n", sum)
		tree.describe(h, p)
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			fmt.Fprintf(h, "%q %s\n", path, key(p.Imports[path]))
		}
		for _, file := range p.GoFiles {
			sum, err := b.p.sum(file)
			if err != nil {
				fmt.Fprintln(h, err)
			}
			fmt.Fprintf(h, "%q %x\n", file, sum) // places in it are kept, too
		}
		keys[p] = hex.EncodeToString(h.Sum(nil))
		return keys[p]
	}
	for _, p := range list {
		key(p)
	}
	return keys
}

// known are the packages of which the types are known, by path.
func (b *builder) known() map[string]*types.Package {
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for p, c := range b.of {
		if c.isDone() && c.types != nil {
			known[p.PkgPath] = c.types
		}
	}
	return known
}

func (c *checked) isDone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// recall reads the types of a package, and reports whether they are there.
func (b *builder) recall(key string, p *packages.Package, known map[string]*types.Package) bool {
	for _, i := range p.Imports {
		if !b.of[i].isDone() {
			return false
		}
	}
	if key == "" {
		return false
	}
	file := filepath.Join(cacheFolder(), "types", key)
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	sum, body, _ := bytes.Cut(text, []byte("\n"))
	said, data, _ := bytes.Cut(body, []byte("\n"))
	var k keptPackage
	if string(sum) != digest(body) || json.Unmarshal(said, &k) != nil || k.Path != p.PkgPath {
		return false
	}
	c := b.of[p]
	if k.Typed {
		if c.types, err = b.read(data, p.PkgPath, known); err != nil {
			c.types = nil
			delete(known, p.PkgPath)
			return false
		}
	}
	c.callsC, c.leaks, c.called = k.CallsC, k.Leaks, make(map[string]bool)
	for _, s := range k.Wrong {
		c.wrong = append(c.wrong, errors.New(s))
	}
	for _, name := range k.Called {
		c.called[name] = true
	}
	close(c.done)
	touch(file)
	return true
}

// read reads a package. Other data is an error, even if the reader panics.
func (b *builder) read(data []byte, path string, known map[string]*types.Package) (p *types.Package, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	return gcexportdata.Read(bytes.NewReader(data), b.prog.Fset, known, path)
}

// keep writes the types of a package. Where they cannot be kept, the next run checks it again.
func (b *builder) keep(ctx context.Context, key string, c *checked) {
	if key == "" {
		return
	}
	k := keptPackage{Path: c.PkgPath, Typed: c.types != nil, Called: slices.Sorted(maps.Keys(c.called)), CallsC: c.callsC, Leaks: c.leaks}
	for _, err := range c.wrong {
		k.Wrong = append(k.Wrong, firstLine(err))
	}
	said, err := json.Marshal(k)
	if err != nil {
		return
	}
	body := append(said, '\n')
	if k.Typed {
		data, err := b.written(c.types)
		if err != nil {
			return
		}
		body = append(body, data...)
	}
	dir := filepath.Join(cacheFolder(), "types")
	if os.MkdirAll(dir, 0o700) == nil {
		atomicfile.WriteBytes(ctx, filepath.Join(dir, key), append([]byte(digest(body)+"\n"), body...)) // or the next run does
	}
}

// written is a package as read reads it.
func (b *builder) written(p *types.Package) (data []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	var to bytes.Buffer
	err = gcexportdata.Write(&to, b.prog.Fset, p)
	return to.Bytes(), err
}
