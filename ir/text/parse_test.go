package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir/internal/irtest"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// parseErrors are texts that are wrong in one way. The kernel's opening is on line 2.
var parseErrors = []struct {
	name, src string
	want      string // line:col, code
	says      string
}{
	{"no header", "kernel @k workgroup(1) {}", "1:1 VT002", `a file starts with "vyre 1", found "kernel"`},
	{"other version", "vyre 2", "1:6 VT002", `text version "2"`},
	{"empty file", "", "1:1 VT002", "found the end of the file"},
	{"no kernel", "vyre 1\nfoo", "2:1 VT002", `expected a kernel, found "foo"`},
	{"stray character", body("§"), "3:1 VT001", "unexpected character '§'"},
	{"stray minus", body("%a = add.u32 1_u32, -%n"), "3:21 VT001", "a minus sign without a number"},
	{"no name", body("%a = add.u32 % , 1_u32"), "3:14 VT001", "no name after '%'"},
	{"long name", body("%" + strings.Repeat("n", 256) + " = lane"), "3:1 VT001", "name of 256 bytes, at most 255"},
	{"long word", body(strings.Repeat("a.", 1_000_000)), "3:1 VT001", "word of 2000000 bytes, at most 255"},
	{"long line", body("%a = lane //" + strings.Repeat("x", 2<<20)), "3:1 VT001", "line of 2097164 bytes, at most 2097152"},
	{"unknown mark", body("%a = lane !nonsense"), "3:11 VT001", `the mark "!nonsense" is neither`},
	{"position without a line", body("%a = lane !f:0"), "3:11 VT001", "is neither !inb nor !checked nor a position"},
	{"untyped literal", body("%a = add.u32 1, 2_u32"), "3:14 VT001", `the literal "1" has no type`},
	{"literal too large", body("%a = add.u32 1_u32, 4294967296_u32"), "3:21 VT005", `"4294967296" does not fit u32`},
	{"workgroup too large", "vyre 1\nkernel @k workgroup(4294967296) {\n}", "2:21 VT005", "at most 4294967295"},
	{"unknown op", body("%a = adn.u32 1_u32, 2_u32"), "3:6 VT003", `"adn.u32" names no op`},
	{"copy without a source", body("copy_async.4 @x[0_u32]"), "4:1 VT002", `before what is copied`},
	{"op of the second step", body("copy_tile #0"), "3:1 VT003", `"copy_tile" names no op`},
	{"op without its type", body("%a = add 1_u32, 2_u32"), "3:6 VT002", `"add" is no form of add`},
	{"op with a type too many", body("%a = lane.u32"), "3:6 VT002", `"lane.u32" is no form of lane`},
	{"unknown axis", body("%a = local.w"), "3:6 VT002", `"local.w" is no form of local`},
	{"conversion with one type", body("%a = cvt.u32 1_i32"), "3:6 VT002", `"cvt.u32" is no form of cvt`},
	{"atomic without scope", body("atomic_add.relaxed @x[0_u32], 1_u32"), "3:1 VT002", `is no form of atomic_add`},
	{"unknown hint", body("%a = load.fast @x[0_u32]"), "3:6 VT002", `is no form of load`},
	{"suffix against operand", body("%a = popc.u64 1_u32"), "3:6 VT002", "popc.u64 on an operand of type u32"},
	{"conversion from another type", body("%a = cvt.f32.i32 1_u32"), "3:6 VT002", "cvt.f32.i32 on an operand of type u32"},
	{"arg as a statement", body("%a = arg"), "3:6 VT002", "arg has no statement of its own"},
	{"undefined value", body("%a = not.u32 %b"), "3:14 VT003", "%b is not defined"},
	{"undefined object", body("%a = load @y[0_u32]"), "3:11 VT003", "@y is not defined"},
	{"undefined label", body("break ^l"), "3:7 VT003", "^l is not defined"},
	{"value used in its own definition", body("%a = not.u32 %a"), "3:14 VT003", "%a is not defined"},
	{"value twice", body("%a = lane\n%a = lane"), "4:1 VT004", "%a is defined twice"},
	{"parameter and value", body("%n = lane"), "3:1 VT004", "%n is defined twice"},
	{"object twice", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<u32> rw\nlocal @x: u32[1]\n}", "4:7 VT004", "@x is defined twice"},
	{"label twice", body("block ^l { break ^l }\nblock ^l { break ^l }"), "4:7 VT004", "^l is defined twice"},
	{"kernel twice", body("") + "\nkernel @k workgroup(1) {}", "5:8 VT004", "kernel @k is defined twice"},
	{"result without a name", body("add.u32 1_u32, 2_u32"), "3:1 VT002", "the result of add has no name"},
	{"name without a result", body("%a = store @x[0_u32], 1_u32"), "3:1 VY011", "store has no result"},
	{"name for an exit", body("%a = return"), "3:1 VY011", "return has no result"},
	{"two names for one result", body("%a, %b = lane"), "3:5 VT002", "lane has one result"},
	{"names without types", body("%a = if true {\n}"), "3:1 VT002", "1 names for 0 results"},
	{"missing index", body("%a = load @x"), "4:1 VT002", `expected '[' before the index`},
	{"missing object", body("%a = load 0_u32"), "3:11 VT002", "expected the object of load"},
	{"object out of place", body("%a = not.u32 @x"), "3:14 VT002", "not takes no object here"},
	{"missing immediate", body("%a = bfe.u32 1_u32, #3"), "3:6 VT002", "bfe has 1 immediates, but takes 2"},
	{"value after an immediate", body("%a = bfe.u32 #3, 1_u32"), "3:18 VT002", "values stand in front of immediates"},
	{"immediate that is no number", body("%a = bfe.u32 1_u32, #x, #1"), "3:21 VT001", "#x is no number"},
	{"immediate of 33 bits", body("trap true, 1_u64, #4294967296"), "3:19 VT005", "#4294967296 does not fit 32 bits"},
	{"bit field beyond eight bits", body("%a = bfe.u32 1_u32, #256, #1"), "3:6 VT005", "the bit field #256, #1"},
	{"two statements on a line", body("%a = lane %b = lane"), "3:11 VT002", "expected the end of the statement"},
	{"unroll too large", body("loop ^l () unroll 256 { return }"), "3:19 VT005", "unroll: 256, at most 255"},
	{"vector in memory", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<v2.f32> rw\n}", "3:15 VT002", "expected a type such as u32"},
	{"unknown access right", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<u32>\n}", "4:1 VT002", "expected the access right"},
	{"alignment that is no power of two", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<u32> rw align 12\n}", "3:29 VT005", "align 12 is no power of two"},
	{"declaration after a statement", body("%a = lane\nparam @y: buf<u32> rw"), "4:1 VT003", `"param" names no op`},
	{"kernel not closed", "vyre 1\nkernel @k workgroup(1) {\n%a = lane\n", "4:1 VT002", "kernel @k is not closed"},
	{"else without if", body("else { }"), "3:1 VT003", `"else" names no op`},
	{"nesting", body(strings.Repeat("if true {\n", 257) + strings.Repeat("}", 257)), "259:4 VY502", "nesting: 257, at most 256"},
	{"many parameters", "vyre 1\nkernel @k workgroup(1) {\n" + lines(129, "param %%p%d: u32") + "}", "131:7 VY502", "parameters: 129, at most 128"},
	{"many arrays", "vyre 1\nkernel @k workgroup(1) {\n" + lines(129, "local @a%d: u32[1]") + "}", "132:1 VY502", "arrays: 129, at most 128"},
	{"many operands", body("%a = vec " + strings.Repeat("1_u32,", 4096) + "1_u32"), "4:1 VY502", "variable operands: 4097, at most 4096"},
}

