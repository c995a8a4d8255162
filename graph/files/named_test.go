package files_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/internal/testing/long"
)

// namesOf are the names of all nodes, with bars between.
func namesOf(g *graph.CSR) string {
	var all []string
	for v := range g.Nodes() {
		all = append(all, g.Name(uint32(v)))
	}
	return strings.Join(all, "|")
}

// TestListsWithNames are read as docs/graph.md says.
func TestListsWithNames(t *testing.T) {
	for _, c := range []struct {
		what, name, content string
		o                   files.Options
		names, want         string
	}{
		{"two words", "x.el", "web api\napi db\n", files.Options{}, "web|api|db", "3 nodes; 0-1 1-2"},
		{"by its name alone", "x.nel", "7 8\n8 9\n", files.Options{}, "7|8|9", "3 nodes; 0-1 1-2"},
		{"ids are no names", "x.nel", "0 1\n1 2\n", files.Options{}, "||", "3 nodes; 0-1 1-2"},
		{"one of two is a number", "x.txt", "A17 1003\nA17 1004\n", files.Options{}, "A17|1003|1004", "3 nodes; 0-1 0-2"},
		{"Windows", "x.txt", "\ufeff# list\r\nweb api\r\n\r\napi db \r\n", files.Options{}, "web|api|db", "3 nodes; 0-1 1-2"},
		{"tabs", "x.tsv", "New York\tSt. John's, NL\nBoston\tNew York\tflies\t3\n", files.Options{}, "New York|St. John's, NL|Boston", "3 nodes; 0-1/0x1*1 2-0/0x10000*3"},
		{"tabs and blanks around", "x.tsv", "  a b \t c \t\t 5 \t\n", files.Options{}, "a b|c", "2 nodes; 0-1*5"},
		{"blanks and tabs", "x.nel", "a  b\n\tc\td\n", files.Options{}, "a|b|c|d", "4 nodes; 0-1 2-3"},
		{"quotes", "x.nel", `"New York" "a\tb\x00\"" "flies to" 2` + "\n", files.Options{}, "New York|a\tb\x00\"", "2 nodes; 0-1/0x10000*2"},
		{"kinds", "x.nel", "a b call\na c call+return\nb c 0x3\nc c -\n", files.Options{}, "a|b|c", "3 nodes; 0-1/0x1000 0-2/0x1004 1-2/0x3 2-2/0x1"},
		{"kinds of one's own", "x.nel", "#:kind 17 http\na b http\na c grpc+http\n", files.Options{}, "a|b|c", "3 nodes; 0-1/0x20000 0-2/0x30000"},
		{"weights alone", "x.nel", "a b - 5\nb c - 1.0\n", files.Options{}, "a|b|c", "3 nodes; 0-1*5 1-2*1"},
		{"no weights", "x.nel", "a b call 0.5\n", files.Options{NoWeights: true}, "a|b", "2 nodes; 0-1/0x1000"},
		{"something else than kinds", "x.nel", "a b 2009-01-01 5\n", files.Options{NoKinds: true}, "a|b", "2 nodes; 0-1*5"},
		{"nodes without arcs", "x.nel", "#:node z\n#:node \"#\"\na z\n", files.Options{}, "z|#|a", "3 nodes; 2-0"},
		{"twice, and to itself", "x.nel", "a a\na b\na b\n", files.Options{}, "a|b", "2 nodes; 0-0 0-1 0-1"},
		{"words of a table in quotes", "x.nel", "\"source\" \"target\"\n", files.Options{}, "source|target", "2 nodes; 0-1"},
		{"comments", "x.nel", "# a b\n% c d\n  # e f\na b\n", files.Options{}, "a|b", "2 nodes; 0-1"},
		{"other letters", "x.nel", "Zürich 東京\n", files.Options{}, "Zürich|東京", "2 nodes; 0-1"},
		{"options", "x.nel", "a b x\na b y\nb b x\n", files.Options{Build: graph.BuildOptions{Symmetric: true, Dedup: true, NoSelf: true}}, "a|b", "2 nodes; 0-1/0x30000 1-0/0x30000"},
		{"nothing", "x.nel", "", files.Options{}, "", "0 nodes;"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g, report, err := read(t, c.name, c.content, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(g); got != c.want || namesOf(g) != c.names || report.Format != files.Named {
				t.Errorf("got  %s %s %s\nwant %s %s", report.Format, namesOf(g), got, c.names, c.want)
			}
		})
	}
}

