package codegen

import (
	"fmt"
	"hash/crc32"
	"math/big"
)

// Unseen kernels on integers.

func editDistance(s Size) *Problem {
	const letters = 32
	n := pick(s, 256, 256<<10, 4<<20)
	first, second := words(30, n*letters/4), words(31, n*letters/4)
	for i := range first { // of four letters, so that words share many
		first[i] &= 0x03030303
		second[i] &= 0x03030303
	}
	a, b, out := buffer("first", In, first), buffer("second", In, second), output("distances", 4*n)
	return &Problem{
		N: fmt.Sprintf("%d pairs of %d letters", n, letters), Buffers: []*Buffer{a, b, out}, Bytes: a.Bytes + b.Bytes + out.Bytes,
		Steps: []Step{{"EditDistance", [3]uint32{uint32(n / 128), 1, 1}, args(a, b, out)}},
		Want: func() map[*Buffer][]byte {
			distances := make([]uint32, n)
			for i := range distances {
				// The whole table: of the first j letters of one word and the first k of the other.
				var table [letters + 1][letters + 1]uint32
				for j := range table {
					for k := range table {
						switch {
						case j == 0 || k == 0:
							table[j][k] = uint32(j + k)
						case a.Data[i*letters+j-1] == b.Data[i*letters+k-1]:
							table[j][k] = table[j-1][k-1]
						default:
							table[j][k] = 1 + min(table[j-1][k-1], table[j-1][k], table[j][k-1])
						}
					}
				}
				distances[i] = table[letters][letters]
			}
			return map[*Buffer][]byte{out: bytesOf(distances)}
		},
	}
}

func queens(s Size) *Problem {
	n, given := pick[uint32](s, 9, 13, 16), pick(s, 3, 4, 5)
	boards := 1
	for range given {
		boards *= int(n)
	}
	counts := output("counts", 4*boards)
	return &Problem{
		N: fmt.Sprintf("%d queens, %d of them given", n, given), Buffers: []*Buffer{counts}, Bytes: counts.Bytes,
		Steps: []Step{{"Queens", [3]uint32{uint32(boards+127) / 128, 1, 1}, args(n, uint32(given), counts)}},
		Want: func() map[*Buffer][]byte {
			out := make([]uint32, boards)
			for i := range out {
				var columns []int
				digits, ok := i, true
				for range given {
					ok = ok && peaceful(columns, digits%int(n))
					columns = append(columns, digits%int(n))
					digits /= int(n)
				}
				if ok {
					out[i] = completions(columns, int(n))
				}
			}
			return map[*Buffer][]byte{counts: bytesOf(out)}
		},
	}
}

// completions counts the ways to place queens in the rows that are left.
func completions(columns []int, n int) (sum uint32) {
	if len(columns) == n {
		return 1
	}
	for c := range n {
		if peaceful(columns, c) {
			sum += completions(append(columns[:len(columns):len(columns)], c), n)
		}
	}
	return sum
}

// peaceful reports whether a queen in a column of the next row attacks none of those above.
func peaceful(columns []int, c int) bool {
	for row, other := range columns {
		if rows := len(columns) - row; other == c || other == c+rows || other == c-rows {
			return false
		}
	}
	return true
}

func crc32Packets(s Size) *Problem {
	n, vectors := pick(s, 512, 64<<10, 2<<20), pick(s, 4, 16, 16)
	data := words(32, n*vectors*4)
	in, sums := buffer("packets", In, data), output("sums", 4*n)
	return &Problem{
		N: fmt.Sprintf("%d packets of %d bytes", n, 16*vectors), Buffers: []*Buffer{in, sums}, Bytes: in.Bytes + sums.Bytes,
		Steps: []Step{{"CRC32", [3]uint32{uint32(n / 256), 1, 1}, args(uint32(vectors), in, sums)}},
		Want: func() map[*Buffer][]byte {
			out := make([]uint32, n)
			for i := range out {
				out[i] = crc32.ChecksumIEEE(in.Data[i*16*vectors:][:16*vectors])
			}
			return map[*Buffer][]byte{sums: bytesOf(out)}
		},
	}
}

