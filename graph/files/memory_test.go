package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph/files"
)

// cycle is a text again and again.
type cycle struct {
	text string
	at   int
}

func (c *cycle) Read(b []byte) (n int, err error) {
	for n < len(b) {
		k := copy(b[n:], c.text[c.at:])
		n, c.at = n+k, (c.at+k)%len(c.text)
	}
	return n, nil
}

// TestMemoryIsWhatWasReadAndLimited stands for streams that never end, and headers that promise what does not come, in every
// format and compressed: each is refused, before more was allocated in all than a small multiple of the limit.
func TestMemoryIsWhatWasReadAndLimited(t *testing.T) {
	const limit = 12 << 20
	le := binary.LittleEndian
	gap := func(arcs, nodes uint64) string {
		return "\x00" + string(le.AppendUint64(le.AppendUint64(nil, arcs), nodes))
	}
	packed := func(text string, times int) io.Reader {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for range times {
			io.WriteString(z, text)
		}
		z.Close()
		return &b
	}
	endless := func(first, unit string) io.Reader {
		return io.MultiReader(strings.NewReader(first), &cycle{text: strings.Repeat(unit, 4096)})
	}
	const mtx = "%%MatrixMarket matrix coordinate "
	for _, c := range []struct {
		name, file, want string
		r                io.Reader
	}{
		{"list", "x.el", "--max-memory raises it", endless("", "1 1\n")},
		{"kinds", "x.el", "--max-memory raises it", endless("", "1 1 7\n")},
		{"large ids", "x.el", "--max-memory raises it", endless("", "1 18446744073709551615\n")},
		{"weights", "x.wel", "--max-memory raises it", endless("", "1 1 9\n")},
		{"matrix", "x.mtx", "--max-memory raises it", endless(mtx+"real general\n9 9 99999999999\n", "1 1 9.0\n")},
		{"roads", "x.gr", "--max-memory raises it", endless("p sp 9 99999999999\n", "a 1 1 9\n")},
		{"rows", "x.sg", "--max-memory raises it", endless(gap(1<<39, 1<<31), "\x00\x00\x00\x00\x00\x00\x00\x00")},
		{"arcs of one row", "x.wsg", "--max-memory raises it", endless(gap(1<<31, 1)+strings.Repeat("\x00", 8)+"\x00\x00\x00\x80\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00")},
		{"a promise of rows", "x.sg", "the file ends after 17 bytes", strings.NewReader(gap(1<<39, 1<<31))},
		{"a promise of entries", "x.mtx", "99,999,999,999 entries promised, 1 found", strings.NewReader(mtx + "pattern general\n9 9 99999999999\n1 1\n")},
		{"a line", "x.el", "a line of more than 65536 bytes", endless("0 1\n", "7")},
		{"nothing", "x.vyg", `it starts with "\x00`, endless("", "\x00")},
		{"nothing, packed", "x.vyg", `it starts with "\x00`, packed(strings.Repeat("\x00", 1<<20), 8)},
		{"a list, packed", "x.el", "--max-memory raises it", packed(strings.Repeat("1 7777 1\n2 8 13\n", 1<<14), 40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := files.Read(t.Context(), c.r, c.file, files.Options{MaxMemory: limit, Workers: 8, Format: files.FormatOf(c.file)})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			// Lists that grow are counted each time, hence more than what is held at once.
			if took := after.TotalAlloc - before.TotalAlloc; took > 3*limit+16<<20 {
				t.Errorf("%d bytes were allocated, the limit is %d", took, limit)
			}
		})
	}
}

// TestWhatFitsIsRead under a limit that is close: what is counted is not much more than what is held.
func TestWhatFitsIsRead(t *testing.T) {
	for name, format := range map[string]files.Format{"road:300x300": files.Edges, "skew:65536": files.Vyre, "uniform:13": files.GAP} {
		g := generated(t, name)
		var b bytes.Buffer
		if _, err := files.Write(context.Background(), &b, g, format); err != nil {
			t.Fatal(err)
		}
		limit := 3*g.Bytes() + 16<<20
		back, _, err := files.Read(t.Context(), &b, "x", files.Options{Format: format, MaxMemory: limit})
		if err != nil || back.Arcs() != g.Arcs() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
