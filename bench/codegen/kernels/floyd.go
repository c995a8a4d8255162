package kernels

import "github.com/govyre/vyre/gpu"

const side = 32 // of a tile

// The shortest ways between all pairs of nodes (Floyd, "Algorithm 97: Shortest Path", 1962), tile by tile
// (Venkataraman, Sahni, Mukhopadhyaya, "A Blocked All-Pairs Shortest-Paths Algorithm", 2003). A node is no way from
// itself. Round k lets all ways lead over the nodes of tile k: first those in its tile on the diagonal, then those in
// the tiles of its row and its column, then all others. Distances are below 1<<31.

// FloydDiagonal does the tile on the diagonal. There is one workgroup.
//
//vyre:kernel workgroup=32x32
func FloydDiagonal(t gpu.Thread, n, k uint32, distances []uint32) {
	tile := gpu.Shared[[side]uint32](t, side)
	x, y := t.Local().X, t.Local().Y
	at := (k*side+y)*n + k*side + x
	tile[y][x] = distances[at]
	t.Barrier()
	for m := range side {
		if over := tile[y][m] + tile[m][x]; over < tile[y][x] {
			tile[y][x] = over
		}
		t.Barrier()
	}
	distances[at] = tile[y][x]
}

// FloydCross does a tile of the row, or for workgroups in the second row one of the column.
//
//vyre:kernel workgroup=32x32
func FloydCross(t gpu.Thread, n, k uint32, distances []uint32) {
	diagonal := gpu.Shared[[side]uint32](t, side)
	tile := gpu.Shared[[side]uint32](t, side)
	x, y := t.Local().X, t.Local().Y
	inColumn := t.Group().Y == 1
	row, col := k, t.Group().X
	if inColumn {
		row, col = col, row
	}
	if row == col {
		return
	}
	at := (row*side+y)*n + col*side + x
	diagonal[y][x] = distances[(k*side+y)*n+k*side+x]
	tile[y][x] = distances[at]
	t.Barrier()
	for m := range side {
		var over uint32
		if inColumn {
			over = tile[y][m] + diagonal[m][x]
		} else {
			over = diagonal[y][m] + tile[m][x]
		}
		if over < tile[y][x] {
			tile[y][x] = over
		}
		t.Barrier()
	}
	distances[at] = tile[y][x]
}

// FloydRest does a tile of the rest.
//
//vyre:kernel workgroup=32x32
func FloydRest(t gpu.Thread, n, k uint32, distances []uint32) {
	from := gpu.Shared[[side]uint32](t, side)
	to := gpu.Shared[[side]uint32](t, side)
	if t.Group().X == k || t.Group().Y == k {
		return
	}
	x, y := t.Local().X, t.Local().Y
	col, row := t.Global().X, t.Global().Y
	from[y][x] = distances[row*n+k*side+x]
	to[y][x] = distances[(k*side+y)*n+col]
	t.Barrier()
	shortest := distances[row*n+col]
	for m := range side {
		shortest = min(shortest, from[y][m]+to[m][x])
	}
	distances[row*n+col] = shortest
}
