package codegen

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
)

// The kernels that go where data says.

func spmv(s Size) *Problem {
	n := pick(s, 256, 64<<10, 2<<20) // rows, of 40 entries on average
	rows, cols := csr(8, n, n, 16, 64)
	values, x := floats(9, len(cols)), floats(10, n)
	br, bc, bv, bx := buffer("rows", In, rows), buffer("cols", In, cols), buffer("values", In, values), buffer("x", In, x)
	by := output("y", n*4)
	return &Problem{
		N: fmt.Sprintf("%d rows, %d entries", n, len(cols)), Buffers: []*Buffer{br, bc, bv, bx, by},
		Bytes: br.Bytes + bc.Bytes + bv.Bytes + bx.Bytes + by.Bytes,
		Steps: []Step{{"SpMV", [3]uint32{uint32(n / 8), 1, 1}, args(br, bc, bv, bx, by)}},
		Shapes: []Shape{{
			Name: "eight lanes a row", Approximate: true,
			Steps: []Step{{"SpMVEighths", [3]uint32{uint32(n / 32), 1, 1}, args(br, bc, bv, bx, by)}},
		}},
		Want: func() map[*Buffer][]byte {
			y := make([]float32, n)
			for r := range y {
				var lanes [32]float32
				for k, j := 0, rows[r]; j < rows[r+1]; k, j = k+1, j+1 {
					lanes[k%32] = gpu.FMA(values[j], x[cols[j]], lanes[k%32])
				}
				y[r] = halved(lanes[:])
			}
			return map[*Buffer][]byte{by: bytesOf(y)}
		},
	}
}

func bfsLevel(s Size) *Problem {
	n := pick(s, 1<<10, 128<<10, 5<<20) // nodes, of 32 arcs on average
	rows, arcs := csr(11, n, n, 8, 56)
	frontier, visited := words(12, n/32), words(13, n/32)
	for i := range visited {
		visited[i] |= frontier[i] // three of four nodes
	}
	br, ba, bf, bv := buffer("rows", In, rows), buffer("arcs", In, arcs), buffer("frontier", In, frontier), buffer("visited", In, visited)
	next := buffer("next", Update, make([]uint32, n/32))
	return &Problem{
		N: fmt.Sprintf("%d nodes, %d arcs", n, len(arcs)), Buffers: []*Buffer{br, ba, bf, bv, next},
		Bytes: br.Bytes + ba.Bytes/2 + bf.Bytes + bv.Bytes + next.Bytes, // every other node is in the frontier
		Steps: []Step{{"BFSLevel", [3]uint32{uint32(n / 256), 1, 1}, args(br, ba, bf, bv, next)}},
		Want: func() map[*Buffer][]byte {
			out := make([]uint32, n/32)
			has := func(set []uint32, v uint32) bool { return set[v/32]>>(v%32)&1 != 0 }
			for v := range uint32(n) {
				if !has(frontier, v) {
					continue
				}
				for _, w := range arcs[rows[v]:rows[v+1]] {
					if !has(visited, w) {
						out[w/32] |= 1 << (w % 32)
					}
				}
			}
			return map[*Buffer][]byte{next: bytesOf(out)}
		},
	}
}
