//go:build unix

package explain_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/browser"
)

// browse opens a page from a file.
func browse(t *testing.T, page string, width, height int, scheme string) *browser.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	return browser.Open(t, (&url.URL{Scheme: "file", Path: file}).String(), width, height, scheme)
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
		if b.Press("Tab"); b.Eval(`document.activeElement.closest('section')?.id`) == "source" {
			break
		}
	}
	b.Want(`document.activeElement.className`, "lines")
	b.Press("ArrowDown", "ArrowDown", "ArrowUp")
	b.Want(focus, "source:"+b.Eval(`[...document.querySelectorAll('#source .l')].find(l => l.checkVisibility()).querySelector('b').textContent`))
	b.Press("End", "ArrowUp") // the last line but one has the arithmetic
	b.Want(focus, "source:8")
	b.Want(`document.querySelectorAll('#ptx .l.hover').length > 3`, "true")
	b.Press("Enter")
	b.Want(`document.querySelectorAll('#ptx .l.pin').length > 3`, "true")
	b.Want(`location.hash.startsWith('#source:')`, "true")
	b.Press("ArrowRight")
	b.Want(`document.activeElement.closest('section').id`, "front")
	b.Want(`document.activeElement.classList.contains('pin')`, "true")
	b.Press("ArrowLeft")
	b.Want(focus, "source:8")
	b.Press("Escape")
	b.Want(`document.querySelectorAll('.pin, .hover').length`, "0")
	b.Press("/", "d", "i", "v", "Enter")
	b.Want(`document.querySelectorAll('.current').length`, "1")
}

func TestBrowserLinksMachineCodeToTheSource(t *testing.T) {
	divides := map[string]string{"amd64.avx2": "vdivps", "amd64.avx512": "vdivps", "arm64.neon": "fdiv"}[native.Target()]
	b := browse(t, browsedPage(t), 700, 800, "light")
	b.Want(`document.querySelector('#cpu').hidden`, "true") // there is no room for it at first
	b.Eval(`document.querySelector('button[data-column=cpu]').click()`)
	b.Want(`document.querySelector('#cpu').checkVisibility()`, "true")
	b.Eval(`[...document.querySelectorAll('#cpu .l')].find(l => l.textContent.includes('` + divides + `')).click()`)
	b.Want(`document.querySelectorAll('#cpu .l.pin').length > 0`, "true")
	b.Want(`[...document.querySelectorAll('#source .l.pin b')].map(n => n.textContent).join()`, "8")
	b.Want(`[...document.querySelectorAll('#ptx .l.pin')].some(l => l.textContent.includes('div.rn.f32'))`, "true")
	b.Want(`document.querySelector('#cpu details').open`, "false")
	b.Eval(`document.querySelector('#cpu summary').click()`)
	b.Want(`[...document.querySelectorAll('#cpu details .l')].some(l => l.checkVisibility() && l.textContent.includes('@x: address and length'))`, "true")
}

func TestBrowserShowsOneColumnAtATimeOnAPhone(t *testing.T) {
	b := browse(t, browsedPage(t), 390, 844, "light")
	b.Want(`document.documentElement.scrollWidth`, "390") // the page itself does not move sideways
	const seen = `[...document.querySelectorAll('main > section:not([hidden])')].filter(s => { const r = s.getBoundingClientRect(); return r.left >= 0 && r.right <= 390 }).map(s => s.id).join(' ')`
	b.Want(seen, "source")
	b.Want(`Math.round(document.querySelector('#source').getBoundingClientRect().width) > 330`, "true")
	b.Want(`document.querySelector('.top').getBoundingClientRect().height < 140`, "true")
	b.Want(`document.querySelector('#source .lines').clientHeight > 500`, "true")
	b.Eval(`document.querySelector('#source .lines').focus()`)
	b.Press("End", "ArrowUp", "ArrowRight")
	b.Want(seen, "front")
}

func TestBrowserFollowsTheColourScheme(t *testing.T) {
	page := browsedPage(t)
	contrast := browser.Contrast("section code span, section code, section b", "section")
	grounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		b := browse(t, page, 1400, 800, scheme)
		grounds[b.Eval(`getComputedStyle(document.body).backgroundColor`)] = true
		b.Want(contrast, "") // what is hard to read
	}
	if len(grounds) != 2 {
		t.Errorf("light and dark have the same ground: %v", grounds)
	}
}

func TestBrowserRunsTheScriptUnderItsPolicy(t *testing.T) {
	b := browse(t, strings.Replace(browsedPage(t), "<main>", "<main><script>document.title = 'not ours'</script>", 1), 1400, 800, "light")
	b.Want(`document.title`, "Twice for sm_90")
	b.Want(`document.querySelectorAll('section[hidden]').length > 0`, "true") // our own script ran
	if len(b.Forbidden) != 1 {
		t.Errorf("the policy forbade %q", b.Forbidden)
	}
}