// body is a kernel with the given statements from line 3 on.
func body(statements string) string {
	return "vyre 1\nkernel @k workgroup(1) { param @x: buf<u32> rw; param %n: u32\n" + statements + "\n}"
}

// lines is n lines with their number filled in.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestParserSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range parseErrors {
		t.Run(c.name, func(t *testing.T) {
			_, err := text.ParseCode("k.vyre", c.src)
			ds, ok := err.(ir.Diags)
			if !ok {
				t.Fatalf("got %v, want Diags", err)
			}
			d := ds[0]
			if got := fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code); got != c.want || !strings.Contains(d.Msg, c.says) {
				t.Errorf("got  %s %s\nwant %s %s", got, d.Msg, c.want, c.says)
			}
			if len(ds) > 1 {
				t.Errorf("one mistake gives %d findings:\n%v", len(ds), err)
			}
			if s := d.String(); !strings.HasPrefix(s, "k.vyre:") {
				t.Errorf("the finding reads %q, without its file in front", s)
			}
		})
	}
}

func TestParserFindsEveryMistake(t *testing.T) {
	src := body("%a = adn.u32 %n, %n\n%b = not.u32 %a\n%c = not.u32 %missing\nif %undefined {\n  %d = lane lane\n}\n%e = add.u32 %missing, 5000000000_u32")
	_, err := text.Parse("k", src)
	ds, _ := err.(ir.Diags)
	var got []string
	for _, d := range ds {
		got = append(got, fmt.Sprintf("%d %s", d.Pos.Line, d.Code))
	}
	want := "3 VT003, 5 VT003, 6 VT003, 7 VT002, 9 VT005"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s\n%v", s, want, err)
	}
}

