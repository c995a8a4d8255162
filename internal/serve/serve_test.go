package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// thing is what questions are about in these tests.
type thing struct {
	name   string
	closed atomic.Bool
	after  error // of Close
}

func (t *thing) Close() error { t.closed.Store(true); return t.after }

type echo struct {
	Say  string `json:"say"`
	Many int    `json:"many"`
}

// ways in which questions go.
type ways struct {
	began, ended chan string   // by "wait"
	over         chan struct{} // ends "wait"
	current      *Current[*thing]
}

func newWays() *ways {
	w := &ways{make(chan string, 100), make(chan string, 100), make(chan struct{}), &Current[*thing]{}}
	w.current.Replace(&thing{name: "first"}, nil)
	return w
}

func (w *ways) handler(o Options) *Handler[*thing] {
	o.Hosts = append(o.Hosts, "127.0.0.1:80", "example.com")
	return New(w.current, func(s *thing, warning string) any { return []string{s.name, warning} }, []Question[*thing]{
		Ask("echo", func(_ context.Context, s *thing, q echo) (any, error) { return map[string]string{s.name: q.Say}, nil }),
		Ask("fail", func(context.Context, *thing, echo) (any, error) { return nil, errors.New("by\x1b design") }),
		Ask("wait", func(ctx context.Context, s *thing, q echo) (any, error) {
			w.began <- q.Say
			select {
			case <-ctx.Done():
				w.ended <- q.Say
				return nil, ctx.Err()
			case <-w.over:
				return map[string]any{"name": s.name, "closed": s.closed.Load()}, nil
			}
		}),
	}, o)
}

// request is one that is answered, with a header that is a list of names and values.
func request(method, path, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	return r
}

