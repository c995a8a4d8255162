// Package cases makes operands of matrix products that tell the rule of package matrix from others: vectors with known
// results, and numbers of many kinds, drawn. Tests that compare a device with the rule take them from here.
//
//	for _, v := range cases.Vectors() { … }           // v.A, v.B, v.C, v.Want
package cases

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/internal/matrix"
)

// Case is the operands of a product, as registers of 32 lanes.
type Case struct {
	A [32][4]uint32
	B [32][2]uint32
	C [32][4]uint32
}

// Width is how many bits an element of A and B has.
func Width(f matrix.Form) int {
	switch f {
	case matrix.F64:
		return 64
	case matrix.TF32:
		return 32
	case matrix.F16, matrix.F16F16, matrix.BF16:
		return 16
	case matrix.B1:
		return 1
	}
	return 8
}

// place is where element k of a row or column is: the lane, the word of the row, the bit.
func place(f matrix.Form, row, k int) (lane, word, bit int) {
	bit = k * Width(f)
	return row%8*4 + bit/32%4, bit / 128, bit % 32
}

// put sets bits of a register.
func put(r *uint32, shift, width int, v uint64) {
	mask := uint32(1<<width - 1)
	*r = *r&^(mask<<shift) | uint32(v)&mask<<shift
}

// SetA sets element k of a row of A.
func SetA(f matrix.Form, a *[32][4]uint32, row, k int, v uint64) {
	if f == matrix.F64 {
		a[row*4+k][0], a[row*4+k][1] = uint32(v), uint32(v>>32)
		return
	}
	lane, word, bit := place(f, row, k)
	put(&a[lane][row/8+word*2], bit, Width(f), v)
}

// A is element k of a row of A.
func A(f matrix.Form, a *[32][4]uint32, row, k int) uint64 {
	if f == matrix.F64 {
		return uint64(a[row*4+k][0]) | uint64(a[row*4+k][1])<<32
	}
	lane, word, bit := place(f, row, k)
	return uint64(a[lane][row/8+word*2]>>bit) & (1<<Width(f) - 1)
}

// SetB sets element k of a column of B.
func SetB(f matrix.Form, b *[32][2]uint32, column, k int, v uint64) {
	if f == matrix.F64 {
		b[column*4+k] = [2]uint32{uint32(v), uint32(v >> 32)}
		return
	}
	lane, word, bit := place(f, column, k)
	put(&b[lane][word], bit, Width(f), v)
}

// B is element k of a column of B.
func B(f matrix.Form, b *[32][2]uint32, column, k int) uint64 {
	if f == matrix.F64 {
		return uint64(b[column*4+k][0]) | uint64(b[column*4+k][1])<<32
	}
	lane, word, bit := place(f, column, k)
	return uint64(b[lane][word]>>bit) & (1<<Width(f) - 1)
}

// SetC sets an element of an accumulator.
func SetC(f matrix.Form, c *[32][4]uint32, row, column int, v uint64) {
	lane, i := row%8*4+column/2, row/8*2+column%2
	switch f {
	case matrix.F64:
		c[lane][2*i], c[lane][2*i+1] = uint32(v), uint32(v>>32)
	case matrix.F16F16:
		put(&c[lane][i/2], i%2*16, 16, v)
	default:
		c[lane][i] = uint32(v)
	}
}

// C is an element of an accumulator.
func C(f matrix.Form, c *[32][4]uint32, row, column int) uint64 {
	lane, i := row%8*4+column/2, row/8*2+column%2
	switch f {
	case matrix.F64:
		return uint64(c[lane][2*i]) | uint64(c[lane][2*i+1])<<32
	case matrix.F16F16:
		return uint64(c[lane][i/2]>>(i%2*16)) & 0xFFFF
	}
	return uint64(c[lane][i])
}

// Vector is a product whose result is known: all its rows are alike, and all its columns.
type Vector struct {
	Rule string // that it tells from another
	Form matrix.Form
	Case
	Want map[matrix.Generation]uint64 // each element of the result
}

