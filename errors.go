package vyre

import "github.com/govyre/vyre/driver"

// Error is the one type of error of devices and everything on them.
type Error = driver.Error

// Kind classifies an error. errors.Is(err, vyre.Busy) asks for one.
type Kind = driver.Kind

// TrapError is the record of a trap: what the program found wrong, and where.
type TrapError = driver.TrapError

// The kinds of error.
const (
	InvalidProgram  = driver.InvalidProgram
	InvalidArgument = driver.InvalidArgument
	Unsupported     = driver.Unsupported
	Unavailable     = driver.Unavailable
	OutOfMemory     = driver.OutOfMemory
	CompileFailed   = driver.Compile
	DeviceFault     = driver.DeviceFault
	Trap            = driver.Trap
	DeviceLost      = driver.DeviceLost
	Busy            = driver.Busy
	Canceled        = driver.Canceled
	Closed          = driver.Closed
	Internal        = driver.Internal
)
