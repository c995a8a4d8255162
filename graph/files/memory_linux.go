package files

import "syscall"

// halfOfMemory is what arcs may take if nobody says more.
func halfOfMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 8 << 30
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit) / 2)
}
