package driver_test

import (
	"errors"
	"io"
	"testing"

	"github.com/govyre/vyre/driver"
)

func TestErrorIsOneLineThatLeavesOutWhatIsAbsent(t *testing.T) {
	for _, c := range []struct {
		name string
		err  *driver.Error
		want string
	}{
		{"all parts", &driver.Error{Op: "alloc", Label: "edges", Device: "cuda:0", Kind: driver.OutOfMemory,
			Msg: "requested 2147483648 bytes, 104857600 available; largest: csr 1073741824", Code: 2, CodeName: "CUDA_ERROR_OUT_OF_MEMORY", Fix: "close buffers or split the work"},
			`vyre: alloc "edges" on cuda:0: out of memory: requested 2147483648 bytes, 104857600 available; largest: csr 1073741824 [CUDA_ERROR_OUT_OF_MEMORY 2]; fix: close buffers or split the work`},
		{"least", &driver.Error{Op: "open", Kind: driver.Unavailable}, "vyre: open: unavailable"},
		{"path and position", &driver.Error{Op: "launch", Label: "k", Path: "4.body.1", Pos: "k.go:7:2", Kind: driver.Trap, Msg: "code 7"},
			`vyre: launch "k": trap: at 4.body.1: k.go:7:2: code 7`},
		{"cause", &driver.Error{Op: "wait", Kind: driver.Canceled, Err: io.EOF}, "vyre: wait: canceled: EOF"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestErrorAnswersToItsKindAndCause(t *testing.T) {
	err := error(&driver.Error{Kind: driver.DeviceFault, Err: io.EOF})
	if !errors.Is(err, driver.DeviceFault) || !errors.Is(err, io.EOF) || errors.Is(err, driver.DeviceLost) {
		t.Errorf("%v answers wrongly", err)
	}
	if sticky := error(&driver.Error{Kind: driver.DeviceFault, Sticky: true}); !errors.Is(sticky, driver.DeviceLost) {
		t.Error("a sticky fault is a lost device too")
	}
}

func TestProblemsAnswerForEachOfThem(t *testing.T) {
	err := error(driver.Problems{{Op: "fill", Path: "0", Kind: driver.InvalidArgument}, {Op: "launch", Path: "1", Kind: driver.Closed}})
	if !errors.Is(err, driver.InvalidArgument) || !errors.Is(err, driver.Closed) || errors.Is(err, driver.Busy) {
		t.Errorf("%v answers wrongly", err)
	}
	if want := "vyre: fill: invalid argument: at 0\nvyre: launch: closed: at 1"; err.Error() != want {
		t.Errorf("text is %q, want %q", err, want)
	}
}
