// Package room says how much of a device's memory a session may plan with.
package room

// Plannable is how much of the room on a device that is. Beside what a session counts buffers are rounded up, by less than an
// eighth, kernels are loaded and other programs run: 256 MiB or 3 % stay free, of little room an eighth.
func Plannable(room int64) uint64 {
	return max(uint64(room-min(room/8, max(256<<20, room/32))), 1) // 0 would be no budget
}