func powMod(s Size) *Problem {
	n := pick(s, 512, 256<<10, 16<<20)
	const m = uint64(1<<63 - 25) // a prime
	const exponent = uint64(0xc0ffee1234567)
	x := longs(33, n)
	for i := range x {
		x[i] %= m
	}
	inverse := uint64(1) // Newton's iteration doubles the bits that are right; one is
	for range 6 {
		inverse *= 2 - m*inverse
	}
	modulus := new(big.Int).SetUint64(m)
	square := new(big.Int).Lsh(big.NewInt(1), 128)
	square.Mod(square, modulus)
	bx, by := buffer("x", In, x), output("y", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d numbers", n), Buffers: []*Buffer{bx, by}, Bytes: bx.Bytes + by.Bytes,
		Steps: []Step{{"PowMod", [3]uint32{uint32(n / 128), 1, 1}, args(exponent, m, -inverse, square.Uint64(), bx, by)}},
		Want: func() map[*Buffer][]byte {
			y := make([]uint64, n)
			for i := range y {
				v := new(big.Int).SetUint64(x[i])
				y[i] = v.Exp(v, new(big.Int).SetUint64(exponent), modulus).Uint64()
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func lookup(s Size) *Problem {
	slots, n := pick(s, 2<<10, 512<<10, 32<<20), pick(s, 1<<10, 512<<10, 16<<20)
	known := longs(34, slots/2) // half of the slots are taken
	table := make([]uint64, 2*slots)
	for i, key := range known {
		// The hash of the kernel: the last step of MurmurHash3.
		h := key
		for _, factor := range [2]uint64{0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53} {
			h = (h ^ h>>33) * factor
		}
		at := (h ^ h>>33) & uint64(slots-1)
		for table[2*at] != 0 {
			at = (at + 1) & uint64(slots-1)
		}
		table[2*at], table[2*at+1] = key, uint64(i)
	}
	keys, some := longs(35, n), random(36)
	for i := range keys {
		if some.below(4) > 0 { // a quarter is not there
			keys[i] = known[some.below(uint32(len(known)))]
		}
	}
	bt, bk, bv := buffer("table", In, table), buffer("keys", In, keys), output("values", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d keys in %d slots", n, slots), Buffers: []*Buffer{bt, bk, bv}, Bytes: 16*int64(n) + bk.Bytes + bv.Bytes,
		Steps: []Step{{"Lookup", [3]uint32{uint32(n / 256), 1, 1}, args(bt, bk, bv)}},
		Want: func() map[*Buffer][]byte {
			places := make(map[uint64]uint64, len(known))
			for i, key := range known {
				places[key] = uint64(i)
			}
			values := make([]uint64, n)
			for i, key := range keys {
				values[i] = places[key]
			}
			return map[*Buffer][]byte{bv: bytesOf(values)}
		},
	}
}

func components(s Size) *Problem {
	n, m := pick(s, 1<<10, 512<<10, 16<<20), pick(s, 1<<10, 512<<10, 32<<20) // nodes, arcs
	arcs, parent := words(37, 2*m), make([]uint32, n)
	for i := range arcs {
		arcs[i] %= uint32(n)
	}
	for v := range parent {
		parent[v] = uint32(v)
	}
	ba, bp := buffer("arcs", In, arcs), buffer("parent", Update, parent)
	return &Problem{
		N: fmt.Sprintf("%d nodes, %d arcs", n, m), Buffers: []*Buffer{ba, bp}, Bytes: ba.Bytes + 4*bp.Bytes,
		Steps: []Step{
			{"Hook", [3]uint32{uint32(m / 256), 1, 1}, args(ba, bp)},
			{"Flatten", [3]uint32{uint32(n / 256), 1, 1}, args(bp)},
		},
		Want: func() map[*Buffer][]byte {
			// The least node of each component, which spreads until nothing changes.
			least := make([]uint32, n)
			copy(least, parent)
			for changed := true; changed; {
				changed = false
				for i := 0; i < len(arcs); i += 2 {
					a, b := arcs[i], arcs[i+1]
					if least[a] != least[b] {
						least[a] = min(least[a], least[b])
						least[b] = least[a]
						changed = true
					}
				}
			}
			return map[*Buffer][]byte{bp: bytesOf(least)}
		},
	}
}