// table has, for each vector, the rule, the form, c, products k:a·b, and the results in sm_90, sm_75 and sm_70; "=" is as
// in the column before, "-" that there is none.
const table = `
F f16 0 0:3c00·3c00;1-4:0c00·0800 3f800001 3f800000 =
chunk f16 0 0:3c00·3c00;1:0c00·0c00;8:bc00·3c00 33800000 0 =
late f16 3f800000 0-15:0800·0800 3f800000 = =
trunc f16 3f800000 0:8a00·0800 3f800000 = =
out f16 bf800000 0:8c00·0c00;1:8c00·0800 bf800000 = =
norm f16 0 0:3e00·3e00;1-8:0c00·0800 40100001 40100000 =
subn f16 0 0:0001·3c00;1-4:0010·0010 33800000 = 33800080
subn bf16 0 0:0001·7f00;1-4:3900·3900 3c800000 = -
csub bf16 00000001 0-7:1980·1980 00000001 = -
floor bf16 0 0:1960·1b12;1:1800·1800 00000001 0 -
floor bf16 0 0:1a04·1a78;1:1780·1800 0 = -
floor f16.f16 0 0:0c00·0800;1:0001·0003 0 = =
floor f16.f16 0 0:0c00·0800;1:0001·0004 0001 0 =
floor f16.f16 0 0:0e00·0c00;1:8001·0003 0002 = =
zexp bf16 0 0:0·7f00;1:3080·3f80 30800000 = -
nzero bf16 80000000 0-15:8000·3f80 0 = -
nunder bf16 0 0:9a00·1a00 0 = -
ftz bf16 0 0:9ac0·1a00 80000001 = -
ovf bf16 0 0-1:7f00·3f80 7f800000 = -
out bf16 7f7fffff 0:7300·3f80 7f7fffff = -
prodovf bf16 3f800000 0:7f00·7f00;1:ff00·7f00 0 = -
nan bf16 ffc12345 0:7f80·0 7fffffff = -
nan bf16 0 0:7f80·8000 7fffffff = -
nan bf16 ff800000 0:7f80·3f80 7fffffff = -
tfnan tf32 0 0:ff800001·3f801fff ff800000 = -
tfcut tf32 0 0:3f801fff·3f800000 3f800000 = -
chunk tf32 0 0:3f800000·3f800000;1:39800000·39800000;4:bf800000·3f800000 33800000 0 -
once f16.f16 3c00 0:2800·2400;1:0c00·0800 3c01 3c00 =
chunk f16.f16 3c00 0:2800·2400;8:2800·2400 3c01 3c00 =
out f16.f16 7bff 0:4400·4400 7c00 = =
F e4m3 3f8007ff - 3f800400 - -
kept e4m3 3f800400 0:38·38 40000000 - -
out f16.f16 3c00 0:2800·2400 3c00 = =
F f16 0 0:7800·7800;1:f800·7800;2:5800·3c00 43000000 = =
F f16 0 0:7800·7800;1:f800·7800;2:5400·3c00 42800000 = 0
F f16 0 0:7800·7800;1:f800·7800;2:5000·3c00 42000000 0 =
F f16 0 0:7800·7800;1:f800·7800;2:4c00·3c00 0 = =
chunk f16 0 0:7800·7800;1:f800·7800;3:3c00·3c00 0 = =
chunk f16 0 0:7800·7800;1:f800·7800;4:3c00·3c00 0 = 3f800000
chunk f16 0 0:7800·7800;1:f800·7800;7:3c00·3c00 0 = 3f800000
chunk f16 0 0:7800·7800;1:f800·7800;8:3c00·3c00 0 3f800000 =
chunk f16 0 0:7800·7800;1:f800·7800;15:3c00·3c00 0 3f800000 =
F f16.f16 0 0:7800·7800;1:f800·7800;2:5800·3c00 5800 = =
F f16.f16 0 0:7800·7800;1:f800·7800;2:5400·3c00 5400 = 0
F f16.f16 0 0:7800·7800;1:f800·7800;2:5000·3c00 5000 0 =
F f16.f16 0 0:7800·7800;1:f800·7800;2:4c00·3c00 0 = =
chunk f16.f16 0 0:7800·7800;1:f800·7800;3:3c00·3c00 0 = =
chunk f16.f16 0 0:7800·7800;1:f800·7800;4:3c00·3c00 0 = 3c00
chunk f16.f16 0 0:7800·7800;1:f800·7800;7:3c00·3c00 0 = 3c00
chunk f16.f16 0 0:7800·7800;1:f800·7800;8:3c00·3c00 0 3c00 =
chunk f16.f16 0 0:7800·7800;1:f800·7800;15:3c00·3c00 0 3c00 =
F bf16 0 0:3f80·3f80;1:bf80·3f80;2:3380·3f80 33800000 = -
F bf16 0 0:3f80·3f80;1:bf80·3f80;2:3300·3f80 33000000 0 -
F bf16 0 0:3f80·3f80;1:bf80·3f80;2:3280·3f80 0 = -
chunk bf16 0 0:3f80·3f80;1:bf80·3f80;7:3080·3f80 0 = -
chunk bf16 0 0:3f80·3f80;1:bf80·3f80;8:3080·3f80 0 30800000 -
chunk bf16 0 0:3f80·3f80;1:bf80·3f80;15:3080·3f80 0 30800000 -
F tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;2:33800000·3f800000 33800000 = -
F tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;2:33000000·3f800000 33000000 0 -
F tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;2:32800000·3f800000 0 = -
chunk tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;3:30800000·3f800000 0 = -
chunk tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;4:30800000·3f800000 0 30800000 -
chunk tf32 0 0:3f800000·3f800000;1:bf800000·3f800000;7:30800000·3f800000 0 30800000 -
F e4m3 0 0:38·38;1:b8·38;2:08·04 39000000 - -
F e4m3 0 0:38·38;1:b8·38;2:04·04 0 - -
chunk e4m3 0 0:38·38;1:b8·38;31:04·04 0 - -
F e5m2 0 0:3c·3c;1:bc·3c;2:24·20 39000000 - -
F e5m2 0 0:3c·3c;1:bc·3c;2:20·20 0 - -
chunk e5m2 0 0:3c·3c;1:bc·3c;31:20·20 0 - -
nan e4m3 0 0:7f·38 7fffffff - -
nan e4m3 0 0:7e·38 43e00000 - -
nan e5m2 0 0:7c·00 7fffffff - -
subn e5m2 0 0:01·3c 37800000 - -
subn e4m3 0 0:01·38 3b000000 - -
chain f64 4340000000000000 0-1:3ff0000000000000·3ff0000000000000 4340000000000000 = =
fused f64 bff0000000800000 0:3ff0000000400000·3ff0000000400000 3c30000000000000 = =
wrap i8 7fffffff 0:01·01 80000000 = =
sign i8 0 0:ff·01 ffffffff = =
sign u8 0 0:ff·01 ff = =
count b1 ffffffff 0-255:1·1 ff = =
`

