package interp

import (
	"sync"
	"unsafe"
)

const (
	pageCells    = 256
	pageBytes    = int64(unsafe.Sizeof(page{}))
	slabAccesses = 512 // cut for many cells, most of which need room for two
	accessBytes  = int64(unsafe.Sizeof(access{}))
)

type page [pageCells]cell

// shadow holds the cells of one object, made when they are first touched.
type shadow struct{ pages []*page }

// room is the memory of a race detector: pages of cells, and slabs that the accesses of cells are cut from. A small
// launch may need more of it than of anything else, so it goes from one to the next. It is not kept with a kernel, for
// what a kernel's pool holds stays for two collections after the kernel is gone: a process that runs each of many
// kernels once would keep all of their rooms.
type room struct {
	pages []*page // not in use, with what was in them
	slabs []*[slabAccesses]access
	cut   int      // slabs in use; what is left of the last is
	left  []access // this
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// page returns an empty page.
func (r *room) page() *page {
	n := len(r.pages)
	if n == 0 {
		return new(page)
	}
	p := r.pages[n-1]
	r.pages = r.pages[:n-1]
	*p = page{}
	return p
}

// accesses returns room for n accesses, with anything in it.
func (r *room) accesses(n int) []access {
	if n > slabAccesses {
		return make([]access, n)
	}
	if len(r.left) < n {
		if r.cut == len(r.slabs) {
			r.slabs = append(r.slabs, new([slabAccesses]access))
		}
		r.left = r.slabs[r.cut][:]
		r.cut++
	}
	cut := r.left[:n:n]
	r.left = r.left[n:]
	return cut
}

// takeBack ends the use of all slabs, and of the pages of shadows.
func (r *room) takeBack(shadows []shadow) {
	r.cut, r.left = 0, nil
	for i := range shadows {
		for _, p := range shadows[i].pages {
			if p != nil {
				r.pages = append(r.pages, p)
			}
		}
		shadows[i].pages = nil
	}
}
