//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's program be package egraph's side, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-vyre" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestOwnSideComesToWhatIsKnown(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out, most: 1000, leaves: 6, runs: 2, patience: time.Minute}
	if err := b.all(""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`closure,1000,"vyre",all,`, `877,867,4dec9ad3ec99a4a5`, `sum,6,"vyre",saturation,`, `sum,6,"vyre, two rules",saturation,`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

// TestEnginesThatDiffer puts a program in egg's place that loses a row.
func TestEnginesThatDiffer(t *testing.T) {
	liar := filepath.Join(t.TempDir(), "liar")
	if err := os.WriteFile(liar, []byte("#!/bin/sh\necho 876 867 4dec9ad3ec99a4a5 1 1 1 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	b := &bench{out: &out, most: 1000, leaves: 5, runs: 1, patience: time.Minute}
	if err := b.all(liar); err == nil || !strings.Contains(err.Error(), "egg has 876") || strings.Contains(out.String(), "closure,") {
		t.Errorf("error %v, and these lines:\n%s", err, &out)
	}
}
