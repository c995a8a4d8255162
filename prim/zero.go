package prim

import (
	"reflect"
	"strings"

	"github.com/govyre/vyre"
)

// makers name the functions that make a type, where that is not New and its name alone.
var makers = map[string]string{
	"Arg": "prim.NewArgMin or prim.NewArgMax", "Scan": "prim.NewScan or prim.NewExclusiveScan", "Reduce": "prim.NewReduce or prim.NewReduceTo",
	"HeadScan": "prim.NewHeadScan or prim.NewExclusiveHeadScan", "SegmentedScan": "prim.NewSegmentedScan or prim.NewExclusiveSegmentedScan",
	"Move": "prim.NewGather or prim.NewScatter", "Select": "prim.NewSelect or prim.NewPartition",
}

// unmade reports whether p is nil or a zero value, which no constructor has made. A sequence that it is recorded in then says so
// when it is prepared.
func unmade[P any](seq *vyre.Sequence, p *P) bool {
	if p != nil && !reflect.ValueOf(p).Elem().IsZero() {
		return false
	}
	if seq != nil {
		name := reflect.TypeFor[P]().Name()
		base, _, _ := strings.Cut(name, "[")
		by := makers[base]
		if by == "" {
			by = "prim.New" + base
		}
		seq.Refuse(&vyre.Error{Op: "record", Label: "prim." + name, Kind: vyre.InvalidArgument,
			Msg: "the primitive is a zero value or nil", Fix: "make it with " + by})
	}
	return true
}

// unrecorded is the error of a step that is in no sequence.
func unrecorded() error {
	return &vyre.Error{Op: "set", Label: "prim.Step", Kind: vyre.InvalidArgument,
		Msg: "the step is nil, or Record has not returned it", Fix: "set what Record of a primitive returns"}
}
