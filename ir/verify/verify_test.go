package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
)

// The programs of testdata carry what the verifier must say about them: a comment
// "// want VY401" on the line of the row, or on a line that is a comment only for findings
// about the whole kernel. What is not announced must not be said. Warnings are looked at in
// warnings.vyre only, so that programs elsewhere can be short.
func TestVerifierSaysWhatTheProgramsAnnounce(t *testing.T) {
	files, err := filepath.Glob("testdata/*.vyre")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".vyre"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range kernels(string(src)) {
				t.Run(name, func(t *testing.T) {
					got, said := findings(t, text, filepath.Base(file) == "warnings.vyre")
					if want := announced(text); !slices.Equal(got, want) {
						t.Errorf("got  %v\nwant %v\n%s%s", got, want, text, said)
					}
				})
			}
		})
	}
}

// kernels splits a file into kernels, each as a file of its own.
func kernels(src string) map[string]string {
	ks := map[string]string{}
	for i, part := range strings.Split(src, "\nkernel @") {
		if i == 0 {
			continue
		}
		name := part[:strings.IndexAny(part, " (")]
		ks[name] = "vyre 1\nkernel @" + part + "\n"
	}
	return ks
}

var wants = regexp.MustCompile(`// want((?: VY\d{3})+)`)

// announced lists the codes that a text asks for, as "line:code".
func announced(text string) []string {
	var ws []string
	for i, line := range strings.Split(text, "\n") {
		m := wants.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := i + 1
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			at = 0
		}
		for _, code := range strings.Fields(m[1]) {
			ws = append(ws, fmt.Sprintf("%d:%s", at, code))
		}
	}
	slices.Sort(ws)
	return ws
}

// findings seals a text and lists what is said about it, as "line:code" and in full.
func findings(t *testing.T, source string, warnings bool) ([]string, string) {
	t.Helper()
	codes, err := text.ParseCode("test.vyre", source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	var ds ir.Diags
	for _, c := range codes {
		p, err := verify.Seal(c)
		if err != nil {
			ds = append(ds, err.(ir.Diags)...)
		} else if warnings {
			ds = append(ds, verify.Program(p, verify.Target{})...)
		}
	}
	var got []string
	for _, d := range ds {
		got = append(got, fmt.Sprintf("%d:%s", d.Pos.Line, d.Code))
	}
	slices.Sort(got)
	return got, ds.Error()
}
