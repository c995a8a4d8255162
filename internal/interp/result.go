package interp

import "github.com/govyre/vyre/internal/launch"

// Result is what a run counted and found. It belongs to the caller.
type Result struct {
	launch.Result

	Rows          uint64 // rows run by warps; constants and other values known before the launch cost none
	LaneRows      uint64 // the same, each counted once for every lane that took part
	GroupBarriers uint64 // barriers of workgroup scope, one for each time all warps of a group met
	GridBarriers  uint64
	OutOfBounds   uint64   // elements that accesses named out of bounds
	StateBytes    int64    // what MaxState bounds, as it was at the end
	Reports       []Report // in order of rows, only with detectors
}
