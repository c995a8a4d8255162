package columns

import (
	"encoding/binary"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
)

// The required sections, from the first to the last. Together they make the program, and the digest is
// taken over them.
const (
	Head   = 1
	Params = 2
	Arrays = 3
	Op     = 4
	Type   = 5
	Flags  = 6
	Region = 7
	A      = 8
	B      = 9
	C      = 10
	X      = 11
	Args   = 12
	Extra  = 13
	Pool   = 14
	Last   = 15
)

// Sizes of what is not a column.
const (
	ParamBytes = 16 // of an entry of sections params and arrays
	HeadBytes  = 9 * 4
)

// Kinds of entries in sections params and arrays.
const (
	KindBuffer = 1
	KindScalar = 2
	KindShared = 3
	KindLocal  = 4
	KindRecord = 5
	KindTable  = 6
)

// arrayKinds are the kinds of entries of section arrays.
var arrayKinds = map[ir.Kinds]byte{ir.OnShared: KindShared, ir.OnLocal: KindLocal, ir.OnTable: KindTable}

// counts says how many entries each section has.
type counts struct {
	params, arrays, Rows, extra, Pool, Regions int
}

func Count(c *ir.Code) counts {
	return counts{len(c.Params), len(c.Arrays), c.Rows(), len(c.Extra), len(c.Pool), len(c.Regions)}
}

// Size returns how many bytes a required section has.
func (n counts) Size(id uint32) int {
	switch id {
	case Head:
		return HeadBytes
	case Params:
		return n.params * ParamBytes
	case Arrays:
		return n.arrays * ParamBytes
	case Op:
		return n.Rows * 2
	case Type:
		return n.Rows
	case Extra:
		return n.extra * 4
	case Pool:
		return n.Pool * 8
	case Last:
		return n.Regions * 12
	}
	return n.Rows * 4
}

// Exceeded returns the first limit that the counts exceed.
func (n counts) Exceeded() (what string, has, most int) {
	for _, l := range []struct {
		what      string
		has, most int
	}{
		{"parameters", n.params, limits.Params},
		{"arrays", n.arrays, limits.Arrays},
		{"rows", n.Rows, limits.Rows},
		{"extra operands", n.extra, limits.Extra},
		{"pool entries", n.Pool, limits.Pool},
		{"regions", n.Regions, limits.Regions},
	} {
		if l.has > l.most {
			return l.what, l.has, l.most
		}
	}
	return "", 0, 0
}

// Append writes a required section. b must have room for it.
func Append(b []byte, c *ir.Code, id uint32) []byte {
	switch id {
	case Head:
		n := Count(c)
		for _, v := range c.Workgroup {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		for _, v := range []int{n.params, n.arrays, n.Rows, n.extra, n.Pool, n.Regions} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return b
	case Params:
		for i := range c.Params {
			q := &c.Params[i]
			if q.Record != nil {
				b = append(b, KindRecord, 0, byte(q.Access), q.Align, 0, 0, 0, 0)
			} else if q.IsBuffer() {
				b = append(b, KindBuffer, byte(q.Type), byte(q.Access), q.Align, 0, 0, 0, 0)
			} else {
				b = append(b, KindScalar, byte(q.Type), 0, q.Align, 0, 0, 0, 0)
			}
			b = binary.LittleEndian.AppendUint64(b, q.MaxLen)
		}
		return b
	case Arrays:
		for i := range c.Arrays {
			a := &c.Arrays[i]
			b = append(b, arrayKinds[a.Kind()], byte(a.Type), 0, 0, 0, 0, 0, 0)
			b = binary.LittleEndian.AppendUint64(b, a.Len)
		}
		return b
	case Op:
		for _, op := range c.Op {
			b = binary.LittleEndian.AppendUint16(b, uint16(op))
		}
		return b
	case Type:
		for _, t := range c.Type {
			b = append(b, byte(t))
		}
		return b
	case Flags:
		return AppendWords(b, c.Flags)
	case Region:
		return AppendWords(b, c.Region)
	case A:
		return AppendWords(b, c.A)
	case B:
		return AppendWords(b, c.B)
	case C:
		return AppendWords(b, c.C)
	case X:
		return AppendWords(b, c.X)
	case Args:
		return AppendWords(b, c.Args)
	case Extra:
		return AppendWords(b, c.Extra)
	case Pool:
		for _, v := range c.Pool {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	for _, g := range c.Regions {
		b = binary.LittleEndian.AppendUint32(b, uint32(g.Op))
		b = binary.LittleEndian.AppendUint32(b, uint32(g.First))
		b = binary.LittleEndian.AppendUint32(b, uint32(g.End))
	}
	return b
}

// AppendWords writes a column of 32-bit entries.
func AppendWords[T ~uint32](b []byte, s []T) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// ReadCounts reads the counts from section head.
func ReadCounts(head []byte) counts {
	count := func(i int) int { return int(binary.LittleEndian.Uint32(head[4*i:])) }
	return counts{count(3), count(4), count(5), count(6), count(7), count(8)}
}
