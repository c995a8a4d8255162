package canonical

// buckets is a fixed number of lists of numbers in one allocation: linked, in the order of
// add, each joined to another in constant time. Entry 0 ends a list.
type buckets struct {
	head, tail []int32 // entries, by bucket
	entries    []bucketEntry
}

type bucketEntry struct{ value, next int32 }

// newBuckets returns n empty lists with room for some entries.
func newBuckets(n, room int) buckets {
	ends := make([]int32, 2*n)
	return buckets{ends[:n:n], ends[n:], make([]bucketEntry, 1, 1+room)}
}

func (b *buckets) add(list, value int32) {
	e := int32(len(b.entries))
	b.entries = append(b.entries, bucketEntry{value: value})
	b.join(list, e, e)
}

// join puts the entries from head to tail at the end of a list.
func (b *buckets) join(list, head, tail int32) {
	if b.tail[list] == 0 {
		b.head[list] = head
	} else {
		b.entries[b.tail[list]].next = head
	}
	b.tail[list] = tail
}

// move empties a list onto the end of another.
func (b *buckets) move(from, to int32) {
	if b.head[from] != 0 {
		b.join(to, b.head[from], b.tail[from])
		b.head[from], b.tail[from] = 0, 0
	}
}

func (b *buckets) first(list int32) int32 { return b.head[list] }
func (b *buckets) after(e int32) int32    { return b.entries[e].next }
func (b *buckets) value(e int32) int32    { return b.entries[e].value }
