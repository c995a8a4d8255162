package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListsKeepSourcesApart: those that are for one class of sinks are in a list of their own.
func TestListsKeepSourcesApart(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	c := &corpus{dir: t.TempDir()}
	c.writeAll(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": `package main

import (
	"archive/zip"
	"net/http"
	"os"
)

func page(w http.ResponseWriter, r *http.Request) {
	archive, _ := zip.OpenReader("fixed.zip")
	for _, f := range archive.File {
		os.Create(f.Name)
	}
	os.Remove(r.FormValue("name"))
}

func main() { http.HandleFunc("/", page) }
`})
	gossa(t, 0, "-q", "--graph", "dataflow", "--rules", "std", "-o", filepath.Join(c.dir, "x.vyg"), "-C", c.dir, ".")
	for file, want := range map[string]string{"x.sources": "FormValue", "x.zipslip.sources": "zip.FileHeader.Name"} {
		text, err := os.ReadFile(filepath.Join(c.dir, file))
		if err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v %q", file, err, text)
		}
	}
	for _, list := range []string{"x.path.sinks", "x.zipslip.sinks"} {
		if !slices.Contains(must(filepath.Glob(c.dir+"/x.*")), filepath.Join(c.dir, list)) {
			t.Errorf("there is no %s", list)
		}
	}
}