func answered(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestRequests: the class is one request, from here or from elsewhere, well or badly made.
func TestRequests(t *testing.T) {
	h := newWays().handler(Options{Body: 1000})
	for _, c := range []struct {
		r      *http.Request
		status int
		has    string // in the answer
	}{
		{request("POST", "/ask/echo", `{"say":"<b>\u202e"}`), 200, `{"first":"\u003cb\u003e\u202e"}`},
		{request("POST", "/ask/echo", ` {} `, "Content-Type", "application/json; charset=utf-8"), 200, `{"first":""}`},
		{request("POST", "/ask/echo", `{}`, "Origin", "http://example.com", "Sec-Fetch-Site", "same-origin"), 200, `{"first":""}`},
		{request("GET", "/about", ""), 200, `["first",""]`},
		{request("HEAD", "/about", ""), 200, ""},
		{request("GET", "/", ""), 200, "<!DOCTYPE html>"},
		{request("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 200, "<!DOCTYPE html>"}, // a link
		{request("GET", "/page.js", ""), 200, "use strict"},

		{request("GET", "/about", "", "Host", "127.0.0.1"), 421, `this is not the host \"127.0.0.1\"`},
		{request("GET", "/", "", "Host", "evil.example:80"), 421, "ask 127.0.0.1:80"},
		{request("POST", "/ask/echo", `{}`, "Host", ""), 421, "host"},
		{request("POST", "/ask/echo", `{}`, "Origin", "http://evil.example"), 403, `pages of \"http://evil.example\" may not ask`},
		{request("POST", "/ask/echo", `{}`, "Origin", "https://example.com"), 403, "may not ask"},
		{request("POST", "/ask/echo", `{}`, "Origin", "null"), 403, "may not ask"},
		{request("GET", "/about", "", "Origin", "http://127.0.0.1:80"), 403, "may not ask"}, // another host of ours
		{request("GET", "/about", "", "Sec-Fetch-Site", "cross-site"), 403, "other sites"},
		{request("POST", "/ask/echo", `{}`, "Sec-Fetch-Site", "same-site"), 403, "other sites"},
		{request("GET", "/page.js", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), 403, "other sites"},

		{request("POST", "/ask/echo", `{}`, "Content-Type", "text/plain"), 415, "Content-Type: application/json"},
		{request("POST", "/ask/echo", `{}`, "Content-Type", ""), 415, "application/json"},
		{request("POST", "/ask/echo", `{}`, "Content-Type", ";;"), 415, "application/json"},
		{request("POST", "/ask/echo", `{"say":"`+strings.Repeat("x", 1000)+`"}`), 413, "more than 1000 bytes"},
		{request("POST", "/ask/echo", ``), 400, "not a JSON object"},
		{request("POST", "/ask/echo", `null`), 400, "not a JSON object"},
		{request("POST", "/ask/echo", `[]`), 400, "not a JSON object"},
		{request("POST", "/ask/echo", `{"say":"x"`), 400, "byte 10: it ends too early"},
		{request("POST", "/ask/echo", `{"say":x}`), 400, "malformed JSON at byte 8"},
		{request("POST", "/ask/echo", `{"say":"\x01"}`), 400, "malformed JSON"},
		{request("POST", "/ask/echo", `{"said":"x"}`), 400, `unknown field \"said\"`},
		{request("POST", "/ask/echo", `{"say":1}`), 400, `field \"say\" at byte 8 is a number`},
		{request("POST", "/ask/echo", `{"many":1e99}`), 400, `field \"many\"`},
		{request("POST", "/ask/echo", `{}{}`), 400, "more text at byte 3"},
		{request("POST", "/ask/echo", strings.Repeat(`{"say":`, 100)), 400, "ends too early"},

		{request("GET", "/ask/echo", ""), 405, "send POST"},
		{request("POST", "/about", "{}"), 405, "send GET"},
		{request("OPTIONS", "/ask/echo", ""), 405, "send POST"},
		{request("E", "/about", ""), 405, "send GET"},
		{request("GET", "/page/page.html", ""), 404, "/ask/echo"},
		{request("GET", "/../serve_test.go", ""), 404, "there is nothing"},
		{request("GET", "/%2e%2e/serve_test.go", ""), 404, "there is nothing"},
		{request("POST", "/ask/", "{}"), 404, "there is nothing"},
		{request("POST", "/ask/nothing", "{}"), 404, "there is nothing"},
		{request("POST", "/ask/fail", "{}"), 500, `by\\x1b design`},
	} {
		w := answered(h, c.r)
		name := fmt.Sprint(c.r.Method, " ", c.r.URL, " ", c.r.Header)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s: %d %s, want %d with %s", name, w.Code, w.Body, c.status, c.has)
		}
		var said Error
		if c.status != 200 && (json.Unmarshal(w.Body.Bytes(), &said) != nil || said.Text == "" || said.Fix == "" || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s: %s %s has no error and fix", name, w.Header(), w.Body)
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe") || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %s", name, w.Header())
		}
		if (w.Header().Get("Allow") != "") != (c.status == 405) {
			t.Errorf("%s: Allow is %q", name, w.Header().Get("Allow"))
		}
	}
}

// TestBounds: what takes too long ends, what is too much is refused, and what no client waits for is canceled. Then the same
// handler answers.
func TestBounds(t *testing.T) {
	w := newWays()
	h := w.handler(Options{Asked: 2, Time: 20 * time.Millisecond})
	if a := answered(h, request("POST", "/ask/wait", "{}")); a.Code != 503 || !strings.Contains(a.Body.String(), "more than 20ms") || a.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	<-w.began
	h.o.Time = time.Minute
	ctx, gone := context.WithCancel(t.Context())
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if a := answered(h, request("POST", "/ask/wait", "{}").WithContext(ctx)); a.Body.Len() > 0 {
				t.Errorf("a client that has gone is told %s", a.Body)
			}
		})
		<-w.began
	}
	if a := answered(h, request("POST", "/ask/echo", "{}")); a.Code != 503 || !strings.Contains(a.Body.String(), "2 questions are under way") || a.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	if a := answered(h, request("GET", "/about", "")); a.Code != 200 {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	gone()
	both.Wait()
	if len(w.ended) != 3 {
		t.Errorf("%d questions were canceled, want 3", len(w.ended))
	}
	if a := answered(h, request("POST", "/ask/echo", "{}")); a.Code != 200 {
		t.Errorf("%d %s", a.Code, a.Body)
	}
}

