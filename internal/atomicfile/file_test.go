package atomicfile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/atomicfile"
)

// The class is every way in which writing a file can take from a user what had the name before: an interrupted write, an
// output that is an input, a link, a node that is no regular file, a mode. Each test holds what the folder has afterwards.

// folder is a folder whose only files are those of a map, as content or "-> target".
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		var err error
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// holds compares the files of a folder with a map.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			got[name] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		got[name] = string(text[:min(len(text), 20)])
		return err
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the folder has %v, %v; want %v", got, err, want)
	}
}

// put writes a text in small pieces.
func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		for len(text) > 0 {
			n, err := io.WriteString(w, text[:min(len(text), 999)])
			if err != nil {
				return err
			}
			text = text[n:]
		}
		return nil
	}
}

func TestAFileIsReplacedBehindItsLinks(t *testing.T) {
	long := strings.Repeat("n", 255)
	for _, c := range []struct {
		name, file   string
		before, want map[string]string
	}{
		{"new", "x", map[string]string{}, map[string]string{"x": "new"}},
		{"old", "x", map[string]string{"x": "old"}, map[string]string{"x": "new"}},
		{"255 bytes", long, map[string]string{long: "old"}, map[string]string{long: "new"}},
		{"link", "l", map[string]string{"x": "old", "l": "-> x"}, map[string]string{"x": "new", "l": "-> x"}},
		{"link of a link", "m", map[string]string{"d/x": "old", "l": "-> d/x", "m": "-> l"}, map[string]string{"d/x": "new", "l": "-> d/x", "m": "-> l"}},
		{"link to another folder", "d/l", map[string]string{"x": "old", "d/y": "", "d/l": "-> ../x"}, map[string]string{"x": "new", "d/y": "", "d/l": "-> ../x"}},
		{"link to a file that is not there yet", "l", map[string]string{"l": "-> x"}, map[string]string{"x": "new", "l": "-> x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, c.before)
			for range 2 { // the second writes to what the first has left
				if err := atomicfile.Write(t.Context(), filepath.Join(dir, c.file), put("new")); err != nil {
					t.Fatal(err)
				}
				holds(t, dir, c.want)
			}
		})
	}
}

func TestWhatCannotBeWrittenIsKnownBeforeTheWork(t *testing.T) {
	dir := folder(t, map[string]string{"x": "old", "d/y": "old", "a": "-> b", "b": "-> a"})
	for name, want := range map[string]string{"d": "is a directory", "d/": "is a directory", "no/x": "no such file or directory", "x/y": "not a directory", "a": "too many symbolic links",
		strings.Repeat("n", 256): "name too long"} {
		name = filepath.Join(dir, "x")[:len(dir)+1] + name
		_, err := atomicfile.Open(t.Context(), name)
		var path *fs.PathError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &path) || path.Path != name {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
	holds(t, dir, map[string]string{"x": "old", "d/y": "old", "a": "-> b", "b": "-> a"})
}

// TestAnInterruptedWriteChangesNothing: an error at the beginning, in the middle or at the end, a context that ends before,
// within or after the writing, and a panic. The file is written again afterwards.
func TestAnInterruptedWriteChangesNothing(t *testing.T) {
	stop := errors.New("stop")
	large := strings.Repeat("a", 1<<20)
	for _, before := range []map[string]string{{}, {"x": "old"}, {"x": "-> y", "y": "old"}, {"x": "-> y"}} {
		for name, write := range map[string]func(cancel func(), w io.Writer) error{
			"error at once":       func(_ func(), w io.Writer) error { return stop },
			"error in the middle": func(_ func(), w io.Writer) error { return errors.Join(put(large)(w), stop) },
			"cancelled at once":   func(cancel func(), w io.Writer) error { cancel(); return put("new")(w) },
			"cancelled in between": func(cancel func(), w io.Writer) error {
				err := put(large)(w)
				cancel()
				return errors.Join(err, put(large)(w))
			},
			"cancelled at the end": func(cancel func(), w io.Writer) error { err := put("new")(w); cancel(); return err },
			"panic":                func(_ func(), w io.Writer) error { _ = put(large)(w); panic(stop) },
		} {
			dir := folder(t, before)
			file, err := atomicfile.Open(t.Context(), filepath.Join(dir, "x"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			func() {
				defer func() {
					if r := recover(); r != nil {
						err = stop
					}
				}()
				err = file.Write(ctx, func(w io.Writer) error { return write(cancel, w) })
			}()
			cancel()
			if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			holds(t, dir, before)
			if err := file.Write(t.Context(), put("new")); err != nil {
				t.Errorf("%s, then again: %v", name, err)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(b) != "new" {
				t.Errorf("%s, then again: %q, %v", name, b, err)
			}
		}
	}
}

// TestWhatIsOpenStaysWhole, by the same name, a hard link or a symbolic link.
func TestWhatIsOpenStaysWhole(t *testing.T) {
	dir := folder(t, map[string]string{"x": "old", "soft": "-> x"})
	if err := os.Link(filepath.Join(dir, "x"), filepath.Join(dir, "hard")); err != nil {
		t.Skip("no hard links in this folder: ", err)
	}
	for _, name := range []string{"hard", "soft", "x"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		was, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.WriteBytes(t.Context(), filepath.Join(dir, name), []byte("new "+name)); err != nil {
			t.Fatal(err)
		}
		is, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(is) != string(was) {
			t.Errorf("%s: what is open has become %q, %v; it was %q", name, is, err, was)
		}
	}
	holds(t, dir, map[string]string{"hard": "new hard", "x": "new x", "soft": "-> x"})
}
