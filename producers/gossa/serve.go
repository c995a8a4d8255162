package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// serveCmd shows findings in an editor, by the protocol that every editor has a client for, so that none needs an extension: as diagnostics, whose related information is the path of a finding. It asks when the editor
// is ready, and again when a file was saved. What is asked then is not finished if another file is saved.
type serveCmd struct {
	analysis
}

func (c *serveCmd) Run(ctx context.Context, s streams) error {
	c.Quiet = true // the editor shows what there is to say
	v := &server{connection: connection{in: bufio.NewReader(s.in), out: s.out}, ask: c.answer, shown: make(map[string]bool)}
	return v.serve(ctx)
}

// server is one that an editor speaks to.
type server struct {
	connection
	ask    func(context.Context) (*answer, error)
	shown  map[string]bool // files with findings
	ready  bool            // the editor has asked for what there is
	ending bool
	stop   func()        // ends what is being asked
	ended  chan struct{} // closed then
}

// serve answers until the editor says that it ends, or goes away.
//
// Errors: what is no message; an editor that ends without a word before it.
func (v *server) serve(ctx context.Context) error {
	defer v.halt()
	messages, failed := make(chan rpcMessage), make(chan error, 1)
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		for {
			m, err := v.read()
			if err != nil {
				failed <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			switch {
			case !errors.Is(err, io.EOF):
				return err
			case v.ending:
				return nil
			}
			return errors.New("the editor went away without a word")
		case m := <-messages:
			if m.Method == "exit" {
				if !v.ending {
					return errors.New("the editor ended without asking for it first")
				}
				return nil
			}
			if err := v.handle(ctx, m); err != nil {
				return err
			}
		}
	}
}

// handle does what a message asks for. Notifications that gossa does not know are no fault.
func (v *server) handle(ctx context.Context, m rpcMessage) error {
	request := len(m.ID) > 0
	switch {
	case m.Method == "initialize" && request:
		v.ready = true
		return v.write(rpcMessage{ID: m.ID, Result: map[string]any{
			"capabilities": map[string]any{"textDocumentSync": map[string]any{"openClose": true, "change": 0, "save": map[string]any{}}},
			"serverInfo":   map[string]any{"name": "gossa", "version": version()},
		}})
	case !v.ready && request:
		return v.write(rpcMessage{ID: m.ID, Error: &rpcError{notInitialized, "initialize comes first"}})
	case m.Method == "shutdown" && request:
		v.halt()
		v.ending = true
		return v.write(rpcMessage{ID: m.ID, Result: json.RawMessage("null")})
	case request && m.Method != "":
		return v.write(rpcMessage{ID: m.ID, Error: &rpcError{methodNotFound, "gossa has no method " + m.Method}})
	case v.ready && !v.ending && (m.Method == "initialized" || m.Method == "textDocument/didSave"):
		v.halt()
		v.again(ctx)
	}
	return nil
}

// halt ends what is being asked, and waits for that.
func (v *server) halt() {
	if v.stop != nil {
		v.stop()
		<-v.ended
		v.stop = nil
	}
}

// again asks, beside what the editor says meanwhile.
func (v *server) again(ctx context.Context) {
	ctx, v.stop = context.WithCancel(ctx)
	ended := make(chan struct{})
	v.ended = ended
	go func() {
		defer close(ended)
		a, err := v.ask(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			v.write(rpcMessage{Method: "window/showMessage", Params: lspShown{1, "gossa: " + err.Error()}})
			return
		}
		v.publish(a)
	}()
}

// publish shows findings, and takes away those that are no more.
func (v *server) publish(a *answer) {
	a.against(nil, false)
	for _, note := range a.Notes {
		v.write(rpcMessage{Method: "window/logMessage", Params: lspShown{2, note}})
	}
	files, order := make(map[string][]lspDiagnostic), []string(nil)
	for file := range v.shown {
		files[file] = []lspDiagnostic{}
		order = append(order, file)
	}
	clear(v.shown)
	for _, f := range a.Shown {
		file, is := a.tree.file(f.Sink)
		if !is {
			continue
		}
		if _, there := files[file]; !there {
			order = append(order, file)
		}
		files[file] = append(files[file], a.tree.diagnostic(f))
		v.shown[file] = true
	}
	for _, file := range order {
		v.write(rpcMessage{Method: "textDocument/publishDiagnostics", Params: lspPublished{uriOf(file), files[file]}})
	}
	v.write(rpcMessage{Method: "window/logMessage", Params: lspShown{3, "gossa: " + a.summary()}})
}

// diagnostic is a finding as an editor shows it: at its line, with its path.
func (t *sourceTree) diagnostic(f finding) lspDiagnostic {
	d := lspDiagnostic{Severity: 2, Code: "go/" + f.Class, About: map[string]string{"href": helpURI}, Source: "gossa", Message: f.headline()}
	if f.Severity >= 7 {
		d.Severity = 1
	}
	if f.Confidence != exact {
		d.Message += fmt.Sprintf(" (%s: %s)", f.Confidence, strings.Join(f.Because, ", "))
	}
	if l, is := t.location(f.Sink); is {
		d.Range = l.Range
	}
	for _, s := range f.Path {
		if l, is := t.location(s.spot); is {
			d.Related = append(d.Related, lspRelated{l, s.Words})
		}
	}
	return d
}

// location is the text of a line that a spot is on, from the spot to its end.
func (t *sourceTree) location(s spot) (lspLocation, bool) {
	file, is := t.file(s)
	if !is || s.Line < 1 {
		return lspLocation{}, false
	}
	text := strings.TrimRight(string(t.line(file, s.Line)), "\r")
	from := lspPosition{s.Line - 1, max(t.column(s, true), 1) - 1}
	return lspLocation{uriOf(file), lspRange{from, lspPosition{s.Line - 1, len(utf16.Encode([]rune(text)))}}}, true
}
