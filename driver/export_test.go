package driver

// LaneCount is how many rows of a batch run at the same time.
var LaneCount = laneCount
