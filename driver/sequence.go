package driver

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/spans"
)

// maxLoopDepth bounds the nesting of Repeat and While.
const maxLoopDepth = bundle.MaxDepth

// Sequence records commands for one device, checks and fuses them in Prepare, and runs them
// as a unit, as often as wanted. Commands are numbered from 0; "4.body.1" is the second
// command in the body of the loop that is the fifth command.
//
// Recording methods return handles and no errors: Prepare reports everything at once. After
// it the commands stand; the setters of the handles change inputs, outputs, arguments, grids
// and counts between runs, check what they change, and answer Busy while a run is in flight.
// On no sequence (nil, or one that no device made) recording does nothing, Scratch is nil, and whatever returns an error refuses.
type Sequence struct {
	dev   Device
	core  *Core
	exec  Executor
	label string
	tally *Tally

	made captureStack
	recording
	settings
	progress
}

// recording is what was recorded.
type recording struct {
	commands []any    // *FillCmd, *Input, *CopyCmd, *Step, *Loop, *Output
	at       *[]any   // where recording goes on
	prefix   string   // path of *at
	depth    int      // loops around it
	problems Problems // of recording itself

	inputs  []*Input
	outputs []*Output
	whiles  []*Loop
	scratch []*scratch
}

// settings is what was said before Prepare.
type settings struct {
	untimed       bool
	timeTransfers bool
	timeCommands  bool
	lower         Lowering
}

// progress is how far a sequence is.
type progress struct {
	mu       sync.Mutex
	closed   bool
	closing  sync.Once
	closeErr error
	plan     *Plan
	plain    *pending
	graphs   []*Graph
	flying   *pending // the run in flight
	starting bool     // someone is in Start for it
	waiting  bool     // someone is in Wait for it
	cut      *Error   // of the last run, if it ended with its context
	after    []Runner // reused by Start
}

// NewSequence returns a sequence for a device; devices call it.
func NewSequence(dev Device, exec Executor, label string) *Sequence {
	s := &Sequence{dev: dev, core: dev.core(), exec: exec, label: label}
	s.at, s.made, s.tally = &s.commands, s.core.captureStack(), s.core.takeTally()
	if err := s.core.enterRoot(s); err != nil {
		s.closed = true
	}
	return s
}

// absent returns nil, or the error of a sequence that is nil or that no device made. Recording on such a one does nothing,
// so that this is said once, by what would run it, and by the setters of the handles.
func (s *Sequence) absent(op string) error {
	if s != nil && s.core != nil {
		return nil
	}
	return &Error{Op: op, Kind: InvalidArgument, Msg: "the sequence is nil, or was not made by a device", Fix: "make one with NewSequence"}
}

// Label returns the name the sequence was given.
func (s *Sequence) Label() string {
	if s == nil {
		return ""
	}
	return s.label
}

// Device returns the device that the sequence runs on.
func (s *Sequence) Device() Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Mode says when an upload sends its bytes.
type Mode uint8

// The modes. IfChanged and Static skip the copy only if the run that sent the bytes
// succeeded and nothing has written them on the device since.
const (
	Always    Mode = iota // in every run
	IfChanged             // when they differ from those sent last
	Static                // when Touch or Set was called since they were sent
)

