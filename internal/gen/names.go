package gen

import (
	"os"
	"path/filepath"
	"strings"
)

// Target is the generated file of a source: a Go file, or the directory of a package. out is its name if that is not the
// usual one.
func Target(source, out string) (string, error) {
	if out != "" {
		return filepath.Clean(out), nil
	}
	st, err := os.Stat(source)
	if err != nil {
		return "", err
	}
	if st.IsDir() {
		return filepath.Join(source, FileName), nil
	}
	return filepath.Join(filepath.Dir(source), usualFile(source)), nil
}

// usualFile is the name of the file with the launchers of a source, where nobody names another. Those of kernels in a
// test file are in a test file, as nothing else sees the kernels.
func usualFile(source string) string {
	if strings.HasSuffix(source, "_test.go") {
		return strings.TrimSuffix(FileName, ".go") + "_test.go"
	}
	return FileName
}

// Command is what makes a generated file again when typed beside it. It does not depend on where it was typed this time.
func Command(source, file, bundle string, programs bool) string {
	what := "."
	if st, err := os.Stat(source); err == nil && !st.IsDir() {
		what = filepath.Base(source)
	}
	if name := filepath.Base(file); name != usualFile(source) {
		what += " -o " + name
	}
	if programs {
		what = "--programs " + what
	}
	if bundle != "" {
		what = "--bundle " + bundle + " " + what
	}
	return "vyre gen " + what
}
