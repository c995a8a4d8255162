package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
)

// diagnosed returns an error with what a launch needs and what the device has, if that is what it is about.
func (r *lowered) diagnosed(err error) error {
	if err != nil && len(r.launches) > 0 {
		primary.Diagnose(err, r.diagnosis)
	}
	return err
}

// diagnosis is that of the launch that an error is about, by its path, if the device has too little for it. A graph is
// refused as a whole, by the path of the first command in it: then it is the first launch that the device has too
// little for.
func (r *lowered) diagnosis(e *driver.Error) driver.Diagnosis {
	at, blocked := 0, -1
	all := make([]driver.Diagnosis, len(r.launches))
	for i := range r.launches {
		l := &r.launches[i]
		if all[i] = l.diagnosis(&r.x.GPU.Caps); len(all[i].Failures) > 0 && blocked < 0 {
			blocked = i
		}
		if l.cmd.Path == e.Path {
			at = i
		}
	}
	if len(all[at].Failures) == 0 && blocked >= 0 {
		at = blocked
	}
	return all[at]
}

// diagnosis compares the launch with the device.
func (l *launch) diagnosis(c *driver.Caps) driver.Diagnosis {
	q := driver.RequirementOf(l.kernel, l.cmd.Grid, l.cmd.Rest)
	if l.resident && l.cmd.Rest == 0 {
		q.Occupancy = l.kernel.Occupancy(0) // with a Rest it would ask the driver, which is answering just now
	}
	return driver.Diagnose(c, q)
}
