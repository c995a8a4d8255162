package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// laps are how long the parts of a command took. Nil takes no times.
type laps struct {
	last  time.Time
	parts []string
}

// done ends a part.
func (l *laps) done(part string) {
	if l == nil {
		return
	}
	now := time.Now()
	l.parts = append(l.parts, fmt.Sprintf("%s %v", part, now.Sub(l.last).Round(10*time.Microsecond)))
	l.last = now
}

func (l *laps) print(w io.Writer) {
	if l != nil {
		fmt.Fprintf(w, "time: %s\n", strings.Join(l.parts, ", "))
	}
}
