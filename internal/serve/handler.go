package serve

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/internal/printable"
)

// Options adjust a handler. Bounds of 0 are those that the comments name.
type Options struct {
	Hosts   []string          // what the header Host may be, with the port, in lower case
	Body    int64             // most bytes of a body; 256 KiB
	Asked   int               // most questions under way; 64
	Time    time.Duration     // most time of an answer; 10 s
	Because func(error) error // makes an *Error of another error, if it can; may be nil
}

// Handler answers questions about what current holds.
type Handler[S io.Closer] struct {
	current   *Current[S]
	about     func(subject S, warning string) any
	questions map[string]Question[S]
	o         Options
	slots     chan struct{} // one for each question under way
	bounds    bounds
}

// New makes a handler. about is the answer of /about.
func New[S io.Closer](current *Current[S], about func(subject S, warning string) any, questions []Question[S], o Options) *Handler[S] {
	o.Body, o.Asked, o.Time = cmp.Or(o.Body, 256<<10), cmp.Or(o.Asked, 64), cmp.Or(o.Time, 10*time.Second)
	h := &Handler[S]{current, about, map[string]Question[S]{}, o, make(chan struct{}, o.Asked), usual}
	for _, q := range questions {
		h.questions[q.Name] = q
	}
	return h
}

//go:embed page.*
var page embed.FS

// assets are the files of the page, by path.
var assets = map[string]struct{ file, kind string }{
	"/": {"page.html", "text/html; charset=utf-8"}, "/page.css": {"page.css", "text/css; charset=utf-8"},
	"/page.js": {"page.js", "text/javascript; charset=utf-8"},
}

// policy lets the page load what comes from here, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers one request.
func (h *Handler[S]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store"} {
		w.Header().Set(name, value)
	}
	body, kind, err := h.answer(w, r)
	status := http.StatusOK
	if err != nil {
		if r.Context().Err() != nil && errors.Is(err, context.Canceled) && !errors.Is(context.Cause(r.Context()), errEnds) {
			return // the client has gone
		}
		said := h.because(err)
		status, kind = said.Status, jsonKind
		if body, err = json.Marshal(said); err != nil {
			panic("BUG: serve: " + err.Error())
		}
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

const jsonKind = "application/json"

// because is the error that the client gets.
func (h *Handler[S]) because(err error) *Error {
	if h.o.Because != nil {
		err = h.o.Because(err)
	}
	var said *Error
	switch {
	case errors.As(err, &said):
		return &Error{said.Status, printable.Lines(said.Text), printable.Lines(said.Fix)}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{http.StatusServiceUnavailable, fmt.Sprintf("the answer takes more than %s", h.o.Time), "ask about less, or start the command with a longer --most-time"}
	case errors.Is(err, context.Canceled):
		return &Error{http.StatusServiceUnavailable, "the command ends", "start it again"}
	}
	return &Error{http.StatusInternalServerError, printable.Lines(err.Error()), "ask again; if it stays so, start the command again"}
}

// answer finds what is asked for.
func (h *Handler[S]) answer(w http.ResponseWriter, r *http.Request) (body []byte, kind string, err error) {
	if err := h.fromHere(r); err != nil {
		return nil, "", err
	}
	path := r.URL.Path
	name, isQuestion := strings.CutPrefix(path, "/ask/")
	question, known := h.questions[name]
	asset, isPage := assets[path]
	allowed := []string{http.MethodGet, http.MethodHead}
	if isQuestion && known {
		allowed = []string{http.MethodPost}
	}
	switch {
	case !isPage && path != "/about" && !(isQuestion && known):
		var names []string
		for name := range h.questions {
			names = append(names, "/ask/"+name)
		}
		slices.Sort(names)
		return nil, "", &Error{http.StatusNotFound, "there is nothing at this path", "there are /, /about, " + strings.Join(names, ", ")}
	case !slices.Contains(allowed, r.Method):
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return nil, "", &Error{http.StatusMethodNotAllowed, "this path does not answer " + r.Method, "send " + allowed[0]}
	case isPage:
		body, err = page.ReadFile(asset.file)
		return body, asset.kind, err
	case isQuestion:
		body, err = h.ask(w, r, question)
	default:
		subject, warning, done, ok := h.current.Use()
		if !ok {
			return nil, "", context.Canceled
		}
		defer done()
		body, err = json.Marshal(h.about(subject, warning))
	}
	return printable.JSON(body), jsonKind, err
}

// fromHere refuses what another page may have sent.
func (h *Handler[S]) fromHere(r *http.Request) error {
	host := strings.ToLower(r.Host)
	if !slices.Contains(h.o.Hosts, host) {
		return &Error{http.StatusMisdirectedRequest, fmt.Sprintf("this is not the host %q", r.Host), "ask " + h.o.Hosts[0] + ", or start the command with --host"}
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && strings.ToLower(origins[0]) != "http://"+host {
		return &Error{http.StatusForbidden, fmt.Sprintf("pages of %q may not ask", origins[0]), "open http://" + host + "/"}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if _, isPage := assets[r.URL.Path]; site != "" && site != "same-origin" && site != "none" && !(isPage && r.Header.Get("Sec-Fetch-Mode") == "navigate") {
		return &Error{http.StatusForbidden, "pages of other sites may not ask", "open http://" + host + "/"}
	}
	return nil
}

// ask reads a question, waits for a slot no longer than its client, and answers.
func (h *Handler[S]) ask(w http.ResponseWriter, r *http.Request, question Question[S]) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonKind {
		return nil, &Error{http.StatusUnsupportedMediaType, "the type of the body is not " + jsonKind, "send the header Content-Type: " + jsonKind}
	}
	// The body comes before the slot, so that slow clients take none.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.Body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &Error{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit), "ask about fewer nodes at a time"}
	case err != nil:
		return nil, &Error{http.StatusBadRequest, "the body did not come: " + err.Error(), "send it whole, and in time"}
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		return nil, &Error{http.StatusServiceUnavailable, fmt.Sprintf("%d questions are under way", h.o.Asked), "ask again in a second"}
	}
	subject, warning, done, ok := h.current.Use()
	if !ok {
		return nil, context.Canceled
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), h.o.Time)
	defer cancel()
	answer, err := question.ask(ctx, subject, body)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if ctx.Err() != nil { // what it fails with may say so in other words
			err = errors.Join(ctx.Err(), err)
		}
		return nil, err
	}
	body, err = json.Marshal(answer)
	if err != nil || warning == "" {
		return body, err
	}
	said, err := json.Marshal(warning)
	return slices.Concat([]byte(`{"warning":`), said, []byte(","), body[1:]), err // answers are objects, and have fields
}

