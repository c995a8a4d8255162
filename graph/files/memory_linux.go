package files

import "syscall"

// HalfOfMemory is what arcs and a graph may take if nobody says more.
func HalfOfMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 8 << 30
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit) / 2)
}
