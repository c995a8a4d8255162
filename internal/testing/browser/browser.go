//go:build unix

// Package browser drives Chromium without a window, for tests of pages.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/internal/testing/needs"
)

// Page is a page in the browser, spoken to through a pair of pipes in its own protocol: JSON, each message ended by a zero
// byte. What its scripts throw fails the test.
type Page struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	id      int

	Forbidden []string // what its policy forbade
}

// Open opens a page of the given size, in one of the two colour schemes: light or dark.
func Open(t *testing.T, url string, width, height int, scheme string) *Page {
	t.Helper()
	tool := needs.Browser(t)
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"))
	cmd.ExtraFiles = []*os.File{theirs, out} // 3 and 4, as the protocol has it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	out.Close()
	b := &Page{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the browser ended with %v", err)
		}
		to.Close()
		from.Close()
	})
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}})
	b.call("Runtime.enable", nil)
	b.call("Log.enable", nil)
	b.call("Page.enable", nil)
	b.call("Page.navigate", map[string]any{"url": url})
	b.until("Page.loadEventFired")
	return b
}

// message is what comes from the browser: the answer to a call, or an event.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result map[string]any
	Error  *struct{ Message string }
}

func (b *Page) receive() message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatal(errors.Join(errors.New("the browser hung up"), err))
	}
	var m message
	if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
		b.t.Fatal(err)
	}
	switch {
	case m.Method == "Runtime.exceptionThrown":
		b.t.Errorf("the page's script failed: %s", m.Params)
	case m.Method == "Log.entryAdded" && bytes.Contains(m.Params, []byte(`"source":"security"`)):
		b.Forbidden = append(b.Forbidden, string(m.Params))
	}
	return m
}

func (b *Page) call(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.id++
	call := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		call["sessionId"] = b.session
	}
	text, err := json.Marshal(call)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		if m := b.receive(); m.ID == b.id {
			if m.Error != nil {
				b.t.Fatalf("%s: %s", method, m.Error.Message)
			}
			return m.Result
		}
	}
}

func (b *Page) until(event string) {
	b.t.Helper()
	for b.receive().Method != event {
	}
}

// Eval returns the text of an expression's value.
func (b *Page) Eval(expression string) string {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if failed, ok := r["exceptionDetails"]; ok {
		b.t.Fatalf("%s: %v", expression, failed)
	}
	return fmt.Sprint(r["result"].(map[string]any)["value"])
}

// Press presses keys one after the other.
func (b *Page) Press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		params := map[string]any{"type": "keyDown", "key": key}
		switch key {
		case "Enter":
			params["text"], params["code"], params["windowsVirtualKeyCode"] = "\r", key, 13
		case "Tab":
			params["code"], params["windowsVirtualKeyCode"] = key, 9
		case "Escape", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End":
			params["code"] = key
		default:
			params["text"] = key
		}
		b.call("Input.dispatchKeyEvent", params)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
	}
}

// Want compares the text of an expression's value.
func (b *Page) Want(expression, want string) {
	b.t.Helper()
	if got := b.Eval(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// Await is Want for what comes in a while.
func (b *Page) Await(expression, want string) {
	b.t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		b.t.Fatal(err)
	}
	wait := fmt.Sprintf(`(async () => { for (let i = 0; i < 3000 && String(%s) !== %s; i++) await new Promise(done => setTimeout(done, 10)) })()`, expression, text)
	b.call("Runtime.evaluate", map[string]any{"expression": wait, "awaitPromise": true})
	b.Want(expression, want)
}

// Contrast is an expression for the texts among some elements that are hard to read: those whose contrast with a ground is below
// 4.5.
func Contrast(elements, ground string) string {
	return `(() => {
		const light = c => c.match(/\d+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
		const paper = light(getComputedStyle(document.querySelector('` + ground + `')).backgroundColor);
		const ratio = e => { const a = light(getComputedStyle(e).color); return (Math.max(a, paper) + 0.05) / (Math.min(a, paper) + 0.05) };
		return [...document.querySelectorAll('` + elements + `')].filter(e => ratio(e) < 4.5).map(e => e.className + ' ' + e.textContent).slice(0, 3).join(', ');
	})()`
}
