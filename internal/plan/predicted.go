package plan

import "fmt"

// Counted is what a run came to, from the driver's telemetry and the record.
type Counted struct {
	Launches     uint64 // that the host began
	Rounds       uint64
	GridBarriers uint64
	HostWaits    uint64
	Uploads      uint64
	UploadBytes  uint64
	ReadBytes    uint64
	DeviceBytes  uint64 // live on the device
	Allocations  uint64 // that the device's allocator was asked for
}

// Fields is a set of the fields of Counted.
type Fields uint16

// The fields.
const (
	Launches Fields = 1 << iota
	Rounds
	GridBarriers
	HostWaits
	Uploads
	UploadBytes
	ReadBytes
	DeviceBytes
	Allocations
)

var fieldNames = [...]string{"launches", "rounds", "grid barriers", "host waits", "uploads", "upload bytes", "read bytes", "device bytes", "allocations"}

// Predicted is what a plan says that its run will come to.
type Predicted struct {
	Counted
	Unknown Fields // that no plan can tell, such as the rounds of most
}

// Difference is a field in which a run was not what its plan said.
type Difference struct {
	Field              string
	Predicted, Counted uint64
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: predicted %d, counted %d", d.Field, d.Predicted, d.Counted)
}

// Check lists the known fields in which the run was different, in the order of Counted.
func (p *Predicted) Check(c Counted) (list []Difference) {
	predicted, counted := p.Counted.values(), c.values()
	for i, name := range fieldNames {
		if p.Unknown&(1<<i) == 0 && predicted[i] != counted[i] {
			list = append(list, Difference{name, predicted[i], counted[i]})
		}
	}
	return list
}

// values returns the fields in the order of Fields.
func (c *Counted) values() [len(fieldNames)]uint64 {
	return [...]uint64{c.Launches, c.Rounds, c.GridBarriers, c.HostWaits, c.Uploads, c.UploadBytes, c.ReadBytes, c.DeviceBytes, c.Allocations}
}
