package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/govyre/vyre/internal/atomicfile"
)

// mostAnswers is how many answers are kept: those that were asked for last.
const mostAnswers = 256

// kept is an answer in a file of the cache. Names of files are relative, so it holds wherever the repository is.
type kept struct {
	Findings       []finding
	Ignored, Nosec int
	Notes          []string
	Reached        int
	Unreached      []spot
}

// cacheFolder is where answers are kept: what GOSSACACHE says, or a folder of the user's cache; empty if it says off.
func cacheFolder() string {
	switch dir := os.Getenv("GOSSACACHE"); dir {
	case "off":
		return ""
	case "":
		dir, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, "gossa")
	default:
		return dir
	}
}

// remembered is what was found earlier in the same packages, asked in the same way by the same gossa, or nil.
func remembered(key string) *answer {
	dir := cacheFolder()
	if dir == "" || key == "" {
		return nil
	}
	file := filepath.Join(dir, key)
	text, err := os.ReadFile(file)
	sum, body, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || string(sum) != digest(body) {
		return nil
	}
	var k kept
	if err := json.Unmarshal(body, &k); err != nil {
		return nil
	}
	touch(file)
	return &answer{Findings: k.Findings, Ignored: k.Ignored, Nosec: k.Nosec, Notes: k.Notes, Reached: k.Reached, Unreached: k.Unreached}
}

// touch marks a file as used now. If that fails, the file is removed earlier than others.
func touch(file string) { os.Chtimes(file, time.Time{}, time.Now()) }

// remember keeps an answer, and forgets the oldest ones. Where it cannot be kept, the next run asks again.
func (a *answer) remember(ctx context.Context, key string) error {
	dir := cacheFolder()
	if dir == "" || key == "" {
		return nil
	}
	body, err := json.Marshal(kept{a.Findings, a.Ignored, a.Nosec, a.Notes, a.Reached, a.Unreached})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ctx.Err()
	}
	if err := atomicfile.WriteBytes(ctx, filepath.Join(dir, key), append([]byte(digest(body)+"\n"), body...)); err != nil {
		return ctx.Err()
	}
	forgetOldest(dir, mostAnswers)
	return nil
}

// forgetOldest takes away files that are too many in a folder.
func forgetOldest(dir string, most int) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= most {
		return
	}
	var list []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, old := range list[min(most, len(list)):] {
		os.Remove(filepath.Join(dir, old.Name())) // another process may have
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// key names an answer: by what gossa is, by how it is asked, by rules of the user, and by packages with the contents of their
// files. It is empty if a file cannot be read.
func (c *analysis) key(l *listing) string {
	if cacheFolder() == "" {
		return ""
	}
	h := sha256.New()
	tree, err := newTree(c.Dir, nil)
	self, err2 := os.Executable()
	if err := errors.Join(err, err2); err != nil {
		return ""
	}
	asked := *c
	asked.Dir, asked.Quiet, asked.Rules = "", false, nil // rules by what they say
	how, err := json.Marshal(asked)
	folder, err2 := filepath.Rel(tree.root, tree.dir)
	if err := errors.Join(err, err2); err != nil {
		return ""
	}
	fmt.Fprintf(h, "%s\n%s\n", how, folder)
	files := append([]string{self}, c.Rules...)
	slices.SortFunc(l.all, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	for _, p := range l.all {
		tree.describe(h, p)
		files = append(files, p.GoFiles...)
	}
	for _, file := range files {
		sum, err := l.p.sum(file)
		if err != nil {
			return ""
		}
		name := filepath.Base(file)
		if within(tree.root, file) {
			name = tree.relative(file)
		}
		fmt.Fprintf(h, "%q %x\n", name, sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// describe writes what the go command says of a package, but for where it is.
func (t *sourceTree) describe(w io.Writer, p *packages.Package) {
	fmt.Fprintf(w, "%q %q %q %v", p.ID, p.PkgPath, p.Name, p.TypesSizes)
	if p.Module != nil {
		fmt.Fprintf(w, " %q %q %q %v", p.Module.Path, p.Module.Version, p.Module.GoVersion, p.Module.Main)
	}
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		fmt.Fprintf(w, " %q=%q", path, p.Imports[path].ID)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(w, " %q", t.relative(e.Error()))
	}
	fmt.Fprintln(w, len(p.GoFiles))
}

// sum is a digest of what is in a file, which is read once.
func (p *program) sum(file string) ([]byte, error) {
	if sum := p.sums[file]; sum != nil {
		return sum, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if p.sums == nil {
		p.sums, p.buffer = make(map[string][]byte), make([]byte, 64<<10)
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, p.buffer); err != nil { // a file's own way makes a buffer each time
		return nil, err
	}
	p.sums[file] = h.Sum(nil)
	return p.sums[file], nil
}