// TestWrongListsWithNames: what another kind of list has, or a slip, is not taken for a name. Each is refused with position, reason
// and remedy.
func TestWrongListsWithNames(t *testing.T) {
	const quotes = "; in quotes it is a name"
	for _, c := range []struct{ name, content, want string }{
		{"x.txt", "web api\ndb\n", "x.txt:2:3: the line ends: a name, the arc target"},
		{"x.txt", "a b\tc\nd e\n", "x.txt:2:4: the line ends: a name, the arc target, behind a tab"},
		{"x.tsv", "a\tb\nc\t\td\n", `x.tsv:2:3: arc target "": a name, and not two separators in a row`},
		{"x.txt", "web,api\n", `x.txt:1:1: arc source "web,api": columns between blanks or tabs, not commas` + quotes},
		{"x.txt", "web, api\n", `x.txt:1:1: arc source "web,": columns between blanks or tabs, not commas` + quotes},
		{"x.txt", "web -> api\n", `x.txt:1:5: arc target "->": columns between blanks or tabs, and nothing else` + quotes},
		{"x.txt", "web: api db\n", `x.txt:1:1: arc source "web:": columns between blanks or tabs, and nothing else` + quotes},
		{"x.txt", "web api;\n", `x.txt:1:5: arc target "api;": columns`},
		{"x.txt", "Source Target\nweb api\n", `x.txt:1:1: "Source" and "Target", which the columns of a table are called: # before them; in quotes they are names`},
		{"x.tsv", "from\tto\tweight\na\tb\t5\n", `x.tsv:1:1: "from" and "to", which`},
		{"x.txt", "source target\n0 1\n1 2\n", `x.txt:1:1: arc source "source": a number; # goes before the head of a table`},
		{"x.txt", "0 1\n1 x\n", `x.txt:2:3: arc target "x": a number, from 0; --format nel takes words as names`},
		{"x.txt", "1.0 2.0\n", `x.txt:1:1: arc source "1.0": a number, from 0`},
		{"x.txt", "-1 -2\n", `x.txt:1:1: arc source "-1": ids are not negative`},
		{"x.txt", "web api 0.5\n", `x.txt:1:9: kinds "0.5": a mask from 1 to 0xffffffff, or names of kinds with + between; --arc-kinds all takes the column as something else, a weight is the fourth one, behind -`},
		{"x.txt", "web api 0\n", `x.txt:1:9: kinds "0": a mask`},
		{"x.txt", "web api 2009-01-01\n", `x.txt:1:9: kinds "2009-01-01": a mask`},
		{"x.txt", "web api a++b\n", `x.txt:1:9: kinds "a++b": names of kinds with one + between`},
		{"x.txt", "web api #todo\n", `x.txt:1:9: kinds "#todo": comments have a line of their own`},
		{"x.txt", "web api call 0.5\n", `x.txt:1:14: weight "0.5": a whole number from 0 to 4294967295; nothing is rounded or scaled; --no-weights leaves weights out`},
		{"x.txt", "New York Boston flies 5\n", `x.txt:1:17: weight "flies": a whole number`},
		{"x.txt", "a b - 1 x\n", `x.txt:1:9: "x": the end of the line, after from, to, kinds and weight; a name with blanks is in quotes`},
		{"x.txt", "a \"b\n", `x.txt:1:3: arc target "": quotes that end`},
		{"x.txt", "a \"b\"c\n", `x.txt:1:3: arc target "b": a separator behind the quotes`},
		{"x.txt", "a b\"c\n", `x.txt:1:3: arc target "b\"c": quotes around all of a name`},
		{"x.txt", "a b \"c\n", `x.txt:1:5: kinds "": quotes that end`},
		{"x.txt", "a Z\xfcrich\n", `x.txt:1:3: arc target "Z\xfcrich": text in UTF-8`},
		{"x.txt", "a b\u00a0c\n", `x.txt:1:3: arc target "b\u00a0c": characters that can be seen; in quotes it is "b\u00a0c"`},
		{"x.txt", "a b\x1b[31m\n", `x.txt:1:3: arc target "b\x1b[31m": characters that can be seen`},
		{"x.txt", "\xff\xfea\x00 \x00b\x00", "x.txt: it is text in UTF-16: save it as UTF-8"},
		{"x.nel", "#:kid 5 x\n", `x.nel:1:1: "#:kid": #:node NAME or #:kind BIT NAME; a comment has no colon there`},
		{"x.nel", "#:kind 32 x\n", `x.nel:1:8: "32": #:kind BIT NAME, with a bit from 0 to 31`},
		{"x.nel", "#:kind 3 x\n#:kind 3 y\n", `x.nel:2:1: bit 3 is "y": bit 3 is "x" already`},
		{"x.nel", "#:kind 3 x\n#:kind 4 x\n", `x.nel:2:1: bit 4 is "x": bit 3 is "x" already`},
		{"x.nel", "#:node\n", "x.nel:1:7: the line ends: a name"},
		{"x.nel", "#:node a b\n", `x.nel:1:10: "b": the end of the line; a name with blanks is in quotes`},
		{"x.nel", "a b x\na c 0x10000\n", `x.nel:2:5: kinds "0x10000": no bit that a name has come to have: bit 16 is "x"; a line #:kind 16 NAME before says so of one's own`},
		{"x.nel", "a b k" + manyKinds(17), `x.nel:17:5: kinds "k16": one of the 16 names of kinds before it: no bit is left`},
		{"x.nel", "a " + strings.Repeat("b", 70<<10), "x.nel:1: a line of more than 65536 bytes"},
		{"x.wel", "web api 5\n", `x.wel:1:1: arc source "web": a number, from 0; --format nel takes words as names`},
	} {
		t.Run(c.content[:min(len(c.content), 20)], func(t *testing.T) {
			g, _, err := read(t, c.name, c.content, files.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("got  %v, %v\nwant %s", g, err, c.want)
			}
		})
	}
	if _, _, err := read(t, "x.nel", "a b\n", files.Options{IDs: files.Dense}); err == nil || !strings.Contains(err.Error(), "--ids dense says what numbers are, and format nel has names") {
		t.Errorf("ids of a list with names: %v", err)
	}
	_, _, err := read(t, "x.nel", "a\nb c\nd e 0\n", files.Options{KeepGoing: true})
	if err == nil || strings.Count(err.Error(), "x.nel:") != 2 {
		t.Errorf("all that is wrong: %v", err)
	}
}

