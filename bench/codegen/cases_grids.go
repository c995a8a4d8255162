package codegen

import "fmt"

// Kernels of the second lot on squares of integers.

func life(s Size) *Problem {
	w, h := pick(s, 40, 250, 1000), pick(s, 60, 4100, 33000) // words, rows; the last workgroups are cut off
	now := longs(60, w*h)
	in, out := buffer("now", In, now), output("next", 8*len(now))
	return &Problem{
		N: fmt.Sprintf("%d × %d cells", 64*w, h), Buffers: []*Buffer{in, out}, Bytes: in.Bytes + out.Bytes,
		Steps: []Step{{"Life", [3]uint32{uint32(w+31) / 32, uint32(h+7) / 8, 1}, args(uint32(w), uint32(h), in, out)}},
		Want: func() map[*Buffer][]byte {
			alive := func(x, y int) int {
				x, y = (x+64*w)%(64*w), (y+h)%h
				return int(now[y*w+x/64] >> (x % 64) & 1)
			}
			next := make([]uint64, len(now))
			for y := range h {
				for x := range 64 * w {
					n := -alive(x, y)
					for k := range 9 {
						n += alive(x+k%3-1, y+k/3-1)
					}
					if n == 3 || n == 2 && alive(x, y) == 1 {
						next[y*w+x/64] |= 1 << (x % 64)
					}
				}
			}
			return map[*Buffer][]byte{out: bytesOf(next)}
		},
	}
}

func floydWarshall(s Size) *Problem {
	const tile, none = 32, 1 << 30
	n := pick(s, 96, 1024, 3072)
	lengths := make([]uint32, n*n)
	some := random(61)
	for i := range lengths {
		switch {
		case i/n == i%n:
		case some.below(8) == 0: // an eighth of the nodes has an arc from a node
			lengths[i] = 1 + some.below(1000)
		default:
			lengths[i] = none
		}
	}
	distances := buffer("distances", Update, lengths)
	var steps []Step
	rounds := uint32(n / tile)
	for k := range rounds {
		a := args(uint32(n), k, distances)
		steps = append(steps, Step{"FloydDiagonal", [3]uint32{1, 1, 1}, a},
			Step{"FloydCross", [3]uint32{rounds, 2, 1}, a}, Step{"FloydRest", [3]uint32{rounds, rounds, 1}, a})
	}
	return &Problem{
		N: fmt.Sprintf("%d nodes", n), Buffers: []*Buffer{distances}, Bytes: 2 * distances.Bytes * int64(rounds), Steps: steps,
		Want: func() map[*Buffer][]byte {
			out := make([]uint32, 0, n*n)
			for from := range n {
				out = append(out, distancesFrom(from, lengths, n)...)
			}
			return map[*Buffer][]byte{distances: bytesOf(out)}
		},
	}
}

// distancesFrom settles the nodes one after the other, always the nearest (Dijkstra).
func distancesFrom(from int, lengths []uint32, n int) []uint32 {
	distances := append([]uint32(nil), lengths[from*n:from*n+n]...)
	settled := make([]bool, n)
	for range n {
		v := -1
		for u := range n {
			if !settled[u] && (v < 0 || distances[u] < distances[v]) {
				v = u
			}
		}
		settled[v] = true
		for u := range n {
			distances[u] = min(distances[u], distances[v]+lengths[v*n+u])
		}
	}
	return distances
}
