package asm

// Special is a special register.
type Special uint8

// The special registers.
const (
	NoSpecial Special = iota
	TidX
	TidY
	TidZ
	NTidX
	NTidY
	NTidZ
	CtaidX
	CtaidY
	CtaidZ
	NCtaidX
	NCtaidY
	NCtaidZ
	LaneID
	WarpID
	NWarpID
	SMID
	NSMID
	GridID
	LanemaskEQ
	LanemaskLE
	LanemaskLT
	LanemaskGE
	LanemaskGT
	Clock
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	TotalShared
	DynamicShared
)

var specials = map[string]Special{
	"%tid.x": TidX, "%tid.y": TidY, "%tid.z": TidZ, "%ntid.x": NTidX, "%ntid.y": NTidY, "%ntid.z": NTidZ,
	"%ctaid.x": CtaidX, "%ctaid.y": CtaidY, "%ctaid.z": CtaidZ, "%nctaid.x": NCtaidX, "%nctaid.y": NCtaidY, "%nctaid.z": NCtaidZ,
	"%laneid": LaneID, "%warpid": WarpID, "%nwarpid": NWarpID, "%smid": SMID, "%nsmid": NSMID, "%gridid": GridID,
	"%lanemask_eq": LanemaskEQ, "%lanemask_le": LanemaskLE, "%lanemask_lt": LanemaskLT, "%lanemask_ge": LanemaskGE, "%lanemask_gt": LanemaskGT,
	"%clock": Clock, "%clock_hi": ClockHi, "%clock64": Clock64,
	"%globaltimer": GlobalTimer, "%globaltimer_lo": GlobalTimerLo, "%globaltimer_hi": GlobalTimerHi,
	"%total_smem_size": TotalShared, "%dynamic_smem_size": DynamicShared,
}

// Type is the type of a special register.
func (s Special) Type() Type {
	switch s {
	case Clock64, GlobalTimer, GridID:
		return U64
	}
	return U32
}
