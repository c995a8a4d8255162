package printable_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/govyre/vyre/internal/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"main.main":                "main.main",
		`C:\n a"b'c <script>`:      `C:\n a"b'c <script>`,
		"Grüße 日本 → ✓":             "Grüße 日本 → ✓",
		"\x1b]0;title\a\x1b[31m":   `\x1b]0;title\a\x1b[31m`,
		"a\nb\tc\r\x00":            `a\nb\tc\r\x00`,
		"\u202ereversed\u2066":     `\u202ereversed\u2066`,
		"\u0085\u009b31m\x7f":      `\u0085\u009b31m\x7f`,
		"cut \xc3 and \xff\xfe":    `cut \xc3 and \xff\xfe`,
		"\ufffd \ufffe \U000e0001": "\ufffd " + `\ufffe \U000e0001`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := printable.Lines("a\n\tb\r\x1b"); got != "a\n\tb\\r\\x1b" {
		t.Errorf("lines: %q", got)
	}
}

// FuzzText: what comes out is printable UTF-8, and stays as it is the second time.
//
//ci:inputs 20000
func FuzzText(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := printable.Text(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !strconv.IsPrint(r) }) || printable.Text(got) != got {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestJSONLosesNothing(t *testing.T) {
	var b bytes.Buffer
	want := "a\u009b\u202e\x7f\U000e0001 日本 \U0001f600"
	if err := json.NewEncoder(printable.JSONWriter(&b)).Encode(want); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.TrimSuffix(text, "\n") != `"a\u009b\u202e\u007f\udb40\udc01 日本 😀"` {
		t.Errorf("%q", text)
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
