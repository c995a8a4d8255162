//go:build unix

package interrupt_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/interrupt"
)

// TestMain is also the command that the tests interrupt: it writes a file and prints when it is about to wait.
func TestMain(m *testing.M) {
	way, file := os.Getenv("INTERRUPT_WAY"), os.Getenv("INTERRUPT_FILE")
	if way == "" {
		os.Exit(m.Run())
	}
	grace := time.Hour
	if way == "deaf" {
		grace = time.Millisecond
	}
	ctx := interrupt.Context(grace, func() { fmt.Println("said") })
	err := atomicfile.Write(context.Background(), file, func(w io.Writer) error {
		fmt.Println("ready")
		<-ctx.Done()
		switch way {
		case "deaf":
			select {}
		case "twice":
			fmt.Println("once")
			select {}
		}
		return ctx.Err()
	})
	fmt.Println(err)
	os.Exit(7)
}

// TestSignals: the class is what a command may be doing when the user presses Ctrl-C: it looks at its context, it looks at
// none, or it is given a second signal. A file that it was writing keeps its content.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for way, want := range map[string]string{
			"obeys": "context canceled; exit status 7; 1 file",
			"deaf":  "said; exit status 130; 1 file",
			"twice": "once; signal: " + signal.String() + "; 2 files",
		} {
			file := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "INTERRUPT_WAY="+way, "INTERRUPT_FILE="+file)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var said []string
			for lines := bufio.NewScanner(out); lines.Scan(); {
				switch line := lines.Text(); line {
				case "ready":
					cmd.Process.Signal(signal)
				case "once":
					cmd.Process.Signal(signal)
					fallthrough
				default:
					said = append(said, line)
				}
			}
			said = append(said, fmt.Sprint(cmd.Wait()))
			left, _ := os.ReadDir(filepath.Dir(file))
			said = append(said, map[bool]string{true: "1 file", false: fmt.Sprint(len(left), " files")}[len(left) == 1])
			if got := strings.Join(said, "; "); got != want {
				t.Errorf("%v, %s: %s; want %s", signal, way, got, want)
			}
			if b, err := os.ReadFile(file); err != nil || string(b) != "old" {
				t.Errorf("%v, %s: the file has %q, %v", signal, way, b, err)
			}
		}
	}
}
