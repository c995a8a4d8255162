package ptx

import "slices"

// edits are what a stage changes in the list of instructions: some it puts in front of others, some it leaves out. They
// are gathered in the order of the list, and then made in its own memory, which is most of what a compilation takes.
type edits struct {
	added []inst // in order
	at    []edit
	out   int // how many are left out
}

// edit stands for the place in front of instruction at. What is put there are the added ones from the place before up
// to, but not with, end.
type edit struct {
	at, end int
	gone    bool // the instruction itself is left out
}

// put notes that what was added since the last call stands in front of instruction at, and whether that itself goes.
func (e *edits) put(at int, gone bool) {
	before := 0
	if n := len(e.at); n > 0 {
		before = e.at[n-1].end
	}
	if len(e.added) == before && !gone {
		return
	}
	e.at = append(e.at, edit{at, len(e.added), gone})
	if gone {
		e.out++
	}
}

// apply returns list with the changes, and with head in front of it.
func (e *edits) apply(list, head []inst) []inst {
	if e.out > 0 {
		list = e.close(list)
	}
	more := len(head) + len(e.added)
	if more == 0 {
		return list
	}
	end, from := len(list), len(e.added)
	list = slices.Grow(list, more)[:end+more]
	// Going down, everything moves up by the number of those that come in before it.
	for k := len(e.at) - 1; k >= 0; k-- {
		at := e.at[k].at
		copy(list[at+len(head)+from:], list[at:end])
		begin := 0
		if k > 0 {
			begin = e.at[k-1].end
		}
		copy(list[at+len(head)+begin:], e.added[begin:from])
		end, from = at, begin
	}
	if len(head) > 0 {
		copy(list[len(head):], list[:end])
		copy(list, head)
	}
	return list
}

// close leaves out what goes, and makes the places those of the list without it.
func (e *edits) close(list []inst) []inst {
	n, done := 0, 0 // how many stay, of so many
	for k := range e.at {
		at := e.at[k].at
		n += copy(list[n:], list[done:at])
		if done, e.at[k].at = at, n; e.at[k].gone {
			done++
		}
	}
	n += copy(list[n:], list[done:])
	return list[:n]
}
