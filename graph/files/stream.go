package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/guard"
)

// stream has the lines from here on parsed by workers, and collects what they find in the order of the file. line is the
// number of the first one.
func (r *reader) stream(rules rules, line int64, p *parsed) error {
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	// A worker needs a few chunks, and lists as long as one of these can make them.
	count := int(min(int64(r.o.Workers), max(r.o.MaxMemory/(16*chunkBytes), 1)))
	work, order := make(chan *chunk), make(chan *chunk, 2*count)
	var passing atomic.Int64 // bytes of buffers and scratch, which are free again at the end
	var workers guard.Group
	for range count {
		workers.Go(func() {
			var scratch scratch
			has := int64(0)
			for c := range work {
				c.broke = guard.Run(func() { c.parse(rules, &scratch) })
				grown := scratch.bytes() - has
				has += grown
				passing.Add(grown)
				r.held.Add(grown + c.arcs.bytes())
				close(c.done)
			}
		})
	}
	defer func() { r.release(passing.Load()) }()
	var cut error
	var reading guard.Group
	free := make(chan []byte, 4*count)
	buffer := func() ([]byte, error) {
		select {
		case text := <-free:
			return text[:cap(text)], nil
		default:
			passing.Add(bufferBytes)
			return make([]byte, bufferBytes), r.hold(bufferBytes, "a part of the file")
		}
	}
	reading.Go(func() {
		defer close(order)
		defer close(work)
		cut = r.cut(ctx, buffer, func(c *chunk) bool {
			select {
			case order <- c:
				work <- c
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	var err error
	var broke *guard.Panic
	for c := range order {
		<-c.done
		if c.broke != nil && broke == nil {
			broke = c.broke
			stop()
		}
		if err == nil && broke == nil {
			if err = r.collect(c, line, p); err != nil {
				stop()
			}
			line += c.lines
		}
		select {
		case free <- c.text:
		default:
		}
	}
	reading.Wait()
	workers.Wait()
	if broke != nil {
		panic(broke)
	}
	if err == nil {
		err = cut
	}
	if err == nil && r.ctx.Err() != nil {
		err = r.ctx.Err()
	}
	if len(r.errs) > 0 && (err == nil || errors.Is(err, errEnough)) {
		return errors.Join(r.errs...)
	}
	return err
}

var errEnough = errors.New("enough errors")

// cut reads the file in chunks that end where lines do.
func (r *reader) cut(ctx context.Context, buffer func() ([]byte, error), put func(*chunk) bool) error {
	var rest []byte // the beginning of a line
	for {
		if ctx.Err() != nil {
			return nil
		}
		offset := r.in.n - int64(len(rest))
		text, err := buffer()
		if err != nil {
			return err
		}
		n := copy(text, rest)
		got, err := io.ReadFull(r.in, text[n:n+chunkBytes])
		end := n + got
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		if last {
			rest = nil
		} else {
			whole := bytes.LastIndexByte(text[:end], '\n') + 1
			if end-whole > mostLine {
				return &graph.ParseError{File: r.name, Offset: offset + int64(whole), Got: fmt.Sprintf("a line of more than %d bytes", mostLine), Want: "no graph has such"}
			}
			rest = bytes.Clone(text[whole:end])
			end = whole
		}
		for i := range slack {
			text[end+i] = '\n'
		}
		if end > 0 && !put(&chunk{text: text[:end+slack], offset: offset, done: make(chan struct{})}) {
			return nil
		}
		if last {
			return nil
		}
	}
}

// collect takes what a worker found, and returns the first error unless reading goes on.
func (r *reader) collect(c *chunk, line int64, p *parsed) error {
	for _, f := range c.failed {
		err := &graph.ParseError{File: r.name, Line: line + f.line, Column: int64(f.column) + 1, Offset: c.offset + int64(f.at), Got: f.got, Want: f.want}
		if !r.o.KeepGoing {
			return err
		}
		if r.errs = append(r.errs, err); len(r.errs) == mostErrors {
			return errEnough
		}
	}
	p.arcs = append(p.arcs, c.arcs)
	p.count += int64(c.arcs.len())
	p.atLeast = max(p.atLeast, c.nodes)
	r.tell("reading", p.count)
	return r.hold(0, "%d arcs", p.count)
}