func TestParserStopsWhenThereIsTooMuchWrong(t *testing.T) {
	_, err := text.Parse("k", body(strings.Repeat("%a = nonsense\n", 10_000)))
	if ds, _ := err.(ir.Diags); len(ds) != 50 {
		t.Errorf("%d findings, want 50", len(ds))
	}
}

func TestParseReportsTheVerifiersFindingsOfTheOtherKernels(t *testing.T) {
	src := body("%a = nonsense") + "\nkernel @l workgroup(1) {\n  %f = add.bool true, false\n}"
	_, err := text.Parse("k", src)
	ds, _ := err.(ir.Diags)
	if len(ds) != 2 || ds[0].Code != "VT003" || ds[1].Code != "VY101" || ds[1].Pos.String() != "k:6:3" {
		t.Errorf("got %v", err)
	}
}

func TestEveryPlaceOfALineBreak(t *testing.T) {
	p := irtest.Parse(t, body("%a =\n add.u32 %n,\n  1_u32\nif true\n{\n}\nelse\n{ store @x[\n0_u32], %a }"))
	want := irtest.Parse(t, body("%a = add.u32 %n, 1_u32; if true {} else { store @x[0_u32], %a }"))
	if p.Digest() != want.Digest() {
		t.Errorf("got\n%swant\n%s", text.Of(p), text.Of(want))
	}
}

func TestLocalArraysMayStandInFrontOfSharedOnes(t *testing.T) {
	p := irtest.Parse(t, "vyre 1\nkernel @k workgroup(1) {\nlocal @l: i32[2]\nshared @s: u32[3]\nstore @s[0_u32], 1_u32\nstore @l[0_u32], 1_i32\n}")
	if a := p.Arrays(); a[0].Name != "s" || !a[0].Shared || a[1].Name != "l" {
		t.Errorf("arrays are %v", a)
	}
	want := "  shared @s: u32[3]\n  local @l: i32[2]\n  store @s[0_u32], 1_u32\n  store @l[0_u32], 1_i32\n"
	if got := text.Of(p); !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// The parser lets through what the columns can hold, wrong as it is: the verifier finds it.
func TestVerifierSeesWhatTheTextGotWrong(t *testing.T) {
	for _, c := range []struct{ name, statements, want string }{
		{"too few operands", "%a = add.u32 %n", "VY006"},
		{"too many operands", "%a = not.u32 %n, %n", "VY006"},
		{"five operands", "%a = prmt %n, %n, %n, %n, %n", "VY006"},
		{"result type of the suffix", "%a = shr.i32 %n, %n", "VY103"},
		{"operand out of its region", "if true {\n%a = lane\n}\nstore @x[0_u32], %a", "VY005"},
		{"loop without an end", "loop ^l () {\n%a = lane\n}", "VY004"},
		{"statement after an exit", "return\nstore @x[0_u32], 1_u32", "VY004"},
		{"arm without the values", "%a = if true -> (u32) {\n yield 1_u32\n}\nstore @x[0_u32], %a", "VY010"},
		{"narrow value", "loop ^l (%a: u8 = %n) {\n%b = lane\ncontinue ^l (%b)\n}\nunreachable", "VY110"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := text.Parse("k", body(c.statements))
			if err == nil || !strings.Contains(err.Error(), "["+c.want+"]") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
