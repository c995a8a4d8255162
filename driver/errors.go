package driver

import (
	"context"
	"fmt"
	"strings"
)

// Kind classifies an error. A Kind is itself an error, so errors.Is(err, driver.OutOfMemory)
// asks for one.
type Kind uint8

// The kinds of error.
const (
	InvalidProgram  Kind = iota + 1 // the program cannot run anywhere
	InvalidArgument                 // the caller passed something that breaks a rule
	Unsupported                     // this device cannot do it
	Unavailable                     // there is no such device, or it cannot be used
	OutOfMemory                     // Requested and Available say how far
	Compile                         // the device's assembler refused; Log has its words
	DeviceFault                     // the device failed while running, or Debug.Memcheck found something
	Trap                            // the program called trap; errors.As a *TrapError
	DeviceLost                      // an earlier fault ended the device; Fix says what helps
	Busy                            // something still refers to the object, or a run is in flight
	Canceled                        // the context ended the wait; the run goes on
	Closed                          // the object was closed
	Internal                        // our bug
)

var kindNames = [...]string{"no error", "invalid program", "invalid argument", "unsupported", "unavailable", "out of memory",
	"compile", "device fault", "trap", "device lost", "busy", "canceled", "closed", "internal"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return k.String() }

// Error is the one error type of devices and everything built on them.
type Error struct {
	Op     string // what was attempted: "alloc", "launch", "run"
	Label  string // of the object, as the user named it
	Device string // name of the device
	Path   string // of the command in its sequence, such as "4.body.1"
	Kind   Kind
	Msg    string // what happened, with the numbers
	Fix    string // what the caller can do; empty if nothing

	Code     int32  // native code of the device
	CodeName string // its name
	Call     string // the native function that returned it

	Requested, Available int64 // of OutOfMemory, in bytes

	Log  string // of the assembler
	Line int    // in the assembler's input
	Pos  string // in the source of the kernel

	Sticky bool  // the device is lost with this error
	Err    error // the cause
}

// Error returns one line:
//
//	vyre: <op> "<label>" on <device>: <kind>: at <path>: <msg> [<code name> <code>]; fix: <fix>
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("vyre: ")
	b.WriteString(e.Op)
	if e.Label != "" {
		fmt.Fprintf(&b, " %q", e.Label)
	}
	if e.Device != "" {
		b.WriteString(" on " + e.Device)
	}
	b.WriteString(": " + e.Kind.String())
	if e.Path != "" {
		b.WriteString(": at " + e.Path)
	}
	if e.Pos != "" {
		b.WriteString(": " + e.Pos)
	}
	if e.Msg != "" {
		b.WriteString(": " + e.Msg)
	}
	if e.Err != nil && e.Msg == "" {
		b.WriteString(": " + e.Err.Error())
	}
	if e.CodeName != "" {
		fmt.Fprintf(&b, " [%s %d]", e.CodeName, e.Code)
	}
	if e.Fix != "" {
		b.WriteString("; fix: " + e.Fix)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's Kind. A sticky fault also is DeviceLost.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && (k == e.Kind || k == DeviceLost && e.Sticky)
}

// Problems is everything Prepare found wrong with a sequence, in the order of its commands.
// errors.Is and errors.As look into all of them.
type Problems []*Error

// Error returns the findings, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the findings.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// TrapError is the record of the first trap of a launch. If several launches of a run trap, it is of the one
// that was recorded first.
type TrapError struct {
	Kernel       string
	Code         uint32
	Site         uint32 // row of the compiled program
	Value        uint64
	Group, Local [3]uint32
	Message      string
}

func (t *TrapError) Error() string { return "kernel " + t.Kernel + " trapped: " + t.Detail() }

// BoundsError is the first access out of bounds of a launch, which Debug.Memcheck found.
type BoundsError struct {
	Kernel       string
	Access       string // "load x[64]"
	Object       string // the parameter, or the array in the kernel
	Index        int64
	Len          uint64 // of the object, in elements
	Count        uint64 // of such accesses at that place of the kernel
	Group, Local [3]uint32
}

func (b *BoundsError) Error() string { return "kernel " + b.Kernel + ": " + b.Detail() }

// Detail says what the record holds, without the kernel.
func (b *BoundsError) Detail() string {
	s := fmt.Sprintf("%s is out of bounds, %s has length %d; group %v, local %v", b.Access, b.Object, b.Len, b.Group, b.Local)
	if b.Count > 1 {
		s += fmt.Sprintf(", the first of %d there", b.Count)
	}
	return s
}

// Detail says what the record holds, without the kernel.
func (t *TrapError) Detail() string {
	msg := t.Message
	if msg != "" {
		msg += ", "
	}
	return fmt.Sprintf("%scode %d, value %#x, group %v, local %v", msg, t.Code, t.Value, t.Group, t.Local)
}

// MayStart returns nil, or the error of what has nothing to start for: the context has ended, or there is none.
// Devices ask it before they compile.
func MayStart(ctx context.Context, op, label, device string) error {
	if ctx == nil {
		return noContext(op, label, device)
	}
	if err := ctx.Err(); err != nil {
		return &Error{Op: op, Label: label, Device: device, Kind: Canceled, Msg: "nothing was started", Err: err}
	}
	return nil
}

func noContext(op, label, device string) *Error {
	return &Error{Op: op, Label: label, Device: device, Kind: InvalidArgument, Msg: "the context is nil", Fix: "pass context.Background() if nothing is to end the call"}
}
