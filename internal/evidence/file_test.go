package evidence_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/evidence"
)

// line is a row of a file by its fields.
type line map[string]string

// good returns a row that passes: so many repetitions of so many rounds, at 100 and 125 times and so on.
func good(sample, repetitions int, naive, resident int64) line {
	const rounds = 7
	n := func(v int) string { return fmt.Sprint(v) }
	return line{
		"schema": "1", "run": "a", "sample": n(sample), "device": "cuda:0 H200", "sm": "90", "memory_bytes": "150754820096",
		"driver": "13.0", "graph": "road:1024x1024", "graph_digest": strings.Repeat("0123456789abcdef", 4),
		"nodes": "1048576", "edges": "2515338", "seeds": "1", "rounds": n(rounds), "repetitions": n(repetitions),
		"naive_ns": fmt.Sprint(naive), "strong_ns": fmt.Sprint(resident * 8), "best_other": "while k=4", "best_other_ns": fmt.Sprint(resident * 2),
		"resident_ns": fmt.Sprint(resident), "resident_device_ns": fmt.Sprint(resident / 2), "setup_ns": "0",
		"naive_allocs": n(3 * repetitions), "naive_uploads": n(repetitions * (1 + rounds)), "naive_waits": n(repetitions * (rounds + 1)),
		"strong_waits": n(repetitions * rounds), "resident_launches": n(repetitions),
		"resident_uploads": "0", "resident_allocs": "0", "resident_heap_allocs": "0", "resident_waits": "0", "resident_fallbacks": "0",
		"digest": strings.Repeat("89abcdef", 4), "digest_mismatches": "0",
	}
}

// pair is the two samples that every test starts from.
func pair() []line { return []line{good(1, 64, 1_000_000, 10_000), good(2, 128, 2_500_000, 20_000)} }

