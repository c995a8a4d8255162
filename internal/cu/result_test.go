package cu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cu"
)

func TestFailedCallNamesItselfAndItsResult(t *testing.T) {
	var err error = &cu.CallError{Call: "cuMemAlloc_v2", Result: cu.OutOfMemory}
	if got, want := err.Error(), "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY 2"; got != want {
		t.Errorf("error is %q, want %q", got, want)
	}
	if !errors.Is(err, cu.OutOfMemory) {
		t.Error("the error is not its result")
	}
}

func TestResultsBeyondTheHeaderKeepTheirNumber(t *testing.T) {
	if r := cu.Result(12345); r.Known() || !strings.Contains(r.Error(), "12345") {
		t.Errorf("result is %q, known %v", r.Error(), r.Known())
	}
}

func TestMissingLibraryIsNamed(t *testing.T) {
	const path = "/no/such/libcuda.so"
	_, err := cu.Load(path)
	var missing *cu.MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a MissingError", err)
	}
	if missing.Fix == "" {
		t.Error("it does not say what to do")
	}
	if len(missing.Tried) > 0 && !strings.Contains(err.Error(), path) {
		t.Errorf("it does not name %s: %v", path, err)
	}
}

func TestUUIDIsPrintedAsNvidiaSMIDoes(t *testing.T) {
	id := cu.UUID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}
	if got, want := id.String(), "GPU-01234567-89ab-cdef-fedc-ba9876543210"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
