package main

import (
	"encoding/json"
	"fmt"

	"github.com/govyre/vyre/internal/doctor"
	"github.com/govyre/vyre/internal/printable"
)

// doctorCmd says why a device does not work.
type doctorCmd struct {
	Device string `completes:"device" placeholder:"NAME" help:"Device that has to work; without it, the one that programs get from auto."`
	JSON   bool   `help:"Print the checks as JSON."`
}

// Help is the long help of the command.
func (doctorCmd) Help() string {
	return `A line is one check: ok, warn or FAIL, what was found, and what helps. The exit status is 1 after a FAIL. A machine
without a GPU has no FAIL, unless --device or VYRE_DEVICE names a GPU.`
}

type doctorJSON struct {
	Device string         `json:"device"` // that was opened; empty if none was
	OK     bool           `json:"ok"`     // no check failed
	Checks []doctor.Check `json:"checks"`
}

func (c *doctorCmd) Run(t *terminal) error {
	if err := checkDevice(c.Device); err != nil {
		return err
	}
	all := doctorJSON{OK: true}
	device, err := doctor.Examine(t.ctx, doctor.Subject{Device: c.Device}, func(check doctor.Check) {
		all.OK = all.OK && check.State != doctor.Fail
		all.Checks = append(all.Checks, check)
		if !c.JSON {
			fmt.Fprintln(t.out, printable.Text(check.String()))
		}
	})
	if err != nil {
		return err
	}
	if c.JSON {
		all.Device = device
		if err := json.NewEncoder(printable.JSONWriter(t.out)).Encode(all); err != nil {
			return err
		}
	}
	if !all.OK {
		return errSilent
	}
	return nil
}
