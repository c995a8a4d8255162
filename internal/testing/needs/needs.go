// Package needs finds what tests take from the machine beside Go. Without it a test is skipped, and says what to
// install, or fails where a variable of the environment is "require": so nothing goes untested where all is there.
//
//	VYRE_PTXAS     ptxas and nvdisasm, which .ci/ptxas gets, and a C compiler; also "off", or the path of ptxas
//	VYRE_GPU       a GPU, with its driver
//	VYRE_NATIVE    machine code on device cpu
//	VYRE_BROWSER   chromium
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Toolkit is where .ci/ptxas unpacks what it gets, below the user's cache.
const Toolkit = "vyre/cuda-11.8"

// PTXAS returns the path of ptxas.
func PTXAS(t testing.TB) string {
	t.Helper()
	switch want := os.Getenv("VYRE_PTXAS"); want {
	case "off":
		t.Skip("VYRE_PTXAS=off")
	case "", "require":
	default:
		return want
	}
	if cache, err := os.UserCacheDir(); err == nil {
		path := filepath.Join(cache, filepath.FromSlash(Toolkit), "usr", "bin", "ptxas")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("ptxas")
	if err != nil {
		Missing(t, "VYRE_PTXAS", "no ptxas: run .ci/ptxas, or name one in VYRE_PTXAS")
	}
	return path
}

// Disassembler returns the path of the nvdisasm beside ptxas.
func Disassembler(t testing.TB) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(PTXAS(t)), "nvdisasm")
	if _, err := os.Stat(path); err != nil {
		Missing(t, "VYRE_PTXAS", "no nvdisasm beside ptxas: run .ci/ptxas")
	}
	return path
}

// Compiler returns the path of a C compiler. What requires ptxas requires one as well: they are compared.
func Compiler(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		Missing(t, "VYRE_PTXAS", "no C compiler: install gcc")
	}
	return path
}

// Browser returns the path of chromium.
func Browser(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "VYRE_BROWSER", "no chromium on the PATH: install it")
	return ""
}

// Tool returns the path of a command that makes what a test reads.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "VYRE_TOOLS", "no "+name+" on the PATH, which makes what the test reads: install "+name)
	}
	return path
}

// MachineCode takes what the engine of device cpu says of this machine: nil, if it can run machine code.
func MachineCode(t testing.TB, unavailable error) {
	t.Helper()
	if unavailable != nil {
		Missing(t, "VYRE_NATIVE", unavailable)
	}
}

// GPU takes why there is none: nil, if there is one.
func GPU(t testing.TB, unavailable error) {
	t.Helper()
	if unavailable != nil {
		Missing(t, "VYRE_GPU", fmt.Sprint("no GPU: ", unavailable))
	}
}

// CLibrary takes why the C library cannot be loaded: nil, if it can.
func CLibrary(t testing.TB, unavailable error) {
	t.Helper()
	if unavailable != nil {
		Missing(t, "VYRE_TOOLS", fmt.Sprint("no libc.so.6, which a Linux with glibc has: ", unavailable))
	}
}

// Missing skips the test, or fails it where the variable is "require": what says what is not there, and how to get it.
func Missing(t testing.TB, variable string, what any) {
	t.Helper()
	if os.Getenv(variable) == "require" {
		t.Fatal(variable, "=require: ", what)
	}
	t.Skip(what)
}
