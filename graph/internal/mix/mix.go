// Package mix has words that look random and depend on numbers alone: what graphs are drawn with, and told apart by.
package mix

// Golden is 2⁶⁴ divided by the Golden ratio: multiples of it are spread evenly (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014, from where Mix64 is too).
const Golden = 0x9E3779B97F4A7C15

// Mix64 maps 64 bits to 64 bits, one to one, so that every bit depends on every other.
func Mix64(z uint64) uint64 {
	z ^= z >> 30
	z *= 0xBF58476D1CE4E5B9
	z ^= z >> 27
	z *= 0x94D049BB133111EB
	return z ^ z>>31
}

// Mix32 is the same for 32 bits (constants by Chris Wellons, "Prospecting for hash functions", 2018).
func Mix32(v uint32) uint32 {
	v ^= v >> 16
	v *= 0x7FEB352D
	v ^= v >> 15
	v *= 0x846CA68B
	return v ^ v>>16
}

// Stream is the random words that belong to one thing: an arc, or a node.
type Stream uint64

// StreamOf returns the words of thing i.
func StreamOf(seed, i uint64) Stream { return Stream(Mix64(seed + Golden*(i+1))) }

// Word returns word k of a stream.
func (s Stream) Word(k uint64) uint64 { return Mix64(uint64(s) + Golden*(k+1)) }

// Draw returns word k of thing i.
func Draw(seed, i, k uint64) uint64 { return StreamOf(seed, i).Word(k) }
