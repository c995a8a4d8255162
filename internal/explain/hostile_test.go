package explain_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPageLoadsNothing(t *testing.T) {
	page := write(t, compiled(t, "scale.go", scale), map[string]string{"scale.go": scale})
	root := parse(t, page)
	refs := []string{"src", "href", "srcset", "action", "data", "poster", "background", "ping", "formaction"}
	root.all(func(e *element) bool {
		for name, value := range e.attrs {
			if slices.Contains(refs, name) {
				t.Errorf("<%s %s=%q>", e.name, name, value)
			}
		}
		return false
	})
	for _, name := range []string{"style", "script"} {
		for _, e := range root.named(name) {
			if m := regexp.MustCompile(`url\(|@import|https?:|import\b|fetch|XMLHttp|sendBeacon`).FindString(e.text()); m != "" {
				t.Errorf("%s has %s", name, m)
			}
		}
	}
	policy := policyOf(root)
	if !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the content security policy is %q", policy)
	}
}

func TestPageRunsItsOwnScriptOnly(t *testing.T) {
	page := write(t, compiled(t, "scale.go", scale), nil)
	_, rest, _ := strings.Cut(page, "\n<script>")
	script, _, ok := strings.Cut(rest, "</script>")
	if !ok {
		t.Fatal("the page has no script")
	}
	sum := sha256.Sum256([]byte(script))
	hash, policy := base64.StdEncoding.EncodeToString(sum[:]), policyOf(parse(t, page))
	if !strings.HasSuffix(policy, "script-src 'sha256-"+hash+"'") {
		t.Errorf("the policy is %s, the script's hash %s", policy, hash)
	}
}

// policyOf returns the content security policy of a page.
func policyOf(page *element) string {
	for _, e := range page.named("meta") {
		if e.attrs["http-equiv"] == "Content-Security-Policy" {
			return e.attrs["content"]
		}
	}
	return ""
}

func TestPageKeepsHostileTextText(t *testing.T) {
	for name, text := range map[string]string{
		"elements":     `</script><script>alert(1)</script><img src=x onerror=alert(1)>`,
		"attributes":   `" onmouseover="alert(1)" '`,
		"entities":     `&amp; &#60;script&#62; &unknown;`,
		"sections":     `]]> <![CDATA[ <!-- --> <?php ?>`,
		"templates":    `{{.}} ${alert(1)}`,
		"control":      "\x01\x1b[31m\x7f \u0085",
		"direction":    "\u202e \u2066 \u200f",
		"no character": "\ufffe \uffff \u2028",
	} {
		t.Run(name, func(t *testing.T) {
			file := "a<b>" + strings.ReplaceAll(text, "\x00", "") + ".go"
			src := strings.ReplaceAll(scale, "// Scale triples", "// "+text+"\n// Scale triples")
			src = strings.ReplaceAll(src, "s := a*a", "/* "+text+" */ s := a*a")
			root := parse(t, write(t, compiled(t, file, src), map[string]string{file: src}))
			for _, name := range []string{"script", "img"} {
				if n := len(root.named(name)); n != map[string]int{"script": 2, "img": 0}[name] {
					t.Errorf("%d elements %s", n, name)
				}
			}
			root.all(func(e *element) bool {
				for a := range e.attrs {
					if strings.HasPrefix(a, "on") {
						t.Errorf("<%s %s>", e.name, a)
					}
				}
				return false
			})
			if bad := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`).FindString(root.text()); bad != "" {
				t.Errorf("the page shows %q as it is", bad)
			}
			plain := strings.TrimFunc(text, func(r rune) bool { return r < ' ' })
			if name != "control" && name != "direction" && name != "no character" && strings.Count(root.text(), plain) < 2 {
				t.Errorf("the page does not show %q as it is", plain)
			}
		})
	}
}

// Source need not be what was compiled: the file may have changed, or lie elsewhere.
func TestSourceColumnShowsWhatIsNoGoAsItIs(t *testing.T) {
	p := compiled(t, "scale.go", scale)
	for name, src := range map[string]string{
		"empty": "", "one line": "x", "no Go": "`\n'\n/*\n\"\xff\xfe\n#!@", "short": "package kernels\n\nfunc f() {}\n", "CRLF": strings.ReplaceAll(scale, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			cols := columns(t, write(t, p, map[string]string{"scale.go": src}))
			if want := strings.Count(strings.TrimSuffix(src, "\n"), "\n") + 1; len(cols["source"]) != want {
				t.Errorf("%d lines of source, want %d", len(cols["source"]), want)
			}
		})
	}
}
