package packed

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/gotext"
)

// stale returns an error if the source of a program has changed since the launcher that calls was generated, and the build
// of this process has seen the change. skip is how many callers are between the launcher and stale, made what Made wrote.
//
// A process finds the source only where it was built, and without -trimpath: elsewhere this is a look at the path of the
// caller, or at most one at the file.
func stale(skip int, made []string) error {
	_, launcher, _, ok := runtime.Caller(skip + 1)
	if len(made) == 0 || !ok || !filepath.IsAbs(launcher) {
		return nil
	}
	return sources.compare(launcher, made[0])
}

// sources are those beside the launchers of this process.
var sources = beside{built: sync.OnceValue(built)}

// beside is source on disk, as it was when the first launcher asked.
type beside struct {
	built func() time.Time // when this process was

	sync.Mutex
	files    map[string]*file
	verdicts map[string]error // by launcher and what Made wrote
}

// file is a Go file on disk.
type file struct {
	changed time.Time       // zero if it cannot be read
	has     map[string]bool // digests of declarations
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

// compare looks for the declarations of a program in the source beside its launcher.
func (b *beside) compare(launcher, made string) error {
	b.Lock()
	defer b.Unlock()
	q := launcher + made
	err, ok := b.verdicts[q]
	if !ok {
		if b.verdicts == nil {
			b.verdicts, b.files = make(map[string]error), make(map[string]*file)
		}
		err = b.verdict(launcher, made)
		b.verdicts[q] = err
	}
	return err
}

func (b *beside) verdict(launcher, made string) error {
	info, err := os.Stat(launcher)
	if err != nil || info.ModTime().After(b.built()) {
		return nil
	}
	list := read(made)
	for _, d := range list {
		path := filepath.FromSlash(d.file)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(launcher), path)
		}
		if b.has(path, d.digest) {
			continue
		}
		src, err := os.ReadFile(launcher)
		text := strings.ReplaceAll(string(src), "\r", "")
		if err != nil || !strings.Contains(text, made) {
			return nil // the launcher in this process is another one
		}
		of := "the kernel"
		if d != list[0] {
			of = d.name + ", which the kernel needs,"
		}
		return &driver.Error{Op: "compile", Label: list[0].name, Kind: driver.InvalidProgram,
			Msg: fmt.Sprintf("%s has changed in %s since %s was generated", of, path, filepath.Base(launcher)),
			Fix: fmt.Sprintf("run %s in %s, or go generate", command(text), filepath.Dir(launcher))}
	}
	return nil
}

// has reports whether a declaration is in a file, or has moved to another one of the package, or may have done so since
// this process was built.
func (b *beside) has(path string, digest string) bool {
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
func (b *beside) hasIn(path string, digest string) bool {
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
	f.changed, f.has = info.ModTime(), make(map[string]bool)
	for _, d := range gotext.Split(src) {
		f.has[fmt.Sprintf("%x", d.Digest)] = true
	}
	return f
}

// command is what made a launcher, as its first line says.
func command(launcher string) string {
	first, _, _ := strings.Cut(launcher, "\n")
	if parts := strings.SplitN(first, `"`, 3); len(parts) == 3 {
		return parts[1]
	}
	return "vyre gen"
}
