package opt

// Checks is the number of checks that Weaken can turn off.
const Checks = int(numChecks)

// CheckName names the k-th check.
func CheckName(k int) string { return checkNames[k] }

// Weaken returns o with the k-th soundness check turned off.
func Weaken(o Options, k int) Options {
	o.weak |= 1 << k
	return o
}

// CheckTable applies the order constraints to a table in which two passes have changed places.
func CheckTable(first, second string) error {
	table := append([]pass{}, passes...)
	for i := range table {
		switch table[i].name {
		case first:
			table[i] = byName(second)
		case second:
			table[i] = byName(first)
		}
	}
	return checkTable(table, constraints)
}

func byName(name string) pass {
	for _, p := range passes {
		if p.name == name {
			return p
		}
	}
	panic("no pass " + name)
}

// Constraints lists the order constraints as pairs of names.
func Constraints() (pairs [][2]string) {
	for _, c := range constraints {
		pairs = append(pairs, [2]string{c.first, c.then})
	}
	return pairs
}
