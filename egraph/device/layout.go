package device

import (
	"fmt"
	"math/bits"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/closure"
)

// column is one of the columns of an image.
type column int

// The columns, in their order in memory. What is uploaded, and what is read, lies together.
const (
	staged     column = iota // of a run: its head, and pairs of classes
	class                    // of each row
	rows                     // heads and children, four words a row
	more                     // children of rows with more than three
	groupClass               // roots that have rows, ascending
	groupFirst               // of each, and the number of rows at the end
	groupRow                 // rows by class, ascending
	header
	live   // a bit a row: it is the smallest of its key
	parent // the root of each class
	slots  // the table, two words each
	at     // slot of each row
	work   // rows of a round
	sums   // counts of digits, or of groups, by tile
	totals // of digits
	columns
)

// align is where columns begin, in words: a multiple of 256 bytes.
const align = 64

// room is how many pairs of classes there is memory for without a larger list.
const room = 1024

// maxRows bounds the rows: the table has fewer than 2³¹ slots then.
const maxRows = 1 << 29

// layout is where columns are, in words.
type layout struct {
	n, classes uint32
	at, len    [columns]int64
	words      int64
}

// lay lays columns out. slots is a power of two, or 0 for the least with two for each row.
func lay(n, more_, classes, groups, pairs, table uint64) *layout {
	l := &layout{n: uint32(n), classes: uint32(classes)}
	if table == 0 {
		table = max(64, uint64(1)<<bits.Len64(max(2*n, 1)-1))
	}
	l.len = [columns]int64{
		staged: closure.StagedHead + 2*int64(max(pairs, room)),
		class:  int64(n), rows: 4 * int64(n), more: int64(more_),
		groupClass: int64(groups), groupFirst: int64(groups) + 1, groupRow: int64(n),
		header: closure.HeaderWords, live: int64(n+31) / 32, parent: int64(classes),
		slots: 2 * int64(table), at: int64(n), work: int64(n),
		sums: 256 * int64(tiles(uint32(n))), totals: 256,
	}
	for c := range columns {
		l.len[c] = max(l.len[c], 1)
		l.at[c] = l.words
		l.words += (l.len[c] + align - 1) / align * align
	}
	if n == 0 { // a row of nothing, for the type of the column
		l.len[rows] = 4
	}
	return l
}

// tiles is how many tiles the rows have.
func tiles(n uint32) uint32 { return max(1, (n+closure.Tile-1)/closure.Tile) }

// bytes is the size in memory.
func (l *layout) bytes() int64 { return 4 * l.words }

// of is the range of a column in a buffer.
func (l *layout) of(b driver.Buffer, c column) driver.Range {
	return driver.Part(b, 4*l.at[c], 4*l.len[c])
}

// from is the range from a column to the end of another.
func (l *layout) from(b driver.Buffer, first, last column) driver.Range {
	return driver.Part(b, 4*l.at[first], 4*(l.at[last]+l.len[last]-l.at[first]))
}

// Bytes is how much memory on a device an image takes, in bytes: of so many rows, children of rows that have more than
// three, classes, and classes with rows. An image with more than 1,024 pending unions takes 8 bytes more for each of
// the others.
func Bytes(n, m, c, g uint64) uint64 { return uint64(lay(n, m, c, g, 0, 0).bytes()) }

// refused is an image or a request that cannot be.
func refused(op, format string, args ...any) error {
	return &driver.Error{Op: op, Label: label, Kind: driver.InvalidArgument, Msg: fmt.Sprintf(format, args...)}
}

const label = "e-graph"
