package kernels

import "github.com/govyre/vyre/gpu"

// Cell is a cube of space with the bodies in it; without parts it is one body.
type Cell struct {
	Centre [3]float32 // of mass
	Mass   float32
	Width  float32
	First  uint32 // cell of its parts, which follow each other
	Parts  uint32
}

// Gravity finds the pull of all bodies on each (Barnes and Hut, "A hierarchical O(N log N) force-calculation algorithm",
// 1986). Cells that look narrower than the angle count as one body. The first cell has all bodies in it.
//
//vyre:kernel workgroup=128
func Gravity(t gpu.Thread, angle, soft float32, cells []Cell, bodies, pulls [][3]float32) {
	i := t.Global().X
	if i >= uint32(len(bodies)) {
		return
	}
	at := bodies[i]
	var pull [3]float32
	var stack [64]uint32
	for depth := 1; depth > 0; {
		depth--
		c := cells[stack[depth]]
		var d [3]float32
		square := soft
		for k := range d {
			d[k] = c.Centre[k] - at[k]
			square += d[k] * d[k]
		}
		if c.Parts == 0 || c.Width*c.Width < angle*angle*square {
			force := c.Mass / (square * gpu.Sqrt(square))
			for k := range pull {
				pull[k] += force * d[k]
			}
			continue
		}
		for p := range c.Parts {
			stack[depth] = c.First + p
			depth++
		}
	}
	pulls[i] = pull
}
