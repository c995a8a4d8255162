// Package groups lists the rows of an e-graph by class.
package groups

// Of sorts rows by the root of their class, each root's in rising order, by counting. rows[first[i]:first[i+1]] are those of
// class[i], a root. Roots without rows have a group too. parent leads from each class to its root.
func Of[C ~uint32](of, parent []C) (class []C, first, rows []uint32) {
	index := make([]uint32, len(parent))
	for c, p := range parent {
		if C(c) == p {
			index[c] = uint32(len(class))
			class = append(class, p)
		}
	}
	first = make([]uint32, len(class)+1)
	for _, c := range of {
		first[index[parent[c]]+1]++
	}
	for i := range class {
		first[i+1] += first[i]
	}
	next := append([]uint32(nil), first...)
	rows = make([]uint32, len(of))
	for row, c := range of {
		i := index[parent[c]]
		rows[next[i]] = uint32(row)
		next[i]++
	}
	return class, first, rows
}
