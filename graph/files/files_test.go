package files_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// text is a graph as lines.
func text(g *graph.CSR) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes;", g.Nodes())
	at := 0
	for u := range g.Nodes() {
		targets, masks := g.Row(uint32(u))
		for i, v := range targets {
			fmt.Fprintf(&b, " %d-%d", u, v)
			if masks != nil {
				fmt.Fprintf(&b, "/%#x", masks[i])
			}
			if w := g.Data().Weights; w != nil {
				fmt.Fprintf(&b, "*%d", w[at])
			}
			at++
		}
	}
	return b.String()
}

func read(t *testing.T, name, content string, o files.Options) (*graph.CSR, files.Report, error) {
	t.Helper()
	return files.Read(t.Context(), strings.NewReader(content), name, o)
}

//ci:race Small|FirstError|Progress|Cancelled
func TestReadSmallFiles(t *testing.T) {
	for _, c := range []struct {
		what, name, content string
		o                   files.Options
		want                string
	}{
		{"two columns", "x.el", "0 1\n1 2\n", files.Options{}, "3 nodes; 0-1 1-2"},
		{"no end of line", "x.el", "0 1\n1 2", files.Options{}, "3 nodes; 0-1 1-2"},
		{"comments", "x.txt", "# Nodes: 5 Edges: 2\n% more\n0\t1\r\n\n  1   2  \r\n", files.Options{}, "5 nodes; 0-1 1-2"},
		{"kinds", "x.el", "0 1\n0 2 0x10\n1 0 3\n", files.Options{}, "3 nodes; 0-1/0x1 0-2/0x10 1-0/0x3"},
		{"not kinds", "x.el", "0 1 2009-1-1\n0 2 -5 x\n", files.Options{NoKinds: true}, "3 nodes; 0-1 0-2"},
		{"duplicates and loops", "x.el", "1 1\n0 1\n0 1\n", files.Options{}, "2 nodes; 0-1 0-1 1-1"},
		{"options", "x.el", "1 1\n0 1 2\n0 1 4\n", files.Options{Build: graph.BuildOptions{Symmetric: true, Dedup: true, NoSelf: true}}, "2 nodes; 0-1/0x6 1-0/0x6"},
		{"many digits", "x.wel", "7 12345678 12345678\n8 123456789 4294967295\n1234567 1 99999999\n", files.Options{IDs: files.Sparse}, "6 nodes; 1-4*12345678 2-5*4294967295 3-0*99999999"},
		{"sparse", "x.el", "100 7\n7 100000000000\n", files.Options{}, "3 nodes; 0-2 1-0"},
		{"as they are", "x.el", "9 7\n", files.Options{IDs: files.Dense}, "10 nodes; 9-7"},
		{"empty", "x.el", "", files.Options{}, "0 nodes;"},
		{"only nodes", "x.el", "# Nodes: 3 Edges: 0\n", files.Options{}, "3 nodes;"},
		{"weights", "x.wel", "0 1 5\n0 2 7\n", files.Options{}, "3 nodes; 0-1*5 0-2*7"},
		{"scaled weights", "x.wel", "0 1 0.5\n0 2 3\n2 1 1.25e-1\n1 0 0.0\n", files.Options{Scale: 8}, "3 nodes; 0-1*4 0-2*24 1-0*0 2-1*1"},
		{"scaled weights of names", "x.nel", "a\tb\t-\t0.004\nb\tc\n", files.Options{Scale: 1000}, "3 nodes; 0-1*4 1-2*1000"},
		{"no weights", "x.wel", "0 1 0.5\n0 2 -7\n", files.Options{NoWeights: true}, "3 nodes; 0-1 0-2"},
		{"pattern", "x.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 2\n3 3\n", files.Options{}, "3 nodes; 0-1 2-2"},
		{"symmetric", "x", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 1D9\n", files.Options{NoWeights: true}, "3 nodes; 0-1 1-0 2-2"},
		{"signs", "x", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -7\n", files.Options{NoWeights: true}, "2 nodes; 0-1 1-0"},
		{"whole values in real notation", "x", "%%MatrixMarket matrix coordinate real general\n6 6 6\n1 2 1.0\n2 3 7.\n3 4 2.5E+1\n4 5 40D-1\n5 6 +.3e1\n6 1 4294967295.000\n", files.Options{}, "6 nodes; 0-1*1 1-2*7 2-3*25 3-4*4 4-5*3 5-0*4294967295"},
		{"zeros", "x.wel", "0 1 0.000\n1 2 -0\n2 3 0e99999999999999999999\n3 0 1e0\n", files.Options{}, "4 nodes; 0-1*0 1-2*0 2-3*0 3-0*1"},
		{"the largest id", "x.el", "7 18446744073709551615\n18446744073709551614 7\n", files.Options{}, "3 nodes; 0-2 1-0"},
		{"the largest id of a weighted list", "x.wel", "18446744073709551615 0 2\n", files.Options{}, "2 nodes; 1-0*2"},
		{"ids below the number of nodes", "x.el", "# Nodes: 100 Edges: 1\n98 99\n", files.Options{}, "100 nodes; 98-99"},
		{"ids beyond the number of nodes", "x.el", "# Nodes: 2 Edges: 1\n98 99\n", files.Options{}, "2 nodes; 0-1"},
		{"dimacs with tabs", "x.gr", "c\np\tsp  3 1\r\na\t1\t2\t3.0\r\n", files.Options{}, "3 nodes; 0-1*3"},
		{"dimacs", "x.gr", "c roads\np sp 3 2\na 1 2 803\nc\na 3 1 158\n", files.Options{}, "3 nodes; 0-1*803 2-0*158"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g, _, err := read(t, c.name, c.content, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(g); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if _, err := graph.New(t.Context(), g.Offsets(), g.Targets(), g.Masks()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBrokenFiles: each file of the corpus is refused, at a line and in words that are written down here.
func TestBrokenFiles(t *testing.T) {
	const mtx = "%%MatrixMarket matrix coordinate "
	for _, c := range []struct{ name, content, want string }{
		{"x.el", "0 1\n0\n", "x.el:2:2: the line ends: a number, the arc target"},
		{"x.el", "0 1\n\nzero 1\n", `x.el:3:1: arc source "zero": a number, from 0`},
		{"x.el", "0 -1\n", `x.el:1:3: arc target "-1": ids are not negative`},
		{"x.el", "0 1.5\n", `x.el:1:3: arc target "1.5": a number, from 0`},
		{"x.el", "0 18446744073709551616\n", `x.el:1:3: arc target "18446744073709551616": at most 18446744073709551615`},
		{"x.el", "0 1 2 3\n", `x.el:1:7: "3": the end of the line`},
		{"x.el", "0 1 0\n", `x.el:1:5: kinds "0": a mask from 1 to 0xffffffff; --arc-kinds all takes the column as something else`},
		{"x.el", "0 1 4294967296\n", `x.el:1:5: kinds "4294967296": a mask from 1 to 0xffffffff; --arc-kinds all takes the column as something else`},
		{"x.el", "# Nodes: 99999999999 Edges: 0\n", "x.el: 99,999,999,999 nodes in 30 bytes: at most 16,777,336 in a file of that length; --ids sparse numbers nodes anew where ids are names"},
		{"x.wel", "0 1 7\n0 1\n", "x.wel:2:4: the line ends: a weight; --format el reads lists without"},
		{"x.wel", "0 1 4294967296\n", `x.wel:1:5: weight "4294967296": a whole number from 0 to 4294967295; --no-weights leaves weights out`},
		{"x.mtx", mtx + "pattern general\n", "x.mtx:2: the file ends: rows, columns and entries"},
		{"x.mtx", mtx + "pattern general\n%\n3 3\n", `x.mtx:3: "3 3": rows, columns and entries`},
		{"x.mtx", mtx + "pattern general\n3 4 1\n1 1\n", "x.mtx:2: 3 rows and 4 columns: as many of both: the matrix of a graph is square"},
		{"x.mtx", mtx + "pattern general\n3 3 2\n1 1\n", "x.mtx:2: 2 entries promised, 1 found"},
		{"x.mtx", mtx + "pattern general\n3 3 5000\n1 1\n1 2\n", "x.mtx:2: 5,000 entries promised, 2 found"},
		{"x.mtx", mtx + "pattern general\n3 3 1\n1 4\n", "x.mtx:3:3: column 4: there are 3 nodes"},
		{"x.mtx", mtx + "pattern general\n3 3 1\n0 1\n", "x.mtx:3:1: row 0: ids start at 1"},
		{"x.mtx", mtx + "pattern general\n3 3 1\n1 1 7\n", `x.mtx:3:5: "7": the end of the line`},
		{"x.mtx", mtx + "integer general\n3 3 1\n1 1 -7\n", `x.mtx:3:5: weight "-7": a whole number from 0 to 4294967295; --no-weights leaves weights out`},
		{"x.mtx", "%%MatrixMarket matrix array real general\n", `x.mtx:1: "array": coordinate; a dense array is no graph`},
		{"x.mtx", mtx + "complex general\n", `x.mtx:1: "complex": pattern, real or integer; no weight is complex`},
		{"x.mtx", mtx + "real hermitian\n", `x.mtx:1: "hermitian": general, symmetric or skew-symmetric`},
		{"x.mtx", mtx + "pattern general\n4294967295 4294967295 0\n", "x.mtx:2: 4294967295 rows: at most 4294967294 nodes have ids"},
		{"x.mtx", mtx + "pattern general\n4294967294 4294967294 0\n", "x.mtx: 4,294,967,294 nodes in 73 bytes: at most"},
		{"x.gr", "c nothing\n", "x.gr:2: the file ends: p sp NODES ARCS"},
		{"x.gr", "p sp 3\n", `x.gr:1: "p sp 3": p sp NODES ARCS before the first arc`},
		{"x.gr", "p edge 3 1\n", `x.gr:1: "p edge 3 1": p sp NODES ARCS before the first arc`},
		{"x.gr", "p sp 3 1\na 1 2 3\na 2 3 4\n", "x.gr:1: 1 entries promised, 2 found"},
		{"x.gr", "p sp 3 1\ne 1 2\n", `x.gr:2:1: "e": lines start with a or c`},
		{"x.gr", "p sp 3 1\na 1 0 3\n", "x.gr:2:5: arc target 0: ids start at 1"},
		{"x.gr", "p sp 3 1\na 1 2\n", "x.gr:2:6: the line ends: a weight"},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1 2.5\n", `x.mtx:3:5: weight "2.5": a whole number from 0 to 4294967295; nothing is rounded or scaled; --no-weights leaves weights out`},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1 4294967295.0000000001\n", `x.mtx:3:5: weight "4294967295.0000000001": a whole number`},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1 1e-300\n", `x.mtx:3:5: weight "1e-300": a whole number`},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1 1e300\n", `x.mtx:3:5: weight "1e300": a whole number`},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1 nan\n", `x.mtx:3:5: weight "nan": a whole number`},
		{"x.mtx", mtx + "real general\n3 3 1\n1 1\n", "x.mtx:3:4: the line ends: a value, since the file is of real"},
		{"x.mtx", mtx + "integer skew-symmetric\n2 2 1\n2 1 2\n", "x.mtx:1: skew-symmetric: general or symmetric: of each two arcs one would have a weight below 0; --no-weights leaves weights out"},
		{"x.mtx", mtx + "pattern general\n18446744073709551615 1 1\n", `x.mtx:2: "18446744073709551615 1 1": rows, columns and entries: "18446744073709551615", at most 9223372036854775807`},
		{"x.mtx", mtx + "pattern general\n3 3 1\n1 18446744073709551615\n", "x.mtx:3:3: column 18446744073709551615: there are 3 nodes"},
		{"x.mtx", mtx + "pattern general\n0 0 1\n1 18446744073709551615\n", "x.mtx:3:1: row 1: there are 0 nodes"},
		{"x.gr", "p sp 18446744073709551615 1\n", `x.gr:1: "p sp 18446744073709551615 1": p sp NODES ARCS: "18446744073709551615", at most 9223372036854775807`},
		{"x.gr", "p sp 3 1\na 18446744073709551615 1 1\n", "x.gr:2:3: arc source 18446744073709551615: there are 3 nodes"},
		{"x.wel", "0 1 0.5\n", `x.wel:1:5: weight "0.5": a whole number from 0`},
		{"x.wel", "0 18446744073709551616 1\n", `x.wel:1:3: arc target "18446744073709551616": at most 18446744073709551615`},
		{"x.sg", "\x01", "x.sg: the file ends after 1 bytes: a header of 17 bytes"},
		{"x.sg", "\x02" + strings.Repeat("\x00", 16), "x.sg: byte 2 at 0: 0 or 1, for directed"},
		{"x.sg", "\x00" + strings.Repeat("\xff", 16), "x.sg: -1 arcs at 1: from 0 to 1099511627776"},
		{"x.sg", "\x00" + "\x01\x00\x00\x00\x01\x00\x00\x00" + "\x01" + strings.Repeat("\x00", 15) + "\x01\x00\x00\x00\x01\x00\x00\x00", "x.sg: 4294967297 arcs of row 0 at 25: at most 4294967295"},
		{"x.sg", "\x00\x01" + strings.Repeat("\x00", 7) + "\x01" + strings.Repeat("\x00", 7), "x.sg: the file ends after 17 bytes: 16 bytes of offsets, of which 0 are there"},
		{"x.vyg", "VYREGRF1", "x.vyg: the file has 8 bytes: the header alone has 128"},
		{"x.metis", "3 2\n", "x.metis: METIS graphs are not read; write it as a list of arcs (.el), a pair of numbers a line"},
		{"x.graphml", "<graphml>", "x.graphml: GraphML is not read"},
		{"x.foo", "hello", "x.foo: neither its first bytes nor its name say what it is; --format does: el, wel, nel, mtx, sg, wsg, gr, vyg"},
		{"x.csv", "0,1\n", "x.csv: csv is written, and not read; --format el reads a list of numbers with commas between, wel one with weights"},
		{"x.dot", "digraph {}", "x.dot: dot is written, and not read; there are el, "},
		{"x.el", "\x28\xb5\x2f\xfd....", "x.el: zstd: reserved bit set on frame header"},
		{"x.el", "PK\x03\x04....", "x.el: it is a zip archive, which is not read"},
		{"x.el", "\x1f\x8bjunk and more junk", "x.el: gzip: invalid header"},
		{"x.el", "\x1f\x8b\x08", "x.el: the file ends after 3 bytes, within what gzip has compressed: the rest of it"},
		{"x.el", "BZh9junk", "x.el: the file ends after 8 bytes, within what bzip2 has compressed: the rest of it"},
		{"x.el", "0 1\n" + strings.Repeat("7", 70<<10) + " 1\n", "x.el:2:1: a line of 71682 bytes: at most 65536"},
		{"x.el", "0 1\n" + strings.Repeat("7", 3<<20) + " 1\n", "x.el: a line of more than 65536 bytes: no graph has such"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, err := read(t, c.name, c.content, files.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("got  %v, %v\nwant %s", g, err, c.want)
			}
		})
	}
}

// TestWeightsThatNoScaleMakesWhole are refused where they are.
func TestWeightsThatNoScaleMakesWhole(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"x.wel", "0 1 2\n0 2 0.125\n", `x.wel:2:5: weight "0.125": a number that is whole and at most 4294967295 if multiplied by 10`},
		{"x.wel", "0 1 -0.5\n", `x.wel:1:5: weight "-0.5": a number`},
		{"x.wel", "0 1 429496729.6\n", `x.wel:1:5: weight "429496729.6": a number`},
		{"x.wel", "0 1 1e9999999999\n", `x.wel:1:5: weight "1e9999999999": a number`},
		{"x.wel", "0 1 1e-99\n", `x.wel:1:5: weight "1e-99": a number`},
		{"x.wel", "0 1 0." + strings.Repeat("3", 9999) + "\n", `x.wel:1:5: weight "0.333`},
		{"x.wel", "0 1 inf\n", `x.wel:1:5: weight "inf": a number`},
		{"x.nel", "a\tb\t-\t0.25\n", `x.nel:1:7: weight "0.25": a number`},
		{"x.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.11\n", `x.mtx:3:5: weight "0.11": a number`},
		{"x.gr", "p sp 3 1\na 1 2 0.11\n", `x.gr:2:7: weight "0.11": a number`},
		{"x.wsg", "", `x.wsg: a scale of 10 for wsg, whose weights are whole: no scale`},
	} {
		if _, _, err := read(t, c.name, c.content, files.Options{Scale: 10}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestFirstErrorOfTheFile is reported, whichever worker finds one first; with KeepGoing up to a hundred are.
func TestFirstErrorOfTheFile(t *testing.T) {
	var b strings.Builder
	for i := range 600_000 {
		switch {
		case i > 400_000 && i%1000 == 0:
			b.WriteString("0 bad\n")
		default:
			fmt.Fprintf(&b, "%d %d\n", i, i/2)
		}
	}
	_, _, err := read(t, "x.el", b.String(), files.Options{Workers: 4})
	var parse *graph.ParseError
	if !errors.As(err, &parse) || parse.Line != 401_001 || parse.Column != 3 || !strings.HasPrefix(b.String()[parse.Offset:], "bad\n") {
		t.Errorf("got %v (%+v), want line 401001", err, parse)
	}
	_, _, err = read(t, "x.el", b.String(), files.Options{Workers: 4, KeepGoing: true})
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 100 || !strings.HasPrefix(lines[99], "x.el:500001:3: ") {
		t.Errorf("%d errors, the last is %s", len(lines), lines[len(lines)-1])
	}
}
