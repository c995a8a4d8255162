package report_test

import (
	"net/url"
	"testing"

	"github.com/govyre/vyre/internal/report"
)

// TestPathsBecomeURIs of any system, as positions of a graph have them.
func TestPathsBecomeURIs(t *testing.T) {
	for path, want := range map[string]string{
		"cmd/go/main.go":         "cmd/go/main.go",
		"a b/c#d?e%20.go":        "a%20b/c%23d%3Fe%2520.go",
		"a:b/c.go":               "./a:b/c.go",
		"/usr/lib/a b.go":        "file:///usr/lib/a%20b.go",
		`C:\src\a b.go`:          "file:///C:/src/a%20b.go",
		"c:/src/x.go":            "file:///c:/src/x.go",
		`pkg\file.go`:            "pkg/file.go",
		`\\server\share\x.go`:    "file://server/share/x.go",
		"//a b/x.go":             "file:////a%20b/x.go",
		"\x1b[31m\xff\u202e/x\n": "%1B%5B31m%FF%E2%80%AE/x%0A",
		"":                       "",
	} {
		got := report.URIOf(path)
		if _, err := url.Parse(got); got != want || err != nil {
			t.Errorf("%q: got %s, %v; want %s", path, got, err, want)
		}
	}
}