// Error is why there is no answer.
type Error struct {
	Status int    `json:"-"`
	Text   string `json:"error"`
	Fix    string `json:"fix"` // what the client can do
}

func (e *Error) Error() string { return e.Text }

// Question is one that clients may ask about a subject.
type Question[S any] struct {
	Name string
	ask  func(ctx context.Context, subject S, body []byte) (any, error)
}

// Ask makes a question: its body is an object with the fields of Q and no others, and its answer becomes JSON.
func Ask[S, Q any](name string, ask func(ctx context.Context, subject S, q Q) (any, error)) Question[S] {
	return Question[S]{name, func(ctx context.Context, subject S, body []byte) (any, error) {
		var q Q
		if err := decode(body, &q); err != nil {
			return nil, err
		}
		return ask(ctx, subject, q)
	}}
}

// decode reads one object, strictly.
func decode(body []byte, into any) error {
	bad := func(text, fix string) error { return &Error{http.StatusBadRequest, text, fix} }
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return bad("the body is not a JSON object", "send one, such as {}")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return bad(fmt.Sprintf("malformed JSON at byte %d: %s", syntax.Offset, syntax), "send one JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bad(fmt.Sprintf("malformed JSON at byte %d: it ends too early", len(body)), "send one JSON object")
	case errors.As(err, &kind):
		return bad(fmt.Sprintf("field %q at byte %d is a %s", kind.Field, kind.Offset, kind.Value), "send a value of type "+kind.Type.String())
	case err != nil:
		return bad(strings.TrimPrefix(err.Error(), "json: "), "send only the fields of the question")
	}
	if _, err := d.Token(); err != io.EOF {
		return bad(fmt.Sprintf("more text at byte %d, after the object", d.InputOffset()), "send one JSON object")
	}
	return nil
}
