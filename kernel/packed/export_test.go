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
	bytes := string(data)
	p := Open(file, command, &bytes)
	p.launcher = launcher
	return Linked{at, p}, err
}

// Compare is what such a process finds of a kernel.
func (l Linked) Compare(kernel string) error {
	l.opened("")
	if l.damage != nil {
		return l.damage
	}
	b := beside{built: func() time.Time { return l.at }}
	for _, p := range l.read.Programs {
		if p.Name == kernel {
			return b.stale(l.Programs, p.Made)
		}
	}
	return os.ErrNotExist
}

// Launcher is the path of the file that asked for the first program.
func (p *Programs) Launcher() string { return p.launcher }
