package graph

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// CSR is a directed graph in compressed rows. The zero value has no nodes. It never changes, and any number of
// goroutines may read it.
type CSR struct {
	arrays
	data   Data
	lender *file // that data is in, of a graph that was made of one in a file; nil if there is none
	digest once[[32]byte]
	both   once[bool] // what Symmetric found
}

// arrays are the rows of a graph. What goes over them looks after faults itself, within CSR.Read.
type arrays struct {
	rows    offsets
	targets []uint32
	masks   []uint32 // one an arc, or none if all are 1
	file    *file    // that they are in; nil if they are in memory
}

// file is a .vyg file that a graph is in.
type file struct {
	name  string
	bytes []byte
	head  head
	table []section
	g     *CSR // the graph as it is in the file

	unpack once[[]uint32]
	masks  atomic.Pointer[[]uint32] // nil until they are unpacked

	wrong once[error] // with the file, nil if nothing is
	found found

	// What follows is of a file that is mapped: see mapping.go.
	mapping
	calls   atomic.Int64 // that read it; less than 0 once it is unmapped
	changed atomic.Pointer[ChangedError]
	mu      sync.Mutex
	holders map[string]int // how often each holds it
	seen    stamp          // when its bytes were what they are to be
}

// found is what was found beside that.
type found struct {
	hashes    atomic.Pointer[map[uint32][32]byte] // of sections, once they were compared
	symmetric atomic.Bool                         // that the header says so holds
}

// mapping is how the bytes of a file came into memory. The zero value is that they are the process's own.
type mapping struct {
	unmap func() error
	from  *os.File
}

// stamp tells whether a file was written since.
type stamp struct {
	size    int64
	written time.Time
}

// ChangedError is the error of a graph whose file was truncated, or was written in place, while the graph was open. Nothing
// of the graph can be read any more.
type ChangedError struct {
	File string
	Err  error // how it was noticed
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("graph: the file %s changed or was truncated while the graph was open (%v); fix: open it again, "+
		"and have whoever writes it write another file and rename that", e.File, e.Err)
}

func (e *ChangedError) Unwrap() error { return e.Err }

func stampOf(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.Size(), info.ModTime()}, nil
}