func (m Mode) String() string {
	switch m {
	case Always:
		return "always"
	case IfChanged:
		return "if changed"
	case Static:
		return "static"
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Input is the host side of an upload.
type Input struct {
	seq     *Sequence
	path    string
	dst     Range
	mode    Mode
	src     []byte
	host    *HostMemory // that holds src, if any does
	changed uint64      // grows with Touch, and with Set of a static input
	reads   int         // how many of the outputs are recorded before
}

// Output is the host side of a read.
type Output struct {
	seq  *Sequence
	path string
	src  Range
	dst  []byte
	host *HostMemory
}

// Bytes returns where the next run takes the input from.
func (in *Input) Bytes() []byte { return in.src }

// Host returns the host memory that holds the bytes, or nil.
func (in *Input) Host() *HostMemory { return in.host }

// Bytes returns where the next run delivers the output.
func (out *Output) Bytes() []byte { return out.dst }

// Host returns the host memory that holds the bytes, or nil.
func (out *Output) Host() *HostMemory { return out.host }

// DefaultTraces is how many trace records of a launch are kept, unless SetTrace says otherwise.
const DefaultTraces = 1024

// tracesOf is how many of a kernel's are: all spans that a timeline takes of a launch, if it records any.
func tracesOf(k Kernel) int {
	if spans.Of(k) != nil {
		return spans.PerLaunch
	}
	return DefaultTraces
}

// maxTraces bounds what SetTrace takes.
const maxTraces = 1 << 20

// Step is a launch.
type Step struct {
	seq  *Sequence
	cmd  LaunchCmd
	args []slot // as recorded or set
}

// Loop is a Repeat or a While.
type Loop struct {
	seq   *Sequence
	cmd   LoopCmd
	flag  Range // of a While, as recorded
	count int   // as recorded
	body  []any
	last  LoopResult
}

// scratch is memory private to a sequence. It exists on the device from Prepare on.
type scratch struct {
	Leaf
	seq   *Sequence
	bytes int64
	inner Buffer
}

// record appends a command and returns its path.
func (s *Sequence) record(cmd any) string {
	if s.absent("record") != nil {
		return ""
	}
	switch c := cmd.(type) {
	case *Input:
		c.reads = len(s.outputs)
		s.inputs = append(s.inputs, c)
	case *Output:
		s.outputs = append(s.outputs, c)
	case *Loop:
		if c.cmd.While {
			s.whiles = append(s.whiles, c)
		}
	}
	path := s.prefix + strconv.Itoa(len(*s.at))
	if s.prepared() {
		s.complain("record", "", path, "the sequence was prepared, its commands stand", "record another sequence, or change this one by the setters of its handles")
	}
	*s.at = append(*s.at, cmd)
	return path
}

func (s *Sequence) complain(op, label, path, msg, fix string) {
	s.problems = append(s.problems, &Error{Op: op, Label: label, Device: s.dev.Name(), Path: path, Kind: InvalidArgument, Msg: msg, Fix: fix})
}

// NoDeviceTime leaves out what measures time on the device: results then have none, and a run
// takes a little less. It is said before Prepare.
func (s *Sequence) NoDeviceTime() {
	if s.unprepared("time") {
		s.untimed = true
	}
}

// TimeTransfers says whether results tell how long transfers before and after the work took on
// the device. It is said before Prepare.
func (s *Sequence) TimeTransfers(on bool) {
	if s.unprepared("time") {
		s.timeTransfers = on
	}
}

// unprepared reports whether the sequence may be told something, and complains about what comes too late.
func (s *Sequence) unprepared(op string) bool {
	if s.absent(op) != nil {
		return false
	}
	if s.prepared() {
		s.complain(op, "", "", "the sequence was prepared", "say it before Prepare, Run, Start or Capture")
		return false
	}
	return true
}

// prepared reports whether there is a plan, which Close of the device may take away while the sequence is recorded.
func (s *Sequence) prepared() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan != nil
}

// Fill stores the low width bytes of value, little endian, over dst again and again. width
// is 1, 2, 4 or 8; offset and length of dst are multiples of it.
func (s *Sequence) Fill(dst Range, value uint64, width int) {
	c := &FillCmd{Dst: dst.owned(), Value: value, Width: width}
	c.Path = s.record(c)
}

// Upload stores host bytes into dst. src is taken when a run starts, unless it lies in a
// HostMemory: then it belongs to the run until Wait. So a run refuses memory that a read before it fetches.
func (s *Sequence) Upload(dst Range, src []byte, mode Mode) *Input {
	in := &Input{seq: s, dst: dst.owned(), src: src, mode: mode}
	in.path = s.record(in)
	return in
}

// Copy copies src to dst on the device. They have equal lengths and do not overlap.
func (s *Sequence) Copy(dst, src Range) {
	c := &CopyCmd{Dst: dst.owned(), Src: src.owned()}
	c.Path = s.record(c)
}

// Launch runs a kernel with one argument a parameter, in order: a Range for a buffer, a
// Scalar of the exact type for a value; then a Rest, if the kernel has a shared array of
// launch-time length. Ranges may not overlap, unless the kernel only reads both. A type that embeds
// a kernel, as generated launchers do, stands for it.
func (s *Sequence) Launch(k Kernel, grid Grid, args ...Arg) *Step {
	if k != nil {
		if made, ok := own(k); ok {
			k = made
		}
	}
	st := &Step{seq: s, cmd: LaunchCmd{Kernel: k, Grid: grid.full(), Traces: tracesOf(k)}, args: make([]slot, len(args))}
	for i, a := range args {
		st.args[i] = slotOf(a)
	}
	st.cmd.Path = s.record(st)
	return st
}

// Repeat runs what body records n times. body is recorded and checked even for n = 0. Loops nest up to four deep.
func (s *Sequence) Repeat(n int, body func()) *Loop {
	return s.loop(&Loop{seq: s, count: n}, body)
}

// While runs what body records while the u32 at flag is not zero, max times at most:
//
//	for i := 0; i < max && flag != 0; i++ { body }
func (s *Sequence) While(flag Range, max int, body func()) *Loop {
	return s.loop(&Loop{seq: s, count: max, flag: flag.owned(), cmd: LoopCmd{While: true}}, body)
}

func (s *Sequence) loop(l *Loop, body func()) *Loop {
	l.cmd.Path = s.record(l)
	if s.absent("record") != nil {
		if body != nil {
			body() // which makes handles that its caller may go on with
		}
		return l
	}
	if s.depth == maxLoopDepth {
		s.complain("loop", "", l.cmd.Path, fmt.Sprintf("loops nest deeper than %d", maxLoopDepth), "unroll the innermost loop or move it into a kernel")
	}
	if body == nil {
		s.complain("loop", "", l.cmd.Path, "the body is nil", "pass a function that records the commands of a round")
		return l
	}
	outer, prefix, returned := s.at, s.prefix, false
	s.at, s.prefix, s.depth = &l.body, l.cmd.Path+".body.", s.depth+1
	defer func() {
		s.at, s.prefix, s.depth = outer, prefix, s.depth-1
		if !returned { // it panicked, and somebody may recover
			s.complain("loop", "", l.cmd.Path, "the body was left before its end", "record another sequence")
		}
	}()
	body()
	returned = true
	return l
}

// Read fetches src. dst receives the bytes as of this point when Wait succeeds, or fails
// with a trap. It is not allowed in a loop.
func (s *Sequence) Read(src Range, dst []byte) *Output {
	out := &Output{seq: s, src: src.owned(), dst: dst}
	out.path = s.record(out)
	if s != nil && s.depth > 0 {
		s.complain("read", "", out.path, "a read in a loop would deliver only the last round", "read after the loop")
	}
	return out
}

// Scratch returns memory private to the sequence.
func (s *Sequence) Scratch(bytes int64) Buffer {
	if s.absent("scratch") != nil {
		return nil
	}
	b := &scratch{seq: s, bytes: bytes}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.id, b.dev, b.object, b.what, b.label = ids.Add(1), s.core, b, "scratch", fmt.Sprintf("%s scratch %d", s.label, len(s.scratch))
	if bytes < 0 {
		s.complain("scratch", b.label, "", fmt.Sprintf("size is %d bytes", bytes), "")
	}
	s.scratch = append(s.scratch, b)
	return b
}

// Device returns the device of the sequence.
func (b *scratch) Device() Device { return b.seq.dev }

// Len returns the size in bytes.
func (b *scratch) Len() int64 { return b.bytes }

// Reserved returns the bytes charged: none before Prepare.
func (b *scratch) Reserved() int64 {
	if inner := b.memory(); inner != nil {
		return inner.Reserved()
	}
	return 0
}

// memory is nil before Prepare, and after the sequence was closed.
func (b *scratch) memory() Buffer {
	b.seq.mu.Lock()
	defer b.seq.mu.Unlock()
	return b.inner
}

// Address returns where the memory is; before Prepare it is nowhere.
func (b *scratch) Address() (uint64, error) {
	inner := b.memory()
	if inner == nil {
		return 0, &Error{Op: "address", Label: b.label, Device: b.dev.name, Kind: InvalidArgument, Msg: "scratch memory exists from Prepare on", Fix: "prepare the sequence first"}
	}
	return inner.Address()
}

// Close answers Busy: scratch memory goes with its sequence.
func (b *scratch) Close() error {
	return &Error{Op: "close", Label: b.label, Device: b.dev.name, Kind: Busy, Msg: fmt.Sprintf("scratch is held by %q", b.seq.label), Fix: "close the sequence"}
}

// Iterations returns how often the body of a While ran, the last time it did.
func (l *Loop) Iterations() uint64 { return l.last.Iterations }

// Converged reports whether a While ended because its flag was 0.
func (l *Loop) Converged() bool { return l.last.Converged }

// Refuse adds a finding to what Prepare reports: of a package that records commands for its user, and was asked for what
// cannot be.
func (s *Sequence) Refuse(e *Error) {
	if s.absent("record") == nil {
		s.problems = append(s.problems, e)
	}
}
