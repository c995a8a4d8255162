package files

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// HalfOfMemory is what arcs and a graph may take if nobody says more: half of what the machine has, or of what the control groups
// of this process allow.
func HalfOfMemory() int64 {
	machine := int64(16 << 30)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		machine = int64(uint64(info.Totalram) * uint64(info.Unit))
	}
	return min(machine, groupLimit("/")) / 2
}

// groupLimit is the least limit of memory that a control group of this process has, or one that it is in; MaxInt64 if none has one.
// Both versions of control groups are looked at, since a machine may have both. The root is the file system's, or a test's.
func groupLimit(root string) int64 {
	limit := int64(math.MaxInt64)
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return limit
	}
	mounts := mountsOf(root)
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		version, file := "cgroup", "memory.limit_in_bytes"
		switch {
		case parts[0] == "0" && parts[1] == "":
			version, file = "cgroup2", "memory.max"
		case !slices.Contains(strings.Split(parts[1], ","), "memory"):
			continue
		}
		for _, m := range mounts {
			if m.version == version {
				limit = min(limit, m.limit(root, parts[2], file))
			}
		}
	}
	return limit
}

// mount is where a hierarchy of control groups that limit memory is: version is the type of its file system, and top the group
// that is at its point.
type mount struct{ version, top, point string }

// mountsOf reads them from /proc/self/mountinfo: fields up to a dash of its own, of which the fourth is the top and the fifth the
// point, then the type, the source and the options of the file system. Blanks and backslashes are escaped, and rare enough.
func mountsOf(root string) (list []mount) {
	b, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		at, of := strings.Fields(before), strings.Fields(after)
		if !ok || len(at) < 5 || len(of) < 3 {
			continue
		}
		if of[0] == "cgroup2" || of[0] == "cgroup" && slices.Contains(strings.Split(of[2], ","), "memory") {
			list = append(list, mount{of[0], at[3], at[4]})
		}
	}
	return list
}

// limit is the least limit of a group and those that it is in, as far as they can be seen. In a container the group may be named
// as the host does, while its own is all that is mounted: then the mount's is its limit.
func (m mount) limit(root, group, file string) int64 {
	limit := int64(math.MaxInt64)
	below, inside := strings.CutPrefix(group, strings.TrimSuffix(m.top, "/"))
	if !inside || below != "" && below[0] != '/' {
		below = "/"
	}
	for at := path.Clean("/" + below); ; at = path.Dir(at) {
		if b, err := os.ReadFile(filepath.Join(root, m.point, at, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 { // "max" is none
				limit = min(limit, n)
			}
		}
		if at == "/" {
			return limit
		}
	}
}