// manyKinds ends a line and has lines with so many kinds in all.
func manyKinds(n int) string {
	var b strings.Builder
	b.WriteString("0\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a b k%d\n", i)
	}
	return b.String()
}

// TestNamesAreWritten so that reading finds the same ids, names and bits.
func TestNamesAreWritten(t *testing.T) {
	g, err := graph.New(t.Context(), []uint32{0, 2, 2, 3, 3, 3}, []uint32{1, 3, 3}, []uint32{graph.KindCall | graph.KindReturn, 1 << 20, 1 << 3})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"web", "New York", "a,b", "to", "#"}
	for _, c := range []struct {
		data graph.Data
		want string
		lost string
	}{
		{graph.Data{}, "0 1 return+call\n#:node 2\n0 3 kind-20\n2 3 phi\n#:node 4\n", ""},
		{graph.Data{Names: graph.NewStrings(names), Weights: []uint32{1, 2, 3}, KindNames: [32]string{2: "+", 3: "call", 20: "x y"}},
			"#:kind 2 \"+\"\n#:kind 3 call\n#:kind 20 \"x y\"\nweb \"New York\" 0x1004 1\n#:node \"a,b\"\nweb \"to\" \"x y\" 2\n\"a,b\" \"to\" call 3\n#:node \"#\"\n", ""},
		{graph.Data{Names: graph.NewStrings([]string{"web", "", "a", "b", ""})}, "web 1 return+call\n#:node a\nweb b kind-20\na b phi\n#:node 4\n", "that nodes have no name"},
	} {
		g, err := g.With(c.data)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		lost, err := files.Write(context.Background(), &b, g, files.Named)
		if err != nil || b.String() != c.want || strings.Join(lost, ", ") != c.lost {
			t.Errorf("lost %v, %v\ngot  %q\nwant %q", lost, err, b.String(), c.want)
		}
		back, _, err := files.Read(t.Context(), &b, "x.nel", files.Options{})
		if err != nil || c.lost == "" && !sameGraph(back, g) {
			t.Errorf("%v: %s", err, text(back))
		}
	}
	for _, c := range []struct {
		data graph.Data
		want string
	}{
		{graph.Data{Names: graph.NewStrings([]string{"a", "b", "c", "b", "e"})}, `nodes 1 and 3 are both called "b", and format nel knows nodes by their names; write them as vyg, or as el, which has ids`},
		{graph.Data{Names: graph.NewStrings([]string{"4", "b", "c", "", ""})}, `nodes 0 and 4 are both called "4"`},
		{graph.Data{KindNames: [32]string{1: "x", 7: "x"}}, `bits 1 and 7 of kinds are both called "x"`},
	} {
		g, err := g.With(c.data)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := files.Write(context.Background(), &b, g, files.Named); err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestAnyGraphComesBackFromAListWithNames, with names and kinds of any bytes, in any order of nodes; and any text of pieces that lists
// are made of is refused, or is a graph that comes back.
func TestAnyGraphComesBackFromAListWithNames(t *testing.T) {
	pieces := []string{"a", "b", "web", "7", "0", "12", " ", "\t", "\"", `"x y"`, ",", "-", "+", "#", "#:node ", "#:kind 16 ", "call", "0x10000", "\n", "\n", "\r\n", ":", "é", "\xff", "\x00", "\u00a0", "->", `"`, "from", "to", "1.5", `\`}
	for seed := range long.Seeds(t, 150, 5000, 100000) {
		rng := rand.New(rand.NewPCG(seed, 19))
		word := func() string {
			var b strings.Builder
			for range 1 + rng.IntN(3) {
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
			return b.String()
		}
		n := 1 + rng.IntN(7)
		names := []string{word() + "first"} // or else all might be the ids, which are no names
		for len(names) < n {
			if name := word(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		var block graph.Block
		for range rng.IntN(12) {
			block.From, block.To = append(block.From, rng.Uint32N(uint32(n))), append(block.To, rng.Uint32N(uint32(n)))
			block.Masks, block.Weights = append(block.Masks, 1<<rng.IntN(32)|uint32(rng.IntN(2))), append(block.Weights, rng.Uint32()>>rng.IntN(32)|2)
		}
		var d graph.Data
		if rng.IntN(2) == 0 {
			for range rng.IntN(5) {
				if name := word(); !slices.Contains(d.KindNames[:], name) {
					d.KindNames[rng.IntN(32)] = name
				}
			}
		}
		g, _, err := graph.FromBlocks(t.Context(), int64(n), []graph.Block{block}, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d.Names, d.Weights = graph.NewStrings(names), g.Data().Weights
		if g, err = g.With(d); err != nil {
			t.Fatal(err)
		}
		comesBack(t, seed, g)

		var list strings.Builder
		for range rng.IntN(30) {
			list.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if g, _, err := read(t, "x.nel", list.String(), files.Options{}); err == nil {
			comesBack(t, seed, g)
		}
	}
}

func comesBack(t *testing.T, seed uint64, g *graph.CSR) {
	t.Helper()
	var b bytes.Buffer
	lost, err := files.Write(context.Background(), &b, g, files.Named)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if slices.Contains(lost, "that nodes have no name") {
		return
	}
	content := b.String()
	back, _, err := files.Read(t.Context(), &b, "x.nel", files.Options{})
	if err != nil || len(lost) > 0 {
		t.Fatalf("seed %d: %v, lost %v\n%s", seed, err, lost, content)
	}
	if !sameGraph(back, g) {
		t.Fatalf("seed %d: %s %+v\nbecame %s %+v\n%s", seed, text(g), g.Data(), text(back), back.Data(), content)
	}
}
