package ir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/ir"
)

// corpus returns the text files that every form of a program is tested with.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.vyre")
	if err != nil || len(files) == 0 {
		t.Fatalf("no text files: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(src)
	}
	return texts
}

func TestUnsealedTextRoundTrips(t *testing.T) {
	for name, src := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			codes, err := ir.ParseCode(name, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range codes {
				text := c.Text()
				again, err := ir.ParseCode("printed", text)
				if err != nil {
					t.Fatalf("the printed text does not parse: %v\n%s", err, text)
				}
				if got := again[0].Text(); got != text {
					t.Errorf("printed twice:\n%s\nprinted once:\n%s", got, text)
				}
			}
		})
	}
}
