package main

import (
	"image"
	"image/color"
)

func set(cells []uint32, x, y int) { cells[y*words+x/32] |= 1 << (x % 32) }

func bit(word uint32, x int) int { return int(word >> (x % 32) & 1) }

// play is the game as its rules have it: a byte a cell, eight neighbours counted.
func play(cells []uint32, generations int) []uint32 {
	var now, then [side * side]uint8
	for i := range now {
		now[i] = uint8(bit(cells[i/32], i))
	}
	for range generations {
		for y := range side {
			up, row, down := (y+side-1)%side*side, y*side, (y+1)%side*side
			for x := range side {
				l, r := (x+side-1)%side, (x+1)%side
				n := now[up+l] + now[up+x] + now[up+r] + now[row+l] + now[row+r] + now[down+l] + now[down+x] + now[down+r]
				then[row+x] = 0
				if n == 3 || n == 2 && now[row+x] == 1 {
					then[row+x] = 1
				}
			}
		}
		now, then = then, now
	}
	out := make([]uint32, len(cells))
	for i, c := range now {
		out[i/32] |= uint32(c) << (i % 32)
	}
	return out
}

// picture shows a cell as 3 × 3 pixels: alive in white, else in the colour of its glow.
func picture(cells []uint32, glow [][4]uint32) image.Image {
	palette := color.Palette{color.RGBA{8, 10, 20, 255}}
	for g := range uint8(15) { // from violet to orange
		palette = append(palette, color.RGBA{54 + 13*g, 38 + 4*g, 108 - 3*g, 255})
	}
	palette = append(palette, color.RGBA{255, 240, 190, 255})
	img := image.NewPaletted(image.Rect(0, 0, 3*side, 3*side), palette)
	for y := range 3 * side {
		for x := range 3 * side {
			i := y/3*words + x/3/32
			shade := 16
			if bit(cells[i], x/3) == 0 {
				g := glow[i]
				shade = bit(g[0], x/3) + 2*bit(g[1], x/3) + 4*bit(g[2], x/3) + 8*bit(g[3], x/3)
			}
			img.SetColorIndex(x, y, uint8(shade))
		}
	}
	return img
}
