package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir/internal/irtest"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

func TestListingNamesTheRowsOfEachLine(t *testing.T) {
	p := irtest.Parse(t, `vyre 1
kernel @k workgroup(32) {
  param %a: u32
  param @y: buf<u32> rw
  %i = global.x
  %0 = loop ^l (%k: u32 = %a) -> (u32) {
    %c = le.u32 9_u32, %k
    if %c { break ^l (%k) }
    %1 = add.u32 %k, 1_u32
    continue ^l (%1)
  }
  store @y[%i], %0
}`)
	l := text.Printer{}.List(p)
	var got strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(l.Text, "\n"), "\n") {
		var names []string
		for _, r := range l.Rows[i] {
			names = append(names, p.Op(r).String()+"="+l.Names[r])
		}
		fmt.Fprintf(&got, "%s <%s>\n", line, strings.Join(names, " "))
	}
	want := `kernel @k workgroup(32) { <>
  param %a: u32 <arg=a>
  param @y: buf<u32> rw <>
  %i = global.x <global=i>
  %1 = loop ^l (%k: u32 = %a) -> (u32) { <loop=l res=1 arg=k>
    %c = le.u32 9_u32, %k <le=c>
    if %c { break ^l (%k) } <if= break=>
    %0 = add.u32 %k, 1_u32 <add=0>
    continue ^l (%0) <continue=>
  } <loop=l>
  store @y[%i], %1 <store=>
} <>
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestListingIsThePrintedTextAndLosesNoRow(t *testing.T) {
	for _, p := range irtest.Programs(t) {
		t.Run(p.Name(), func(t *testing.T) {
			for _, print := range []text.Printer{{}, {Positions: true}} {
				var file strings.Builder
				if err := print.Print(&file, p); err != nil {
					t.Fatal(err)
				}
				l := print.List(p)
				if want := strings.TrimPrefix(file.String(), "vyre 1\n\n"); l.Text != want {
					t.Errorf("got\n%s\nwant\n%s", l.Text, want)
				}
				lines := strings.Split(strings.TrimSuffix(l.Text, "\n"), "\n")
				if len(l.Rows) != len(lines) {
					t.Fatalf("rows of %d lines, the text has %d", len(l.Rows), len(lines))
				}
				shown := map[ir.Row]bool{}
				for i, rows := range l.Rows {
					for _, r := range rows {
						shown[r] = true
						// A structured op's name stands at its head, not at its closing brace.
						if name := l.Names[r]; name != "" && !strings.Contains(lines[i], name) && !strings.Contains(lines[i], "}") {
							t.Errorf("line %d shows row %d, but not its name %s: %s", i+1, r, name, lines[i])
						}
					}
				}
				for r := range ir.Row(p.Rows()) {
					// Constants stand in their uses; empty yields and the last return are implied.
					switch p.Op(r) {
					case ir.OpConst, ir.OpYield, ir.OpReturn:
					default:
						if !shown[r] {
							t.Errorf("no line shows row %d, %s", r, p.Op(r))
						}
					}
				}
			}
		})
	}
}
