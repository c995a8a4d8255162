package conform_test

import (
	"context"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
)

// doubled is a case that passes; the tests below change a line of it.
const doubled = `Twice the value.
-- program --
vyre 1
kernel @k workgroup(4) {
  param @x: buf<u32> ro
  param %n: i16
  param @y: buf<u32> wo
  %g = global.x
  %v = load @x[%g]
  %w = add.u32 %v, %v
  store @y[%g], %w
}
-- launch --
arg x = 1 2 | fill 7 1 | 0x10
arg n = -3
arg y = zeros 4
-- want --
y = 2 4 14 32
`

func TestFileIsACase(t *testing.T) {
	cases, err := conform.ParseFile("doubled", []byte(doubled))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 1 || cases[0].About != "Twice the value." {
		t.Fatalf("cases are %+v", cases)
	}
	if err := conform.Try(context.Background(), conform.Interp(interp.Options{}), &cases[0]); err != nil {
		t.Error(err)
	}
}

func TestAFileHasSeveralCases(t *testing.T) {
	_, sections, _ := strings.Cut(doubled, "-- program --")
	text := "Two.\n-- case first --\nTwice.\n-- program --" + sections + "-- case second --\n-- program --" + strings.Replace(sections, "4 14", "4 15", 1)
	cases, err := conform.ParseFile("two", []byte(text))
	if err != nil || len(cases) != 2 || cases[0].Name != "first" || cases[0].About != "Twice." || cases[1].Name != "second" || cases[1].About != "" {
		t.Fatalf("%+v, %v", cases, err)
	}
	for i := range cases {
		if err := conform.Try(context.Background(), conform.Interp(interp.Options{}), &cases[i]); (err != nil) != (i == 1) {
			t.Errorf("%s: %v", cases[i].Name, err)
		}
	}
	if _, err := conform.ParseFile("two", []byte(strings.Replace(text, "-- want --", "-- launch --", 2))); err == nil || !strings.Contains(err.Error(), "stands twice") {
		t.Errorf("a case with two sections of one name gives %v", err)
	}
}

func TestFailureNamesTheFirstDifference(t *testing.T) {
	cases, err := conform.ParseFile("doubled", []byte(strings.Replace(doubled, "y = 2 4 14", "y = 2 4 15", 1)))
	if err != nil {
		t.Fatal(err)
	}
	err = conform.Try(context.Background(), conform.Interp(interp.Options{}), &cases[0])
	if err == nil || !strings.Contains(err.Error(), "buffer y: element 2 is 14") {
		t.Errorf("got %v", err)
	}
}

func TestMalformedFilesAreErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown section", "-- want --", "-- wants --", `unknown section "wants"`},
		{"section twice", "-- want --", "-- launch --", `"launch" stands twice`},
		{"program that is refused", "add.u32 %v, %v", "add.u32 %v, %n", "VY102"},
		{"argument left out", "arg n = -3\n", "", "parameter n has no argument"},
		{"argument of nobody", "arg n", "arg m", "no parameter m"},
		{"scalar with two values", "arg n = -3", "arg n = -3 -4", "one value"},
		{"value beyond its type", "arg n = -3", "arg n = -40000", "out of range"},
		{"no number", "arg x = 1 2", "arg x = 1 two", "two"},
		{"count beyond all measure", "fill 7 1", "fill 7 999999999999", "not a count"},
		{"grid of four axes", "arg n", "grid 1 1 1 1\narg n", "three counts"},
		{"part of nothing", "arg y = zeros 4", "arg y = part z 0 16", "part OTHER OFF LEN"},
		{"unknown finding", "y = 2 4 14 32", "reports trouble", "unknown finding trouble"},
		{"bound without a buffer", "y = 2 4 14 32", "within 1 ulp", "comes after"},
		{"trap without a value", "y = 2 4 14 32", "trap 7", "trap CODE VALUE"},
		{"target that does not exist", "-- want --", "-- refused --\n// target vram=7\n-- want --", "sm=N"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(doubled, c.old, c.new, 1)
			if text == doubled {
				t.Fatalf("the file has no %q", c.old)
			}
			_, err := conform.ParseFile("bad", []byte(text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
