package files_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/graph/files"
)

// TestLimitsOfControlGroups: a process may be allowed less memory than the machine has, by its group or one that that is in, in
// both versions, and in a container that sees only its own part of the tree.
func TestLimitsOfControlGroups(t *testing.T) {
	const (
		two = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		one = "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n32 23 0:28 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
	)
	for _, c := range []struct {
		name, groups, mounts string
		files                map[string]string
		want                 int64
	}{
		{"no groups", "", "", nil, math.MaxInt64},
		{"version 2", "0::/a/b\n", two, map[string]string{"sys/fs/cgroup/a/b/memory.max": "4096000\n"}, 4096000},
		{"version 2, a parent", "0::/a/b/c\n", two, map[string]string{"sys/fs/cgroup/a/b/c/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.max": "9000000\n", "sys/fs/cgroup/a/memory.max": "5000000\n"}, 5000000},
		{"version 2, none", "0::/a\n", two, map[string]string{"sys/fs/cgroup/a/memory.max": "max\n"}, math.MaxInt64},
		{"version 2, a neighbour", "0::/ab\n", two, map[string]string{"sys/fs/cgroup/a/memory.max": "7000\n"}, math.MaxInt64},
		{"version 2, in a container", "0::/\n", two, map[string]string{"sys/fs/cgroup/memory.max": "6000000\n"}, 6000000},
		{"version 2, a container without a name space", "0::/docker/7f\n", "30 23 0:26 /docker/7f /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", map[string]string{"sys/fs/cgroup/memory.max": "6000000\n"}, 6000000},
		{"version 2, named from outside", "0::/../../x\n", two, map[string]string{"sys/fs/cgroup/memory.max": "6000000\n"}, 6000000},
		{"version 1", "12:cpu,cpuacct:/a\n4:hugetlb,memory:/a/b\n1:name=systemd:/c\n", one, map[string]string{"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3000000\n"}, 3000000},
		{"version 1, in a container", "4:memory:/docker/7f\n", one, map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "3000000\n"}, 3000000},
		{"both versions", "4:memory:/a\n0::/b\n", one + two, map[string]string{"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "5000000\n", "sys/fs/cgroup/b/memory.max": "8000000\n"}, 5000000},
		{"elsewhere", "0::/a\n", "30 23 0:26 / /groups rw - cgroup2 none rw\n", map[string]string{"groups/a/memory.max": "77000\n"}, 77000},
		{"nonsense", "0::\nx\n::::\n", "a - b\n" + two + " - \n", map[string]string{"sys/fs/cgroup/memory.max": "-3\n"}, math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			put := func(name, content string) {
				name = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			put("proc/self/cgroup", c.groups)
			put("proc/self/mountinfo", c.mounts)
			for name, content := range c.files {
				put(name, content)
			}
			if got := files.GroupLimit(root); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
	if n := files.HalfOfMemory(); n <= 0 || n > math.MaxInt64/2 {
		t.Errorf("half of this machine is %d", n)
	}
}
