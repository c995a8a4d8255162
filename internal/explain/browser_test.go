//go:build unix

package explain_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
)

// browser is Chromium without a window, spoken to through a pair of pipes in its own protocol: JSON, each message
// ended by a zero byte.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	id      int
}

// browse opens a page of the given size, in one of the two colour schemes.
func browse(t *testing.T, page string, width, height int, scheme string) *browser {
	t.Helper()
	tool := needs.Browser(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(dir, "profile"))
	cmd.ExtraFiles = []*os.File{theirs, out} // 3 and 4, as the protocol has it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	out.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
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
	b.call("Page.enable", nil)
	b.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: file}).String()})
	b.until("Page.loadEventFired")
	return b
}

// message is what comes from the browser: the answer to a call, or an event.
type message struct {
	ID     int
	Method string
	Result map[string]any
	Error  *struct{ Message string }
}

func (b *browser) receive() message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatal(errors.Join(errors.New("the browser hung up"), err))
	}
	var m message
	if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
		b.t.Fatal(err)
	}
	return m
}

func (b *browser) call(method string, params map[string]any) map[string]any {
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

func (b *browser) until(event string) {
	b.t.Helper()
	for b.receive().Method != event {
	}
}

// eval returns the text of an expression's value.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if failed, ok := r["exceptionDetails"]; ok {
		b.t.Fatalf("%s: %v", expression, failed)
	}
	return fmt.Sprint(r["result"].(map[string]any)["value"])
}

// press presses keys one after the other.
func (b *browser) press(keys ...string) {
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

func (b *browser) want(expression, want string) {
	b.t.Helper()
	if got := b.eval(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

const browsed = `package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Twice(t gpu.Thread, x []float32) {
	i := t.Global().X
	x[i] = 2 * x[i] / (x[i] * x[i])
}
`

func browsedPage(t *testing.T) string {
	return write(t, compiled(t, "k.go", browsed), map[string]string{"k.go": browsed})
}

func TestBrowserPinsByKeyboardAlone(t *testing.T) {
	b := browse(t, browsedPage(t), 1400, 800, "light")
	const focus = `document.activeElement.closest('section')?.id + ':' + document.activeElement.querySelector('b')?.textContent`
	for range 100 {
		if b.press("Tab"); b.eval(`document.activeElement.closest('section')?.id`) == "source" {
			break
		}
	}
	b.want(`document.activeElement.className`, "lines")
	b.press("ArrowDown", "ArrowDown", "ArrowUp")
	b.want(focus, "source:"+b.eval(`[...document.querySelectorAll('#source .l')].find(l => l.checkVisibility()).querySelector('b').textContent`))
	b.press("End", "ArrowUp") // the last line but one has the arithmetic
	b.want(focus, "source:8")
	b.want(`document.querySelectorAll('#ptx .l.hover').length > 3`, "true")
	b.press("Enter")
	b.want(`document.querySelectorAll('#ptx .l.pin').length > 3`, "true")
	b.want(`location.hash.startsWith('#source:')`, "true")
	b.press("ArrowRight")
	b.want(`document.activeElement.closest('section').id`, "front")
	b.want(`document.activeElement.classList.contains('pin')`, "true")
	b.press("ArrowLeft")
	b.want(focus, "source:8")
	b.press("Escape")
	b.want(`document.querySelectorAll('.pin, .hover').length`, "0")
	b.press("/", "d", "i", "v", "Enter")
	b.want(`document.querySelectorAll('.current').length`, "1")
}

func TestBrowserLinksMachineCodeToTheSource(t *testing.T) {
	divides := map[string]string{"amd64.avx2": "vdivps", "amd64.avx512": "vdivps", "arm64.neon": "fdiv"}[native.Target()]
	b := browse(t, browsedPage(t), 700, 800, "light")
	b.want(`document.querySelector('#cpu').hidden`, "true") // there is no room for it at first
	b.eval(`document.querySelector('button[data-column=cpu]').click()`)
	b.want(`document.querySelector('#cpu').checkVisibility()`, "true")
	b.eval(`[...document.querySelectorAll('#cpu .l')].find(l => l.textContent.includes('` + divides + `')).click()`)
	b.want(`document.querySelectorAll('#cpu .l.pin').length > 0`, "true")
	b.want(`[...document.querySelectorAll('#source .l.pin b')].map(n => n.textContent).join()`, "8")
	b.want(`[...document.querySelectorAll('#ptx .l.pin')].some(l => l.textContent.includes('div.rn.f32'))`, "true")
	b.want(`document.querySelector('#cpu details').open`, "false")
	b.eval(`document.querySelector('#cpu summary').click()`)
	b.want(`[...document.querySelectorAll('#cpu details .l')].some(l => l.checkVisibility() && l.textContent.includes('@x: address and length'))`, "true")
}

func TestBrowserShowsOneColumnAtATimeOnAPhone(t *testing.T) {
	b := browse(t, browsedPage(t), 390, 844, "light")
	b.want(`document.documentElement.scrollWidth`, "390") // the page itself does not move sideways
	const seen = `[...document.querySelectorAll('main > section:not([hidden])')].filter(s => { const r = s.getBoundingClientRect(); return r.left >= 0 && r.right <= 390 }).map(s => s.id).join(' ')`
	b.want(seen, "source")
	b.want(`Math.round(document.querySelector('#source').getBoundingClientRect().width) > 330`, "true")
	b.want(`document.querySelector('.top').getBoundingClientRect().height < 140`, "true")
	b.want(`document.querySelector('#source .lines').clientHeight > 500`, "true")
	b.eval(`document.querySelector('#source .lines').focus()`)
	b.press("End", "ArrowUp", "ArrowRight")
	b.want(seen, "front")
}

func TestBrowserFollowsTheColourScheme(t *testing.T) {
	page := browsedPage(t)
	const contrast = `(() => {
		const light = c => c.match(/\d+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
		const paper = light(getComputedStyle(document.querySelector('section')).backgroundColor);
		const ratio = e => { const a = light(getComputedStyle(e).color); return (Math.max(a, paper) + 0.05) / (Math.min(a, paper) + 0.05) };
		return [...document.querySelectorAll('section code span, section code, section b')].filter(e => ratio(e) < 4.5).map(e => e.className + ' ' + e.textContent).slice(0, 3).join(', ');
	})()`
	grounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		b := browse(t, page, 1400, 800, scheme)
		grounds[b.eval(`getComputedStyle(document.body).backgroundColor`)] = true
		b.want(contrast, "") // what is hard to read
	}
	if len(grounds) != 2 {
		t.Errorf("light and dark have the same ground: %v", grounds)
	}
}

func TestBrowserRunsTheScriptUnderItsPolicy(t *testing.T) {
	b := browse(t, strings.Replace(browsedPage(t), "<main>", "<main><script>document.title = 'not ours'</script>", 1), 1400, 800, "light")
	b.want(`document.title`, "Twice for sm_90")
	b.want(`document.querySelectorAll('section[hidden]').length > 0`, "true") // our own script ran
}
