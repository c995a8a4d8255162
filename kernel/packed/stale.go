package packed

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/gotext"
	"github.com/govyre/vyre/internal/vyp"
)

// stale returns an error if the source of a program has changed since the program was generated, and the build of this
// process has seen the change. made is what the program was made of.
//
// A process finds the source only where it was built, and without -trimpath: elsewhere this is a look at the path of the
// launcher, or at most one at the file.
func (b *beside) stale(p *Programs, made []vyp.Declaration) error {
	if len(made) == 0 || !filepath.IsAbs(p.launcher) {
		return nil
	}
	b.Lock()
	defer b.Unlock()
	if b.files == nil {
		b.files = make(map[string]*file)
	}
	return b.verdict(p, made)
}

// sources are those beside the launchers of this process.
var sources = beside{built: sync.OnceValue(built)}

// beside is source on disk, as it was when a launcher first asked.
type beside struct {
	built func() time.Time // when this process was

	sync.Mutex
	files map[string]*file
}

// file is a Go file on disk.
type file struct {
	changed time.Time        // zero if it cannot be read
	has     map[[8]byte]bool // digests of declarations
}

// started is about when this process was.
var started = time.Now()

// built returns the time when this process was linked: what has changed later is not in it. It is zero if nobody knows.
func built() time.Time {
	name, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	if inBuildCache(name) {
		// The go command runs such a file because it was made of the source as it is, however old it is.
		return started
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// inBuildCache reports whether an executable is one that go run keeps: DIGEST-d/NAME, with the 64 digits of a SHA-256.
func inBuildCache(name string) bool {
	digits, ok := strings.CutSuffix(filepath.Base(filepath.Dir(name)), "-d")
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// verdict looks for the declarations of a program in the source beside its launcher.
func (b *beside) verdict(p *Programs, made []vyp.Declaration) error {
	dir := filepath.Dir(p.launcher)
	if !b.older(p.launcher) || !b.older(filepath.Join(dir, p.file)) {
		return nil
	}
	for _, d := range made {
		path := filepath.FromSlash(d.File)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if b.has(path, d.Digest) {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(dir, p.file)); err != nil || string(data) != *p.data {
			return nil // the programs in this process are others
		}
		of := "the kernel"
		if d != made[0] {
			of = d.Name + ", which the kernel needs,"
		}
		return &driver.Error{Op: "compile", Label: made[0].Name, Kind: driver.InvalidProgram,
			Msg: fmt.Sprintf("%s has changed in %s since %s was generated", of, path, filepath.Base(p.launcher)),
			Fix: fmt.Sprintf("run %s in %s, or go generate", p.command, dir)}
	}
	return nil
}

// older reports whether a file is there, and was when this process was built.
func (b *beside) older(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.ModTime().After(b.built())
}

// has reports whether a declaration is in a file, or has moved to another one of the package, or may have done so since
// this process was built.
func (b *beside) has(path string, digest [8]byte) bool {
	if b.hasIn(path, digest) {
		return true
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true // there is no source to compare with
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" && b.hasIn(filepath.Join(dir, e.Name()), digest) {
			return true
		}
	}
	return false
}

// hasIn reports whether a declaration is in a file, or whether the file has changed since this process was built.
func (b *beside) hasIn(path string, digest [8]byte) bool {
	f := b.files[path]
	if f == nil {
		f = open(path)
		b.files[path] = f
	}
	return f.changed.After(b.built()) || f.has[digest]
}

func open(path string) *file {
	f := new(file)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // to open a pipe would wait
		return f
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return f
	}
	f.changed, f.has = info.ModTime(), make(map[[8]byte]bool)
	for _, d := range gotext.Split(src) {
		f.has[d.Digest] = true
	}
	return f
}
