package files

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/graph"
)

// Format is a form of files.
type Format string

// The formats. Auto tells by the first bytes, then by the name.
const (
	Auto   Format = ""
	Edges  Format = "el"
	WEdges Format = "wel"
	Named  Format = "nel"
	Matrix Format = "mtx"
	GAP    Format = "sg"
	WGAP   Format = "wsg"
	DIMACS Format = "gr"
	Vyre   Format = "vyg"
	Dot    Format = "dot"
	JSON   Format = "json"
	CSV    Format = "csv"
)

// IDs say what the numbers in a list of arcs are.
type IDs string

// AutoIDs takes them as they are if all are less than four times the number of arcs, and else numbers them anew.
const (
	AutoIDs IDs = ""
	Dense   IDs = "dense"  // node ids
	Sparse  IDs = "sparse" // names: nodes are numbered anew, by ascending number, which stays as the name
)

// Options adjust reading. The zero value is right for most files.
type Options struct {
	Format Format
	IDs    IDs
	// NoWeights leaves weights out: values that no weight can be are then no error. A .vyg file keeps its own, which cost nothing
	// until they are looked at.
	NoWeights bool
	// Scale makes whole numbers of the weights in text: each is multiplied by it, and must be whole then. 0 is 1, for
	// those who can do without weights.
	Scale   uint32
	NoKinds bool // take every arc as mask 1: the third column of a list of arcs is something else
	Build   graph.BuildOptions

	MaxMemory int64 // bytes for arcs and graph; 0 is half of what the machine has
	MaxBytes  int64 // of the text, decompressed; 0 is no limit
	KeepGoing bool  // go on after an error, to find up to 100
	Workers   int   // that parse; 0 is one a core

	// Progress is told how far reading is, from one goroutine, at most every 100 ms.
	Progress func(Progress)
}

func (o Options) settled() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = HalfOfMemory()
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// Progress is how far reading is.
type Progress struct {
	Bytes, Total int64 // of the file, as it is stored; a total of 0 is unknown
	Arcs         int64
	Phase        string // "reading" or "building"
}

// Report says what was read.
type Report struct {
	Format     Format
	Bytes      int64 // of the text, decompressed
	Renumbered bool  // ids were names
	Kinds      []int // bits that a list with names has given to names of kinds, in their order
	Built      graph.Built
}

const progressEvery = 100 * time.Millisecond

// reader is one file under way.
type reader struct {
	ctx   context.Context
	name  string
	o     Options
	total int64    // bytes of the file, 0 if unknown
	file  *os.File // that all cores can read; nil if there is none
	in    *input
	told  time.Time

	held atomic.Int64 // bytes: buffers, arcs, and copies on the way

	errs     []error
	arcsOnly bool // to measure parsing
}

// hold counts memory before it is taken, or after it grew, and refuses more than the limit. release counts it back.
func (r *reader) hold(bytes int64, what string, args ...any) error {
	if held := r.held.Add(bytes); held > r.o.MaxMemory {
		return r.tooLarge(held, fmt.Sprintf(what, args...))
	}
	return nil
}

func (r *reader) release(bytes int64) { r.held.Add(-bytes) }

func (r *reader) tooLarge(bytes int64, what string) error {
	return fmt.Errorf("%s: %s take %d bytes, the limit is %d; --max-memory raises it", r.name, what, bytes, r.o.MaxMemory)
}

// tell reports progress, not too often.
func (r *reader) tell(phase string, arcs int64) {
	if now := time.Now(); now.Sub(r.told) >= progressEvery {
		r.told = now
		r.o.Progress(Progress{Bytes: r.in.stored.n.Load(), Total: r.total, Arcs: arcs, Phase: phase})
	}
}

// input is the text of a file, decompressed and counted.
type input struct {
	r      *reader
	stored *meter
	text   *bufio.Reader
	n      int64 // bytes of text that were read
	packed bool
}
