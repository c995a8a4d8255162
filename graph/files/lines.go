package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
)

const (
	nothing third = iota // the line ends
	kinds                // nothing, or a mask
	weight               // a number that is kept
	number               // one that is not
	anyRest              // whatever it is
)

// parse reads the lines of a chunk.
func (c *chunk) parse(rules rules, s *scratch) {
	s.reset()
	end := len(c.text) - slack
	for at := 0; at < end; {
		if len(s.wideFrom) == 0 && len(s.masks) == 0 && rules.third != anyRest && (rules.third != weight || rules.scale <= 1) {
			if at = c.fast(rules, s, at, end); at >= end {
				break
			}
		}
		next := c.lineEnd(at)
		c.line(rules, s, at, next)
		c.lines++
		at = next + 1
		if len(c.failed) == mostErrors {
			break
		}
	}
	c.arcs = arcs{exact(s.from), exact(s.to), exact(s.wideFrom), exact(s.wideTo), exact(s.masks), exact(s.weights)}
}

// exact is a copy that is not cleared before it is written, nil if empty.
func exact[T any](s []T) []T { return append([]T(nil), s...) }

// fast reads lines that are two or three numbers with a blank between and nothing beside, after a tag if there is one, as
// nearly all lines are. It stops at the first that is not, or has an id that does not fit, which line reads anew and judges.
func (c *chunk) fast(rules rules, s *scratch, at, end int) int {
	text, from, to, weights := c.text, s.from, s.to, s.weights
	first, nodes := rules.first, min(rules.nodes, math.MaxUint32)
	if rules.any {
		nodes = math.MaxUint32
	}
	tag, three := rules.tag != 0, rules.third == weight || rules.third == number
	lines := int64(0)
	for at < end {
		k := at
		if tag {
			if text[k] != rules.tag || text[k+1] != ' ' {
				break
			}
			k += 2
		}
		u, n := digits(binary.LittleEndian.Uint64(text[k : k+8]))
		if k += n; n == 8 {
			u, k, n = moreDigits(text, u, k)
		}
		if n == 0 || text[k] != '\t' && text[k] != ' ' {
			break
		}
		k++
		v, n := digits(binary.LittleEndian.Uint64(text[k : k+8]))
		if k += n; n == 8 {
			v, k, n = moreDigits(text, v, k)
		}
		if n == 0 {
			break
		}
		if three {
			if text[k] != ' ' && text[k] != '\t' {
				break
			}
			k++
			w, n := digits(binary.LittleEndian.Uint64(text[k : k+8]))
			if k += n; n == 8 {
				w, k, n = moreDigits(text, w, k)
			}
			if n == 0 || w > math.MaxUint32 {
				break
			}
			if rules.third == weight && text[k] == '\n' {
				weights = append(weights, uint32(w))
			}
		}
		// One comparison for both: what is below the first id wraps around.
		if text[k] != '\n' || max(u-first, v-first) >= nodes {
			if three && rules.third == weight && text[k] == '\n' {
				weights = weights[:len(weights)-1]
			}
			break
		}
		from, to = append(from, uint32(u-first)), append(to, uint32(v-first))
		lines++
		at = k + 1
	}
	s.from, s.to, s.weights = from, to, weights
	c.lines += lines
	return at
}

// moreDigits goes on after eight digits; none is what it returns if there are more than 15 in all.
func moreDigits(text []byte, v uint64, at int) (_ uint64, end, n int) {
	more, n := digits(binary.LittleEndian.Uint64(text[at : at+8]))
	switch n {
	case 0: // and digits returns no number
		return v, at, 8
	case 8:
		return 0, at, 0
	}
	return v*powers[n] + more, at + n, 8 + n
}

// powers are those of 10.
var powers = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// digits returns the number that eight characters begin with, and how many of them are its digits (the sums of pairs, of
// fours and of eights are a trick of many; Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019, have it).
func digits(x uint64) (value uint64, n int) {
	x ^= 0x3030303030303030
	// The high bit of a byte is set if it is no digit. A carry comes only out of a byte that is none, and goes up.
	none := (x + 0x7676767676767676 | x) & 0x8080808080808080
	n = bits.TrailingZeros64(none) / 8
	x <<= uint(64-8*n) & 63 // what n = 0 leaves is not looked at
	x = x*10 + x>>8
	return (x&0x000000FF000000FF*0x000F424000000064 + x>>16&0x000000FF000000FF*0x0000271000000001) >> 32, n
}

// lineEnd is where the line's end is, at the latest in the slack.
func (c *chunk) lineEnd(at int) int { return at + bytes.IndexByte(c.text[at:], '\n') }

// line reads one line of any form.
func (c *chunk) line(rules rules, s *scratch, start, end int) {
	w := words{text: c.text[start:end]}
	if len(w.text) > mostLine {
		c.fail(start, 0, fmt.Sprintf("a line of %d bytes", len(w.text)), fmt.Sprintf("at most %d", mostLine))
		return
	}
	first := w.next()
	switch {
	case len(first) == 0:
		return
	case bytes.IndexByte([]byte(rules.comment), first[0]) >= 0 && (rules.tag == 0 || len(first) == 1):
		c.comment(w.text)
		return
	case rules.tag != 0 && (len(first) != 1 || first[0] != rules.tag):
		c.fail(start, w.at, quoted(first), fmt.Sprintf("lines start with %c or %s", rules.tag, rules.comment))
		return
	case rules.tag != 0:
		first = w.next()
	}
	u, ok := c.id(rules, 0, start, w.at, first)
	if !ok {
		return
	}
	v, ok := c.id(rules, 1, start, w.at, w.next())
	if !ok {
		return
	}
	c.rest(rules, s, start, &w, u, v)
}

