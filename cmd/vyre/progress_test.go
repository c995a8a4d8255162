package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

//ci:race Spin|TestServed(Answers|Errors|File|Large|Pairs)
func TestSpinSpeaksAfterASecond(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		says  bool
	}{{900 * time.Millisecond, false}, {3 * time.Second, true}} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			stop := spin(&said, "compiling the kernels of x")
			time.Sleep(c.takes) // of a clock that only this test has
			stop()
			if got := said.String(); strings.Contains(got, "compiling the kernels of x") != c.says || !c.says && got != "" {
				t.Errorf("after %v: printed %q", c.takes, got)
			}
		})
	}
}

// A file gets nothing, because scripts compare it.
func TestSpinIsSilentInFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		stop := (&terminal{err: &said}).spin("compiling")
		time.Sleep(time.Minute)
		stop()
		stop()
		if said.Len() > 0 {
			t.Errorf("printed %q", said.String())
		}
	})
}