// TestReplace: questions under way finish with what they began with, and it is closed after the last of them.
func TestReplace(t *testing.T) {
	w := newWays()
	h := w.handler(Options{})
	first, _, done, _ := w.current.Use()
	done()
	first.after = errors.New("closed badly")
	var under sync.WaitGroup
	for range 3 {
		under.Go(func() {
			if a := answered(h, request("POST", "/ask/wait", "{}")); a.Body.String() != `{"closed":false,"name":"first"}` {
				t.Errorf("%d %s", a.Code, a.Body)
			}
		})
		<-w.began
	}
	w.current.Warn("a \"warning\"")
	if a := answered(h, request("POST", "/ask/echo", "{}")); a.Body.String() != `{"warning":"a \"warning\"","first":""}` {
		t.Error(a.Body)
	}
	if a := answered(h, request("GET", "/about", "")); a.Body.String() != `["first","a \"warning\""]` {
		t.Error(a.Body)
	}
	closed := make(chan error, 1)
	w.current.Replace(&thing{name: "second"}, func(err error) { closed <- err })
	if a := answered(h, request("POST", "/ask/echo", "{}")); a.Body.String() != `{"second":""}` || first.closed.Load() {
		t.Errorf("%s; the first is closed: %v", a.Body, first.closed.Load())
	}
	close(w.over)
	under.Wait()
	if err := <-closed; err != first.after || !first.closed.Load() {
		t.Error(err)
	}
	if err := w.current.Close(); err != nil {
		t.Error(err)
	}
	for _, r := range []*http.Request{request("POST", "/ask/echo", "{}"), request("GET", "/about", "")} {
		if a := answered(h, r); a.Code != 503 || !strings.Contains(a.Body.String(), "the command ends") {
			t.Errorf("%d %s", a.Code, a.Body)
		}
	}
}

// TestServe: slow clients are cut off, and so are too many. When the command ends, questions under way are canceled and told so,
// and nothing is left.
func TestServe(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	w := newWays()
	h := w.handler(Options{Body: 100})
	h.bounds = bounds{500 * time.Millisecond, time.Second, time.Minute, time.Minute, 20}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	var errs bytes.Buffer
	go func() { served <- h.Serve(ctx, l, &errs) }()
	dial := func(text string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, text)
		return c
	}
	const question = "POST /ask/wait HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
	var slow sync.WaitGroup
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: exa": "", // and no more
		question + "{":                "the body did not come",
		"GET / HTTP/1.1\r\nHost: example.com\r\nX: " + strings.Repeat("x", 30<<10) + "\r\n\r\n": "431",
	} {
		c := dial(text)
		slow.Go(func() {
			c.SetReadDeadline(time.Now().Add(10 * time.Second))
			b, err := io.ReadAll(c)
			if !strings.Contains(string(b), want) || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%.40q is answered %q, %v", text, b, err)
			}
			c.Close()
		})
	}
	slow.Wait()
	asked := func() net.Conn { // until it is under way: a busy machine may be as slow as a slow client
		for {
			c := dial(question + "{}")
			select {
			case <-w.began:
				return c
			case <-time.After(3 * time.Second):
				c.Close()
			}
		}
	}
	under, leaves := asked(), asked()
	leaves.Close()
	<-w.ended // though its time is not over
	for refused := false; !refused; {
		c := dial("")
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		refused = !errors.Is(err, os.ErrDeadlineExceeded)
	}
	cancel()
	if b, err := io.ReadAll(under); err != nil || !strings.Contains(string(b), "503") || !strings.Contains(string(b), "the command ends") {
		t.Errorf("%q, %v", b, err)
	}
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