// id reads the number of a node.
func (c *chunk) id(rules rules, which, start, at int, word []byte) (uint64, bool) {
	name := rules.nodeNames[which]
	v, err := unsigned(word)
	switch {
	case len(word) == 0:
		c.fail(start, at, "the line ends", "a number, the "+name)
	case err != "":
		if !isNumber(word) {
			if err += rules.named; rules.named != "" && heads[strings.ToLower(string(word))] {
				err = "a number; # goes before the head of a table"
			}
		}
		c.fail(start, at, name+" "+quoted(word), err)
	case v < rules.first:
		c.fail(start, at, fmt.Sprintf("%s %d", name, v), fmt.Sprintf("ids start at %d", rules.first))
	case !rules.any && v-rules.first >= rules.nodes:
		c.fail(start, at, fmt.Sprintf("%s %d", name, v), rules.bound())
	default:
		return v - rules.first, true
	}
	return 0, false
}

// bound says why an id is too large.
func (r rules) bound() string {
	if r.nodes == graph.MaxNodes {
		return fmt.Sprintf("ids are below %d; --ids sparse numbers nodes anew", r.nodes)
	}
	return fmt.Sprintf("there are %d nodes", r.nodes)
}

// unsigned reads a number, or says what is wrong with it.
func unsigned(word []byte) (v uint64, wrong string) {
	for _, d := range word {
		if d -= '0'; d > 9 {
			if word[0] == '-' && isNumber(word) {
				return 0, "ids are not negative"
			}
			return 0, "a number, from 0"
		}
		hi, lo := bits.Mul64(v, 10)
		if v = lo + uint64(d); hi != 0 || v < lo {
			return 0, "at most 18446744073709551615"
		}
	}
	return v, ""
}

// rest reads what follows the ends of an arc, and keeps the arc.
func (c *chunk) rest(rules rules, s *scratch, start int, w *words, u, v uint64) {
	if rules.third == anyRest {
		s.add(u, v)
		return
	}
	word := w.next()
	at := w.at
	if len(word) > 0 {
		if more := w.next(); len(more) > 0 || rules.third == nothing {
			if rules.third != nothing {
				word, at = more, w.at
			}
			c.fail(start, at, quoted(word), "the end of the line")
			return
		}
	}
	switch rules.third {
	case kinds:
		mask := uint64(1)
		if len(word) > 0 {
			var err error
			if mask, err = strconv.ParseUint(string(word), 0, 32); err != nil || mask == 0 {
				c.fail(start, at, "kinds "+quoted(word), "a mask from 1 to 0xffffffff; --arc-kinds all takes the column as something else, --format wel as weights")
				return
			}
		}
		s.addMask(u, v, uint32(mask))
		return
	case weight:
		if len(word) == 0 {
			c.fail(start, at, "the line ends", rules.missing)
			return
		}
		x, wrong := scaled(word, rules.scale)
		if wrong != "" {
			c.fail(start, at, "weight "+quoted(word), wrong)
			return
		}
		s.weights = append(s.weights, x)
	case number:
		if len(word) == 0 {
			c.fail(start, at, "the line ends", rules.missing)
			return
		}
		if !isNumber(word) {
			c.fail(start, at, "value "+quoted(word), "a number")
			return
		}
	}
	s.add(u, v)
}

// add keeps an arc.
func (a *arcs) add(u, v uint64) {
	if max(u, v) < math.MaxUint32 && len(a.wideFrom) == 0 {
		a.from, a.to = append(a.from, uint32(u)), append(a.to, uint32(v))
		return
	}
	if len(a.wideFrom) == 0 {
		for i := range a.from {
			a.wideFrom, a.wideTo = append(a.wideFrom, uint64(a.from[i])), append(a.wideTo, uint64(a.to[i]))
		}
		a.from, a.to = a.from[:0], a.to[:0]
	}
	a.wideFrom, a.wideTo = append(a.wideFrom, u), append(a.wideTo, v)
}

// addMask keeps an arc with a mask. Masks are there from the first on that is not 1.
func (s *scratch) addMask(u, v uint64, mask uint32) {
	if mask != 1 && len(s.masks) == 0 {
		for range s.len() {
			s.masks = append(s.masks, 1)
		}
	}
	if mask != 1 || len(s.masks) > 0 {
		s.masks = append(s.masks, mask)
	}
	s.add(u, v)
}

// comment looks for the number of nodes, which lists of SNAP have, and ours.
func (c *chunk) comment(text []byte) {
	_, after, ok := bytes.Cut(text, []byte("Nodes:"))
	if !ok {
		return
	}
	w := words{text: after}
	if n, err := unsigned(w.next()); err == "" && n <= math.MaxInt64 {
		c.nodes = max(c.nodes, int64(n))
	}
}

func (c *chunk) fail(start, column int, got, want string) {
	c.failed = append(c.failed, failure{c.lines, column, start + column, got, want})
}

// quoted is a word as an error shows it.
func quoted(word []byte) string {
	if len(word) > 40 {
		return fmt.Sprintf("%q…", word[:40])
	}
	return fmt.Sprintf("%q", word)
}
