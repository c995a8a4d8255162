package device_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/testing/egraphs"
)

// TestColumnsThatLieAreRefused says the column, the row and the value.
func TestColumnsThatLieAreRefused(t *testing.T) {
	for _, v := range []struct {
		change func(c *egraph.Columns, pending *[][2]egraph.Class)
		want   string
	}{
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Head = c.Head[1:] }, "columns class, head, first and len have 64, 63, 64 and 64 rows"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Class[3] = 64 }, "column class: row 3 is in class 64 of 64"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Head[60] = 1 << 31 }, "column head: row 60 has head 2147483648"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Len[60] = 1<<32 - 1 }, "column first: row 60 has children"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.First[60] = 1<<32 - 1 }, "column first: row 60 has children 4294967295"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Kids[5] = 1 << 30 }, "is class 1073741824 of 64"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Parent[5] = 6 }, "column parent: class 5 leads to 6"},
		{func(c *egraph.Columns, _ *[][2]egraph.Class) { c.Parent = c.Parent[:63] }, "63 classes"},
		{func(_ *egraph.Columns, p *[][2]egraph.Class) { *p = append(*p, [2]egraph.Class{0, 99}) }, "pending union 0 is of class 99 of 64"},
	} {
		_, err := device.BuildChanged(egraphs.Mixed(64), v.change)
		if !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%v, want %q", err, v.want)
		}
	}
}

// TestAnImageOfAClosedGraphHasItsRoots numbers the roots anew.
func TestAnImageOfAClosedGraphHasItsRoots(t *testing.T) {
	g := egraphs.Mixed(1_000)
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	im, err := device.Build(g)
	if err != nil {
		t.Fatal(err)
	}
	if im.Classes() != g.Classes() || im.Rows() != 1_000 {
		t.Errorf("%d classes, %d rows", im.Classes(), im.Rows())
	}
	for c := range egraph.Class(1_000) {
		a, _ := im.Class(c)
		b, ok := im.Class(g.Find(c))
		if a != b || !ok {
			t.Fatalf("class %d is %d, its root %d", c, a, b)
		}
	}
	if _, ok := im.Class(1_000); ok {
		t.Error("there is a class 1000")
	}
	s := opened(t, open(t, "cpu"), im, device.Tuning{})
	if r := canonicalise(t, s, nil, device.Options{}); r.Rounds != 1 || r.Live != g.Rows() || r.Classes != g.Classes() {
		t.Errorf("%+v of a closed graph", r)
	}
}

// FuzzBuild overwrites words of the columns: an image or an error, and an image can be closed.
//
//ci:inputs 20000
func FuzzBuild(f *testing.F) {
	f.Add([]byte{1, 0, 3, 0, 0, 0, 0, 0})
	f.Add([]byte{3, 0, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, script []byte) {
		_, err := device.BuildChanged(draw(1, 12), func(c *egraph.Columns, pending *[][2]egraph.Class) {
			*pending = append(*pending, [2]egraph.Class{})
			for ; len(script) >= 8; script = script[8:] {
				at, v := int(script[1]), binary.LittleEndian.Uint32(script[2:])
				switch script[0] % 7 {
				case 0:
					put(c.Class, at, egraph.Class(v))
				case 1:
					put(c.Head, at, egraph.Head(v))
				case 2:
					put(c.First, at, v)
				case 3:
					put(c.Len, at, v)
				case 4:
					put(c.Kids, at, egraph.Class(v))
				case 5:
					put(c.Parent, at, egraph.Class(v))
				case 6:
					(*pending)[0][at%2] = egraph.Class(v)
				}
			}
		})
		if err != nil && !errors.Is(err, driver.InvalidArgument) {
			t.Error(err)
		}
	})
}

func put[T any](column []T, at int, v T) {
	if len(column) > 0 {
		column[at%len(column)] = v
	}
}
