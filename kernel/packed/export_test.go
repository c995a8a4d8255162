package packed

import (
	"os"
	"path/filepath"
	"time"
)

// Linked is a process that was linked at a time, with the data that a file had then.
type Linked struct {
	at time.Time
	*Programs
}

// Link is the linker: it puts the data file beside a launcher into a process.
func Link(at time.Time, launcher, command string) (Linked, error) {
	file := filepath.Base(launcher[:len(launcher)-len(".go")] + ".vyp")
	data, err := os.ReadFile(filepath.Join(filepath.Dir(launcher), file))
	p := Open(file, command, string(data))
	p.launcher = launcher
	return Linked{at, p}, err
}

// Compare is what such a process finds of a kernel.
func (l Linked) Compare(kernel string) error {
	f, err := l.open()
	if err != nil {
		return err
	}
	b := beside{built: func() time.Time { return l.at }}
	for _, p := range f.Programs {
		if p.Name == kernel {
			return b.stale(l.Programs, p.Made)
		}
	}
	return os.ErrNotExist
}
