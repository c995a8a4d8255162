package cases

import "github.com/govyre/vyre/gpu"

var (
	primes  = [11]uint32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}
	signed  = [...]int8{-1, 2, -3, 100, 5: -128}
	halves  = [4]float32{0.5, 1.5, 2.5}
	wide    = [3]float64{1e300, 0.1, 2}
	flags   = [9]bool{1: true, 4: true, 8: true}
	far     = [3]int64{-1 << 63, 1<<63 - 1, 5}
	grid    = [2][3]uint16{{1, 2, 3}, {40000, 50000, 60000}}
	corners = [2]point{{1, 2}, {x: 3}}
	offset  = uint64(77)
	nothing [4]int32
	squares = [...]uint8{}
	lookup  = [256]uint8{0: 99, 17: 3, 255: 1, 128: 200}
)

// Tables reads package variables at constant and at computed indices, in bounds and beyond.
//
//vyre:kernel workgroup=32
func Tables(t gpu.Thread, in []uint32, out []float64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	sum := float64(primes[4]) + float64(primes[n%11]) + float64(signed[n%6]) + float64(halves[n%4])
	sum += wide[n%3]/1e299 + float64(far[n%3]>>40) + float64(grid[n%2][n%3]) + float64(grid[1][2])
	sum += float64(corners[n%2].x+corners[0].y) + float64(offset) + float64(nothing[n%4]) + float64(lookup[uint8(n)])
	if flags[n%9] {
		sum = -sum
	}
	for k, p := range primes {
		sum += float64(p) * float64(uint32(k)+n%3)
	}
	row := grid[n%2]
	row[n%3]++
	out[i] = sum + float64(row[n%3]) + float64(len(squares))
}
