package serve

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are those of connections. A client that is slower is cut off.
type bounds struct {
	header, body, idle, write time.Duration // write is beyond what the answer may take
	open                      int64         // connections
}

var usual = bounds{5 * time.Second, 10 * time.Second, 2 * time.Minute, 20 * time.Second, 256}

const (
	headerSize = 16 << 10
	// endTime is how long answers may take when the command ends. All are canceled then, and package interrupt waits a second.
	endTime = 300 * time.Millisecond
)

// errEnds is why the context of a request ends with the command.
var errEnds = errors.New("the command ends")

// Serve answers on a listener, which it closes, until ctx ends. Then it cancels what is under way, and returns the error of ctx
// once no goroutine of its own is left.
func (h *Handler[S]) Serve(ctx context.Context, l net.Listener, errs io.Writer) error {
	requests, end := context.WithCancelCause(context.Background())
	defer end(errEnds)
	var open atomic.Int64
	server := &http.Server{
		Handler: h, ErrorLog: log.New(errs, "vyre: ", 0), BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: h.bounds.header, ReadTimeout: h.bounds.body, IdleTimeout: h.bounds.idle, WriteTimeout: h.bounds.body + h.o.Time + h.bounds.write,
		MaxHeaderBytes: headerSize,
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				if open.Add(1) > h.bounds.open {
					c.Close()
				}
			case http.StateClosed, http.StateHijacked:
				open.Add(-1)
			}
		},
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	end(errEnds)
	last, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close()
	}
	<-served
	return ctx.Err()
}

// Current holds what questions are about, and replaces it while they are asked. The zero value holds nothing yet.
type Current[S io.Closer] struct {
	mu      sync.Mutex
	now     *held[S]
	warning string
	closing sync.WaitGroup
}

// held is a subject with the questions that use it.
type held[S io.Closer] struct {
	subject S
	users   sync.WaitGroup // none is added after it was replaced
}

// Use returns the subject, which stays open until done is called, and the warning about it. After Close there is none, and ok
// is false.
func (c *Current[S]) Use() (subject S, warning string, done func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil {
		return subject, "", nil, false
	}
	h := c.now
	h.users.Add(1)
	return h.subject, c.warning, h.users.Done, true
}

// Warn sets what answers say beside what was asked, until the next Replace.
func (c *Current[S]) Warn(warning string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warning = warning
}

// Replace makes a subject the one of all later questions. The old one is closed when nothing uses it; closed gets the error.
func (c *Current[S]) Replace(subject S, closed func(error)) {
	c.swap(&held[S]{subject: subject}, closed)
}

// Close closes the subject when nothing uses it, and waits for that and for those that were replaced.
func (c *Current[S]) Close() (err error) {
	c.swap(nil, func(e error) { err = e })
	c.closing.Wait()
	return err
}

func (c *Current[S]) swap(next *held[S], closed func(error)) {
	c.mu.Lock()
	old := c.now
	c.now, c.warning = next, ""
	c.mu.Unlock()
	if old == nil {
		return
	}
	c.closing.Go(func() {
		old.users.Wait()
		if err := old.subject.Close(); err != nil {
			closed(err)
		}
	})
}
