package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// reference is another side, a process that measures a block when it is asked to.
type reference struct {
	name string // as lines name the side
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	said last // on standard error

	ended bool
}

// last keeps the end of what is written: a side that ends says there why.
type last []byte

func (l *last) Write(p []byte) (int, error) {
	const most = 2000
	*l = append(*l, p...)
	*l = (*l)[max(0, len(*l)-most):]
	return len(p), nil
}

// errNoReference is why a measure has no other side; the text behind it says more.
var errNoReference = errors.New("no other side")

// startReference starts a side with the arguments that it takes.
func startReference(name, path string, args ...string) (*reference, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: -reference names no program", errNoReference)
	}
	t := &reference{name: name, cmd: exec.Command(path, args...)}
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out, t.cmd.Stderr = bufio.NewScanner(out), &t.said
	if err := t.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoReference, err)
	}
	if line, err := t.answer(); err != nil || line != "ready" {
		return nil, errors.Join(fmt.Errorf("%w: it begins with %q", errNoReference, line), err, t.close())
	}
	return t, nil
}

func (t *reference) answer() (string, error) {
	if !t.out.Scan() {
		err := errors.Join(t.close(), t.out.Err(), io.ErrUnexpectedEOF) // it has said all when it has ended
		lines := strings.Split(strings.TrimSpace(string(t.said)), "\n")
		return "", fmt.Errorf("side %s ended: %q: %w", t.name, lines[len(lines)-1], err)
	}
	return t.out.Text(), nil
}

// block asks for n samples of a measure.
func (t *reference) block(name string, n int, args string) (b block, err error) {
	if _, err := fmt.Fprintf(t.in, "%s %d %s\n", name, n, args); err != nil {
		return b, fmt.Errorf("side %s is gone: %w", t.name, errors.Join(err, t.close()))
	}
	line, err := t.answer()
	if err != nil {
		return b, err
	}
	if reason, ok := strings.CutPrefix(line, "skip "); ok {
		return b, fmt.Errorf("%w: %s", errNoReference, reason)
	}
	if _, err := fmt.Sscanf(line, "ok %d %f %f %f", &b.n, &b.min, &b.p50, &b.p99); err != nil {
		return b, fmt.Errorf("side %s says %q to %s", t.name, line, name)
	}
	return b, nil
}

// close ends the side.
func (t *reference) close() error {
	if t.ended {
		return nil
	}
	t.ended = true
	err := t.in.Close()
	return errors.Join(err, t.cmd.Wait())
}
