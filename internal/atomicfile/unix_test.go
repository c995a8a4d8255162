//go:build unix

package atomicfile_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/testing/underway"
)

// TestModes: a new file has what the umask leaves, an old one keeps what it had, secrets and executables too.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, mode := range []fs.FileMode{0o640, 0o600, 0o755, 0o666} {
		if mode != 0o640 {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := atomicfile.WriteBytes(t.Context(), path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("the mode is %v, %v; want %v", info.Mode(), err, mode)
		}
	}
	if os.Getuid() == 0 {
		return // may write everything
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteBytes(t.Context(), path, []byte("y")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that may not be written: %v", err)
	}
}

func TestTheOwnerStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, 12346); err != nil {
		t.Skip("only root gives files away: ", err)
	}
	if err := atomicfile.WriteBytes(t.Context(), path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 12346 || info.Mode() != 0o600 {
		t.Errorf("the file belongs to %d:%d with %v", s.Uid, s.Gid, info.Mode())
	}
}

// TestNodesAreWrittenTo: a FIFO, a device, a descriptor, each also behind a link, stay what they are.
func TestNodesAreWrittenTo(t *testing.T) {
	dir := folder(t, map[string]string{"link": "-> fifo", "null": "-> /dev/null"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "link"} {
		read := make(chan string)
		go func() {
			f, err := os.Open(filepath.Join(dir, "fifo"))
			if err != nil {
				read <- err.Error()
				return
			}
			defer f.Close()
			b, err := io.ReadAll(f)
			read <- string(b) + errorText(err)
		}()
		large := strings.Repeat("x", 1<<20)
		if err := atomicfile.Write(t.Context(), filepath.Join(dir, name), put(large)); err != nil {
			t.Error(err)
		}
		if got := <-read; got != large {
			t.Errorf("%s: %d bytes came out; want %d", name, len(got), len(large))
		}
	}
	for _, name := range []string{filepath.Join(dir, "null"), "/dev/null"} {
		if err := atomicfile.WriteBytes(t.Context(), name, []byte("x")); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]fs.FileMode{"fifo": fs.ModeNamedPipe, "link": fs.ModeSymlink, "null": fs.ModeSymlink} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Type() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Errorf("/dev/null has become %v, %v", info.Mode(), err)
	}
}

func errorText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestDescriptorsShareTheirOffset: /dev/stdout of a process whose output goes to the end of a file writes there, and what the
// process prints itself comes after it.
func TestDescriptorsShareTheirOffset(t *testing.T) {
	if at := os.Getenv("ATOMICFILE_WRITES"); at != "" {
		os.Stdout.WriteString("one ")
		if err := atomicfile.WriteBytes(t.Context(), at, []byte("two ")); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("three ")
		os.Exit(0)
	}
	for _, name := range []string{"/dev/stdout", "/dev/fd/1"} {
		if _, err := os.Stat(name); err != nil {
			t.Skipf("no descriptor by name here: %v", err)
		}
		path := filepath.Join(folder(t, map[string]string{"out": "zero "}), "out")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestDescriptorsShareTheirOffset$")
		cmd.Env, cmd.Stdout = append(os.Environ(), "ATOMICFILE_WRITES="+name), f
		err = cmd.Run()
		f.Close()
		if b, _ := os.ReadFile(path); err != nil || string(b) != "zero one two three " {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// TestAFIFONobodyReadsObeysTheContext, before it has a reader and when its reader reads no more.
func TestAFIFONobodyReadsObeysTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := underway.At(3, 0)
	defer cancel()
	if _, err := atomicfile.Open(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("without a reader: %v", err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ended, end := context.WithCancel(t.Context())
	file, err := atomicfile.Open(ended, path)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Write(ended, func(w io.Writer) error {
		go end()
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with a reader that does not read: %v", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO has become %v, %v", info.Mode(), err)
	}
}
