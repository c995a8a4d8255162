package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestOneLineInstallsIt from anywhere, as `go install github.com/govyre/vyre/producers/gossa@VERSION` will when the modules have
// their tags: here a file-system proxy, made of this tree, has them. The program that is installed says its version, and finds
// what there is to find.
func TestOneLineInstallsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles all that gossa needs")
	}
	t.Parallel()
	const version = "v0.0.0-test"
	proxy, bin, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	required := regexp.MustCompile(`github.com/govyre/vyre v\S+`).FindString(string(must(os.ReadFile("go.mod"))))
	_, tagged, _ := strings.Cut(required, " ")
	for _, m := range []struct{ path, dir, version string }{
		{"github.com/govyre/vyre", "../..", tagged},
		{"github.com/govyre/vyre/producers/calls", "../calls", tagged},
		{"github.com/govyre/vyre/producers/gossa", ".", version},
	} {
		publish(t, proxy, module.Version{Path: m.path, Version: m.version}, m.dir)
	}
	at := strings.Fields(commandOutput(t, elsewhere, nil, "go", "env", "GOPROXY", "GOMODCACHE"))
	// A cache of its own: what is in another one under a version stays there, whatever is published later. Modules of others
	// are where they were downloaded to.
	env := []string{"GOPROXY=file://" + proxy + ",file://" + at[1] + "/cache/download," + at[0], "GOMODCACHE=" + t.TempDir(), "GOSUMDB=off",
		"GOFLAGS=-mod=mod -modcacherw -trimpath", "GOBIN=" + bin, "GOWORK="}
	commandOutput(t, elsewhere, env, "go", "install", "github.com/govyre/vyre/producers/gossa@"+version)
	gossa := filepath.Join(bin, "gossa")
	if got := commandOutput(t, elsewhere, nil, gossa, "--version"); !strings.HasPrefix(got, "gossa "+version+" ") {
		t.Errorf("it says it is %q", got)
	}
	(&corpus{dir: elsewhere}).writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n",
		"main.go": "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nfunc main() { exec.Command(os.Getenv(\"X\")).Run() }\n"})
	if got := commandOutput(t, elsewhere, nil, gossa, "taint", "-q", "--sources", "cli", "./..."); !strings.HasPrefix(got, "main.go:8: command (CWE-78)") {
		t.Errorf("it finds %q", got)
	}
}

// publish puts a module into a file-system proxy: the files that git has, or would have.
func publish(t *testing.T, proxy string, m module.Version, dir string) {
	t.Helper()
	root := must(filepath.Abs(dir))
	var files []zip.File
	for name := range strings.SplitSeq(commandOutput(t, root, nil, "git", "ls-files", "-z", "-co", "--exclude-standard"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); name != "" && err == nil && info.Mode().IsRegular() {
			files = append(files, listedFile{root, name})
		}
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m, files); err != nil {
		t.Fatal(err)
	}
	at := (&corpus{dir: filepath.Join(proxy, m.Path, "@v")})
	at.writeAll(t, map[string]string{"list": m.Version + "\n", m.Version + ".info": fmt.Sprintf(`{"Version": %q}`, m.Version),
		m.Version + ".mod": string(must(os.ReadFile(filepath.Join(root, "go.mod")))), m.Version + ".zip": archive.String()})
}

// listedFile is a file of a folder.
type listedFile struct{ root, name string }

func (f listedFile) Path() string                 { return f.name }
func (f listedFile) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.name)) }
func (f listedFile) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

// commandOutput is what a command prints that is run in a folder.
func commandOutput(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	return string(output(t, c))
}
