package packed

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/vyp"
	"github.com/govyre/vyre/ir"
)

// Programs are the programs of a generated Go file, in the data file that it embeds. All methods may be called at the
// same time.
type Programs struct {
	file, command string
	data          *string

	begin    sync.Once
	launcher string // path of the generated file, as the build has it; "" if it is not known
	read     *vyp.File
	damage   error

	mu   sync.Mutex
	kept map[string]weak.Pointer[ir.Program]
}

// Open returns the programs in a data file, given its name, the variable of its bytes, and the command that makes it. Only a variable
// of a generated file calls it, and functions of that file ask for the programs. Nothing is read before that. The compiler makes the
// result before a process begins, so the linker leaves the data file out of a program that asks for none of its kernels.
func Open(file, command string, data *string) *Programs {
	return &Programs{file: file, command: command, data: data}
}

// opened reads the table of the data file, once, for a launcher.
func (p *Programs) opened(launcher string) {
	p.begin.Do(func() {
		if p.launcher == "" {
			p.launcher = launcher
		}
		p.kept = make(map[string]weak.Pointer[ir.Program])
		p.read, p.damage = vyp.Open(*p.data)
	})
}

// Program returns the program of a kernel by the name of its Go function: the same one as long as somebody has it. It is an
// error if the source of the kernel has changed since, as far as the build of this process has seen it.
func (p *Programs) Program(kernel string) (*ir.Program, error) {
	_, launcher, _, _ := runtime.Caller(1)
	return p.program(launcher, kernel)
}

// program is Program for a caller in a file.
func (p *Programs) program(launcher, kernel string) (*ir.Program, error) {
	p.opened(launcher)
	if have := p.have(kernel); have != nil {
		return have, nil
	}
	made, err := p.decode(kernel)
	if err != nil {
		return nil, err
	}
	return p.keep(kernel, made), nil
}

// have is the program of a kernel if somebody has it.
func (p *Programs) have(kernel string) *ir.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[kernel].Value()
}

// keep remembers a program as long as somebody has it. Another one may have been made at the same time: then it is that.
func (p *Programs) keep(kernel string, made *ir.Program) *ir.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.kept[kernel].Value(); other != nil {
		return other
	}
	p.kept[kernel] = weak.Make(made)
	return made
}

// Instance returns the program of a generic kernel for a type argument, such as "uint8". It is otherwise like Program.
func (p *Programs) Instance(kernel, of string) (*ir.Program, error) {
	_, launcher, _, _ := runtime.Caller(1)
	return p.program(launcher, kernel+"["+of+"]")
}

func (p *Programs) decode(kernel string) (*ir.Program, error) {
	f := p.read
	if p.damage != nil {
		return nil, p.refuse(kernel, p.damage.Error())
	}
	function, of, generic := strings.Cut(kernel, "[")
	instances := false
	for _, entry := range f.Programs {
		if entry.Name != kernel {
			instances = instances || generic && strings.HasPrefix(entry.Name, function+"[")
			continue
		}
		if err := sources.stale(p, entry.Made); err != nil {
			return nil, err
		}
		made, err := f.Decode(entry)
		if err != nil {
			return nil, p.refuse(kernel, err.Error())
		}
		return made, nil
	}
	if instances {
		return nil, fmt.Errorf("kernel %s has no instance for %s", function, strings.TrimSuffix(of, "]"))
	}
	return nil, p.refuse(kernel, "it has no such program")
}

// refuse is an error about the data file.
func (p *Programs) refuse(kernel, what string) error {
	return &driver.Error{Op: "compile", Label: kernel, Kind: driver.InvalidProgram, Msg: p.file + ": " + what,
		Fix: fmt.Sprintf("run %s in %s, or go generate, and build again", p.command, filepath.Dir(p.launcher))}
}
