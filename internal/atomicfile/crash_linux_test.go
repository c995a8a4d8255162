package atomicfile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/govyre/vyre/internal/atomicfile"
)

// TestMain is also the process that the tests limit or kill while it writes a file.
func TestMain(m *testing.M) {
	file := os.Getenv("ATOMICFILE_FILE")
	switch step := os.Getenv("ATOMICFILE_STEP"); {
	case file == "":
		os.Exit(m.Run())
	case step == "limit":
		limited(file)
	default:
		kill := func(at string) {
			if at == step {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		atomicfile.OnStep(kill)
		fmt.Println(atomicfile.Write(context.Background(), file, func(w io.Writer) error {
			kill("begun")
			err := put(strings.Repeat("b", 1<<20))(w)
			kill("half")
			return errors.Join(err, put(strings.Repeat("b", 1<<20))(w))
		}))
	}
}

// limited writes a file of more bytes than the system lets it have, then again without the limit.
func limited(file string) {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		panic(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 19, Max: was.Max}); err != nil {
		panic(err)
	}
	fmt.Print(fails(file, syscall.EFBIG, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) }))
}

// fails writes a file for which there is no room, makes some, and writes it again. It returns what is not as it should be.
func fails(file string, want error, makeRoom func() error) (wrong string) {
	say := func(format string, args ...any) { wrong += fmt.Sprintf(format+"\n", args...) }
	f, err := atomicfile.Open(context.Background(), file)
	if err != nil {
		return err.Error()
	}
	large := put(strings.Repeat("b", 2<<20))
	err = f.Write(context.Background(), large)
	var path *fs.PathError
	if !errors.Is(err, want) || !errors.As(err, &path) || path.Path != file {
		say("without room: %v; want %v of %s", err, want, file)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "old" {
		say("without room: the file has %d bytes, %v", len(b), err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		say("without room: the folder has %v, %v", left, err)
	}
	if err := errors.Join(makeRoom(), f.Write(context.Background(), large)); err != nil {
		say("with room: %v", err)
	}
	return wrong
}

// child runs a process that writes x in a folder, and returns what it prints and how it ended.
func child(t *testing.T, dir, step string) (said string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ATOMICFILE_FILE="+filepath.Join(dir, "x"), "ATOMICFILE_STEP="+step)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestAFullDiskChangesNothing: the class is a system that takes a part of a file and no more: by a limit of the process, and on a
// file system that is full, where the test may mount one. The error names the file and not the temporary one, the earlier content
// is whole, nothing is left beside it, and the same File is written when there is room.
func TestAFullDiskChangesNothing(t *testing.T) {
	dir := folder(t, map[string]string{"x": "old"})
	if said, err := child(t, dir, "limit"); err != nil || said != "" {
		t.Errorf("with a limit for files: %v\n%s", err, said)
	}
	holds(t, dir, map[string]string{"x": strings.Repeat("b", 20)})

	dir = folder(t, map[string]string{})
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("a full disk needs the right to mount one: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	more := func() error { return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m") }
	if wrong := fails(filepath.Join(dir, "x"), syscall.ENOSPC, more); wrong != "" {
		t.Errorf("on a full disk:\n%s", wrong)
	}
	holds(t, dir, map[string]string{"x": strings.Repeat("b", 20)})
}

// TestAKilledProcessLeavesTheOldFileOrTheNewOne: the class is the moment of the death: before the first byte, in the middle and
// between any two steps after it. Temporary files stay, under names that doc.go says, and the next write takes no notice.
func TestAKilledProcessLeavesTheOldFileOrTheNewOne(t *testing.T) {
	dir := folder(t, map[string]string{"x": "old"})
	var steps []string
	atomicfile.OnStep(func(step string) { steps = append(steps, step) })
	err := atomicfile.Write(t.Context(), filepath.Join(dir, "x"), put("new"))
	atomicfile.OnStep(func(string) {})
	if err != nil || len(steps) < 5 {
		t.Fatal(steps, err)
	}
	for _, step := range append([]string{"begun", "half"}, steps...) {
		for _, before := range []map[string]string{{}, {"x": "old"}, {"y": "old", "x": "-> y"}} {
			dir := folder(t, before)
			said, err := child(t, dir, step)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s: %v\n%s", step, err, said)
			}
			old, was := before["x"], len(before) > 0
			if _, link := before["y"]; link {
				old = before["y"]
			}
			content, err := os.ReadFile(filepath.Join(dir, "x"))
			switch done := step == steps[len(steps)-1]; {
			case done && string(content) != strings.Repeat("b", 2<<20),
				!done && was && string(content) != old,
				!done && !was && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("killed when %s, with %v before: the file has %d bytes, %v", step, before, len(content), err)
			}
			entries, _ := os.ReadDir(dir)
			entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "x" || e.Name() == "y" })
			if len(entries) > 1 || len(entries) == 1 && !strings.HasPrefix(entries[0].Name(), ".vyre-") {
				t.Errorf("killed when %s, with %v before: the folder has %v as well", step, before, entries)
			}
			if err := atomicfile.WriteBytes(t.Context(), filepath.Join(dir, "x"), []byte("next")); err != nil {
				t.Errorf("killed when %s, then written: %v", step, err)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(b) != "next" {
				t.Errorf("killed when %s, then written: %q, %v", step, b, err)
			}
		}
	}
}
