package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/printable"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether a person is looking at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// spin says on standard error, if that is a terminal, what goes on once it has taken a second. The function returned ends
// it, and may be called again; nothing else may be printed before.
func (t *terminal) spin(what string) (stop func()) {
	if t.still || !isTerminal(t.err) {
		return func() {}
	}
	return sync.OnceFunc(spin(t.err, printable.Text(what)))
}

// spin is the same on any writer.
func spin(w io.Writer, what string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-done:
			return
		case <-time.After(time.Second):
		}
		bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
			progressbar.OptionSpinnerType(14), progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(true))
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				bar.Finish()
				return
			case <-tick.C:
				bar.Add(1)
			}
		}
	}()
	return func() { close(done); <-ended }
}

// countdown shows, on a terminal, how much of a known amount is done.
func countdown(w io.Writer, what string, n int) (step func(int), stop func()) {
	if !isTerminal(w) {
		return func(int) {}, func() {}
	}
	bar := progressbar.NewOptions(n, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	return func(n int) { bar.Add(n) }, func() { bar.Finish() }
}

// bar shows, on a terminal, how much of a number of bytes is read; the function returned ends it.
func bar(w io.Writer) (at func(phase string, done, total int64), stop func()) {
	if !isTerminal(w) {
		return func(string, int64, int64) {}, func() {}
	}
	var b *progressbar.ProgressBar
	at = func(phase string, done, total int64) {
		if b == nil {
			if total <= 0 {
				total = -1
			}
			b = progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription(phase))
		}
		b.Describe(phase)
		b.Set64(done)
	}
	return at, func() {
		if b != nil {
			b.Finish()
		}
	}
}
