package primary

import (
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// tooLittle are the results of a kernel that the driver finds no room for: registers, threads or shared memory, groups
// that have to run at once, a cluster of them.
var tooLittle = []cu.Result{701, 720, 912}

// Diagnose adds to an error of such a result, made by ErrorOf, what the kernel needs and what the device has.
func Diagnose(err error, of func(e *driver.Error) driver.Diagnosis) {
	if err == nil {
		return
	}
	var e *driver.Error
	if !errors.As(err, &e) || !slices.Contains(tooLittle, cu.Result(e.Code)) || errors.As(err, new(driver.Diagnosis)) {
		return
	}
	d := of(e)
	e.Msg += ": " + d.String()
	e.Err = errors.Join(e.Err, d)
}