// Vectors are those of the rule.
func Vectors() (all []Vector) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		column := strings.Fields(line)
		v := Vector{Rule: column[0], Want: make(map[matrix.Generation]uint64)}
		for f := matrix.F16; f.String() != column[1]; f++ {
			v.Form = f + 1
		}
		v.Form = max(v.Form, matrix.F16)
		m, n, _ := v.Form.Shape()
		c := hex(column[2])
		for i := range m * n {
			SetC(v.Form, &v.C, i/n, i%n, c)
		}
		v.products(column[3])
		last := column[4]
		for i, g := range []matrix.Generation{matrix.SM90, matrix.SM75, matrix.SM70} {
			if column[4+i] != "=" {
				last = column[4+i]
			}
			if last != "-" {
				v.Want[g] = hex(last)
			}
		}
		all = append(all, v)
	}
	return all
}

// products sets those of a list, in all rows and columns.
func (v *Vector) products(list string) {
	m, n, _ := v.Form.Shape()
	for part := range strings.SplitSeq(strings.Trim(list, "-"), ";") {
		where, factors, _ := strings.Cut(part, ":")
		a, b, _ := strings.Cut(factors, "·")
		first, last, more := strings.Cut(where, "-")
		from, to := decimal(first), decimal(last)
		if !more {
			to = from
		}
		for k := from; factors != "" && k <= to; k++ {
			for i := range max(m, n) {
				if i < m {
					SetA(v.Form, &v.A, i, k, hex(a))
				}
				if i < n {
					SetB(v.Form, &v.B, i, k, hex(b))
				}
			}
		}
	}
}

func hex(s string) (v uint64)  { scan(s, "%x", &v); return v }
func decimal(s string) (v int) { scan(s, "%d", &v); return v }
func scan(s, verb string, v any) {
	if s == "" {
		return
	}
	if _, err := fmt.Sscanf(s, verb, v); err != nil {
		panic("BUG: matrix: " + s + " in the table: " + err.Error())
	}
}

// Float16Program is a program whose result depends on the generation: y has products of the bits of x.
const Float16Program = `vyre 1
kernel @k workgroup(32) {
  param @x: buf<u32> ro align 16
  param @y: buf<f32> wo align 16
  %l = lane
  %a = load.v4 @x[%l]
  %b = load.v2 @x[%l]
  %c = vec 0_f32, 0_f32, 0_f32, 0_f32
  %d = mma.m16n8k16.f16 %a, %b, %c
  store.v4 @y[%l], %d
}
`
