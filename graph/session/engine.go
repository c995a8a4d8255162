package session

import (
	"fmt"
)

// Engine is what answers the questions of a session. Answers are the same bit by bit.
type Engine uint8

// The engines.
const (
	AutoEngine   Engine = iota // Native on device cpu, unless a topology is asked for; elsewhere Waves, and Native beside them for searches that it was measured to be faster at
	WavesEngine                // kernels on the session's device, on device cpu too
	NativeEngine               // Go on the cores of the host, by package graph/internal/cpu; nothing is on the device
)

func (e Engine) String() string {
	switch e {
	case AutoEngine:
		return "auto"
	case WavesEngine:
		return "waves"
	case NativeEngine:
		return "native"
	}
	return fmt.Sprintf("engine %d", uint8(e))
}
