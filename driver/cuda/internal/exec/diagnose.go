package exec

import (
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// tooLittle are the results of a launch that the driver finds no room for: registers, threads or shared memory, groups
// that have to run at once, a cluster of them.
var tooLittle = []cu.Result{701, 720, 912}

// diagnosed adds to such a result what the launch needs and what the device has. Where the result does not say which
// launch it is about, that is the first one that the device has too little for.
func (r *lowered) diagnosed(err error) error {
	if err == nil {
		return nil
	}
	var e *driver.Error
	if !errors.As(err, &e) || !slices.Contains(tooLittle, cu.Result(e.Code)) || errors.As(err, new(driver.Diagnosis)) || len(r.launches) == 0 {
		return err
	}
	all := make([]driver.Diagnosis, len(r.launches))
	for i := range r.launches {
		all[i] = r.launches[i].diagnosis(&r.x.GPU.Caps)
	}
	at := slices.IndexFunc(r.launches, func(l launch) bool { return l.cmd.Path == e.Path })
	if at < 0 || len(all[at].Failures) == 0 {
		// A graph is refused as a whole, by the path of the first command in it.
		if blocked := slices.IndexFunc(all, func(d driver.Diagnosis) bool { return len(d.Failures) > 0 }); blocked >= 0 {
			at = blocked
		}
	}
	d := all[max(at, 0)]
	e.Msg += ": " + d.String()
	e.Err = errors.Join(e.Err, d)
	return err
}

// diagnosis compares the launch with the device.
func (l *launch) diagnosis(c *driver.Caps) driver.Diagnosis {
	q := driver.RequirementOf(l.kernel, l.cmd.Grid, l.cmd.Rest)
	if l.resident && l.cmd.Rest == 0 {
		q.Occupancy = l.kernel.Occupancy(0) // with a Rest it would ask the driver, which is answering just now
	}
	return driver.Diagnose(c, q)
}
