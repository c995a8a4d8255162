// Package interrupt ends a command at Ctrl-C.
//
//	first signal   the context ends; the command removes what is half done and returns
//	after Grace    the process ends, wherever it is: a system call and a pass over memory look at no context
//	second signal  the process ends at once
//
// Temporary files of internal/atomicfile are removed in the first two cases.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/govyre/vyre/internal/atomicfile"
)

// Status is the exit status of a command that was interrupted, as shells have it.
const Status = 130

// Grace is how long a command may take to return once it is interrupted.
const Grace = time.Second

// Context returns the context of a process, which ends when the user interrupts it, and calls said once if the process must be
// ended after grace.
func Context(grace time.Duration, said func()) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // the next signal does what it does by default, before anybody can know that this one came
		if len(signals) == 0 {
			cancel()
			time.Sleep(grace)
			said()
		}
		atomicfile.RemoveTemporaries()
		os.Exit(Status)
	}()
	return ctx
}