// file is the text of rows.
func file(rows ...line) string {
	var b strings.Builder
	b.WriteString(evidence.Header + "\n")
	for _, r := range rows {
		for i, f := range strings.Split(evidence.Header, ",") {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(r[f])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// reasons are those that a text is rejected for.
func reasons(t *testing.T, err error) evidence.Rejections {
	t.Helper()
	var r evidence.Rejections
	if err != nil && !errors.As(err, &r) {
		t.Fatalf("an error that is no rejection: %v", err)
	}
	return r
}

// expect checks that one of the reasons is as wanted.
func expect(t *testing.T, err error, want evidence.Error) {
	t.Helper()
	all := reasons(t, err)
	for _, e := range all {
		if e.Code == want.Code && e.Line == want.Line && e.Field == want.Field && strings.Contains(e.Text, want.Text) {
			return
		}
	}
	t.Errorf("rejected for\n%v\nwant %s, line %d, field %q: %s", all, want.Code, want.Line, want.Field, want.Text)
}

func TestHeader(t *testing.T) {
	const want = "schema,run,sample,device,sm,memory_bytes,driver,graph,graph_digest,nodes,edges,seeds,rounds,repetitions," +
		"naive_ns,strong_ns,best_other,best_other_ns,resident_ns,resident_device_ns,setup_ns," +
		"naive_allocs,naive_uploads,naive_waits,strong_waits,resident_launches,resident_uploads,resident_allocs," +
		"resident_heap_allocs,resident_waits,resident_fallbacks,digest,digest_mismatches"
	if evidence.Header != want {
		t.Errorf("\n got %s\nwant %s", evidence.Header, want)
	}
}

func TestWriteReadsBack(t *testing.T) {
	text := file(pair()...)
	rows, err := evidence.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := evidence.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	if b.String() != text {
		t.Errorf("\n got %s\nwant %s", b.String(), text)
	}
	for name, want := range pair()[1] {
		if got := rows[1].Field(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := rows[0].Field("speed"); got != "" {
		t.Errorf("a field that is not there is %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	whole, rows := file(pair()...), strings.Split(file(pair()...), "\n")
	long := file(pair()...) + strings.Repeat("x", 9000) + "\n" + rows[1] + "\n"
	for _, c := range []struct {
		name, text string
		want       evidence.Error
	}{
		{"nothing", "", evidence.Error{Code: evidence.Empty, Text: "the file is empty"}},
		{"no row", evidence.Header + "\n", evidence.Error{Code: evidence.Empty, Text: "a header and no row"}},
		{"no header", rows[1] + "\n", evidence.Error{Code: evidence.BadHeader, Line: 1, Field: "schema", Text: `field 1 is "1", want "schema"`}},
		{"fields swapped", strings.Replace(whole, "nodes,edges", "edges,nodes", 1), evidence.Error{Code: evidence.BadHeader, Line: 1, Field: "nodes", Text: `field 10 is "edges"`}},
		{"header short", "schema,run\n", evidence.Error{Code: evidence.BadHeader, Line: 1, Text: "2 fields, want 33"}},
		{"header long", strings.Replace(whole, "_mismatches\n", "_mismatches,x\n", 1), evidence.Error{Code: evidence.BadHeader, Line: 1, Text: "34 fields, want 33"}},
		{"other ends of lines", strings.ReplaceAll(whole, "\n", "\r\n"), evidence.Error{Code: evidence.BadHeader, Line: 1, Field: "digest_mismatches", Text: `"digest_mismatches\r"`}},
		{"fields missing", rows[0] + "\n" + rows[1] + "\n1,2,3\n", evidence.Error{Code: evidence.BadRow, Line: 3, Text: "3 fields, want 33"}},
		{"field too many", rows[0] + "\n" + rows[1] + ",\n", evidence.Error{Code: evidence.BadRow, Line: 2, Text: "34 fields, want 33"}},
		{"empty line", whole + "\n", evidence.Error{Code: evidence.BadRow, Line: 4, Text: "1 fields, want 33"}},
		{"cut off", whole[:len(whole)-1], evidence.Error{Code: evidence.BadRow, Line: 3, Text: "cut off"}},
		{"header cut off", evidence.Header, evidence.Error{Code: evidence.BadRow, Line: 1, Text: "cut off"}},
		{"line too long", long, evidence.Error{Code: evidence.BadRow, Line: 4, Text: "a line of 8192 bytes and more"}},
		{"too many rows", rows[0] + "\n" + strings.Repeat(rows[1]+"\n", 10001), evidence.Error{Code: evidence.BadRow, Line: 10002, Text: "more than 10000 rows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := evidence.Read(strings.NewReader(c.text))
			expect(t, err, c.want)
			if proof, err := (evidence.Gate{}).Check(strings.NewReader(c.text)); err == nil || proof != nil {
				t.Errorf("the gate finds %v, %v", proof, err)
			}
		})
	}
}

func TestReadRefusesValues(t *testing.T) {
	for _, c := range []struct{ field, text string }{
		{"naive_ns", "NaN"}, {"naive_ns", "inf"}, {"naive_ns", "-1"}, {"naive_ns", "+1"}, {"naive_ns", "1e6"}, {"naive_ns", "1.5"},
		{"naive_ns", " 1"}, {"naive_ns", ""}, {"naive_ns", "0"}, {"strong_ns", "0"}, {"best_other_ns", "0"}, {"resident_ns", "0"},
		{"resident_device_ns", "0"}, {"setup_ns", "-0"}, {"nodes", "01048576"}, {"nodes", "1_048_576"}, {"edges", "18446744073709551616"},
		{"run", ""}, {"graph", `"road"`}, {"device", "a\tb"}, {"best_other", "\xff"}, {"driver", "13\x00"},
		{"graph_digest", strings.Repeat("0", 63)}, {"graph_digest", strings.Repeat("A", 64)}, {"digest", strings.Repeat("0", 64)},
		{"digest", strings.Repeat("-", 32)}, {"digest_mismatches", "none"},
	} {
		rows := pair()
		rows[1][c.field] = c.text
		_, err := evidence.Read(strings.NewReader(file(rows...)))
		expect(t, err, evidence.Error{Code: evidence.BadValue, Line: 3, Field: c.field, Text: fmt.Sprintf("%s is %.40q", c.field, c.text)})
	}
	for _, schema := range []string{"0", "2", "one", ""} {
		rows := pair()
		rows[0]["schema"] = schema
		_, err := evidence.Read(strings.NewReader(file(rows...)))
		expect(t, err, evidence.Error{Code: evidence.BadSchema, Line: 2, Field: "schema", Text: "want 1"})
	}
}

// Everything that is wrong is said at once.
func TestReadCollects(t *testing.T) {
	rows := pair()
	rows[0]["nodes"], rows[0]["naive_ns"], rows[1]["run"] = "x", "0", ""
	_, err := evidence.Read(strings.NewReader(file(rows...)))
	if got := reasons(t, err); len(got) != 3 {
		t.Errorf("%d reasons, want 3:\n%v", len(got), err)
	}
	var one *evidence.Error
	if !errors.As(err, &one) || one.Line != 2 || one.Field != "nodes" {
		t.Errorf("the first of them is %v", one)
	}
	_, err = evidence.Read(strings.NewReader(file(pair()...) + strings.Repeat("\n", 5000)))
	if got := reasons(t, err); len(got) != 100 {
		t.Errorf("%d reasons, want the first 100", len(got))
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestReadPassesErrorsOn(t *testing.T) {
	if _, err := (evidence.Gate{}).Check(brokenReader{}); err == nil || err.Error() != "the disk is gone" {
		t.Errorf("got %v", err)
	}
}

// endless repeats a text after a file's beginning, and counts what is taken of it.
type endless struct {
	rest, repeat string
	taken        int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.repeat
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	e.taken += n
	return n, nil
}

// A file that does not end is given up.
func TestReadIsBounded(t *testing.T) {
	row := strings.TrimPrefix(file(pair()[0]), evidence.Header+"\n")
	for _, c := range []struct {
		name, start, repeat string
		most                int
	}{
		{"a header without end", "", "schema,", 16 << 10},
		{"a row without end", evidence.Header + "\n", "1,", 24 << 10},
		{"empty lines", evidence.Header + "\n", "\n", 40 << 10},
		{"rows", evidence.Header + "\n", row, 10001*len(row) + 24<<10},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := &endless{rest: c.start, repeat: c.repeat}
			_, err := evidence.Read(in)
			if got := reasons(t, err); len(got) == 0 || len(got) > 100 {
				t.Errorf("%d reasons", len(got))
			}
			if in.taken > c.most {
				t.Errorf("read %d bytes, want at most %d", in.taken, c.most)
			}
		})
	}
}

//ci:inputs 75000
func FuzzRead(f *testing.F) {
	f.Add(file(pair()...))
	f.Add(evidence.Header + "\n1,2\n")
	f.Add(strings.ReplaceAll(file(pair()...), "0", "9"))
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := evidence.Read(strings.NewReader(text))
		if err != nil {
			if got := reasons(t, err); len(got) == 0 || len(got) > 100 {
				t.Fatalf("%d reasons", len(got))
			}
			return
		}
		var b strings.Builder
		if err := evidence.Write(&b, rows); err != nil || b.String() != text {
			t.Fatalf("read\n%q\nand wrote\n%q, %v", text, b.String(), err)
		}
		proof, err := evidence.Gate{}.Check(strings.NewReader(text))
		if proof == nil || proof.Lines != len(rows)+1 {
			t.Fatalf("no proof of %d rows: %v", len(rows), err)
		}
		reasons(t, err)
		if err := proof.Write(&b); err != nil {
			t.Fatal(err)
		}
	})
}
