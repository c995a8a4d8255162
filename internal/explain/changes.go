package explain

import "strings"

// markChanges marks the lines of next that prev does not have, and those of prev that next does
// not have, and counts both. Lines are equal if their text is, indentation aside: names stay the same
// from column to column. Only what passes make has numbers for names, and another one in each
// column; such names are taken for equal.
func markChanges(prev, next *column) (came, went int) {
	var a, b []*line
	prev.lines(func(l *line) { a = append(a, l) })
	next.lines(func(l *line) { b = append(b, l) })
	keepA, keepB := common(texts(a), texts(b))
	for i, l := range a {
		if l.goes = !keepA[i]; l.goes {
			went++
		}
	}
	for i, l := range b {
		if l.came = !keepB[i]; l.came {
			came++
		}
	}
	return came, went
}

// texts returns what is compared of the lines.
func texts(list []*line) []string {
	var s []string
	for _, l := range list {
		var b strings.Builder
		for _, t := range l.tokens {
			if t.class == name && strings.Trim(t.text[1:], "0123456789") == "" {
				b.WriteByte(t.text[0])
				continue
			}
			b.WriteString(t.text)
		}
		s = append(s, strings.TrimSpace(b.String()))
	}
	return s
}

// mostEdits bounds the work of common: if a and b differ more, only what they begin and end with is common.
const mostEdits = 2000

// common marks the elements of a and b that are in a longest common subsequence: the plain greedy
// algorithm of Myers, An O(ND) difference algorithm and its variations, 1986.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	match := func(x, y int) { inA[x], inB[y] = true, true }
	n, m := len(a), len(b)
	for n > 0 && m > 0 && a[n-1] == b[m-1] {
		n, m = n-1, m-1
		match(n, m)
	}
	limit := min(n+m, mostEdits)
	zero := limit + 1
	reach := make([]int, 2*limit+3) // by diagonal x-y, from zero: how far in a one gets
	var trail [][]int               // reach[zero-d:zero+d+1] before round d, the one with d edits
	for d := 0; d <= limit; d++ {
		trail = append(trail, append([]int(nil), reach[zero-d:zero+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := reach[from(reach, zero, d, k)]
			if from(reach, zero, d, k) < zero+k {
				x++
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			reach[zero+k] = x
			if x < n || x-k < m {
				continue
			}
			for x, y := n, m; d >= 0; d-- {
				px, py := 0, 0
				if d > 0 {
					k = x - y
					f := from(trail[d], d, d, k)
					px = trail[d][f]
					py = px - (f - d)
				}
				for x > px && y > py {
					x, y = x-1, y-1
					match(x, y)
				}
				x, y = px, py
			}
			return inA, inB
		}
	}
	for x := 0; x < min(n, m) && a[x] == b[x]; x++ {
		match(x, x)
	}
	return inA, inB
}

// from returns the index in reach of the diagonal that round d comes from to diagonal k: the one
// below by dropping an element of a, the one above by taking one of b.
func from(reach []int, zero, d, k int) int {
	if k == -d || k != d && reach[zero+k-1] < reach[zero+k+1] {
		return zero + k + 1
	}
	return zero + k - 1
}
