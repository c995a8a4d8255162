package toolkit

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/govyre/vyre/internal/atomicfile"
)

// Toolkit compiles and assembles. Dir, Sources and Work must be set.
type Toolkit struct {
	Dir     string // where the package was unpacked
	Sources string // folder of the reference kernels
	Work    string // folder for what is made
	SM      int    // architecture
}

// Folder is where .ci/ptxas unpacks the package.
func Folder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "vyre", "cuda-11.8"), err
}

// Text compiles a file of reference kernels to PTX, with or without contraction of products and sums, as nvcc -O3 does.
func (t *Toolkit) Text(name string, contract bool) (string, error) {
	src, base, fmad := filepath.Join(t.Sources, name+".cu"), name, "-fmad=1"
	if !contract {
		base, fmad = name+"-nofmad", "-fmad=0"
	}
	at := func(suffix string) string { return filepath.Join(t.Work, base+suffix) }
	if _, err := t.exec("gcc", "-E", "-x", "c++", "-m64", fmt.Sprintf("-D__CUDA_ARCH__=%d0", t.SM),
		"-include", filepath.Join(t.Sources, "prelude.h"), "-isystem", filepath.Join(t.Sources, "headers"), src, "-o", at(".ii")); err != nil {
		return "", err
	}
	tools := filepath.Join(t.Dir, "usr", "lib", "nvidia-cuda-toolkit")
	// The options that nvcc -O3 passes on; what cicc writes beside the PTX is for host code.
	if _, err := t.exec(filepath.Join(tools, "bin", "cicc"), "--c++17", "--gnu_version=120200", "-m64", "--no-version-ident",
		"--orig_src_file_name", src, "--orig_src_path_name", src, "-arch", fmt.Sprintf("compute_%d", t.SM),
		"-ftz=0", "-prec_div=1", "-prec_sqrt=1", fmad, "-tused", "--include_file_name", "fatbin.c",
		"--gen_module_id_file", "--module_id_file_name", at(".id"), "--gen_c_file_name", at(".c"),
		"--stub_file_name", at(".stub.c"), "--gen_device_file_name", at(".gpu"),
		"-nvvmir-library", filepath.Join(tools, "libdevice", "libdevice.10.bc"), at(".ii"), "-o", at(".ptx")); err != nil {
		return "", err
	}
	text, err := os.ReadFile(at(".ptx"))
	for _, suffix := range []string{".ii", ".id", ".c", ".stub.c", ".gpu", ".ptx"} {
		os.Remove(at(suffix))
	}
	return string(text), err
}

// Assemble makes machine code of PTX. It returns the disassembly and the assembler's report, and leaves the text and the
// disassembly in files of that name.
func (t *Toolkit) Assemble(name, text string) (disassembly, report string, err error) {
	base := filepath.Join(t.Work, name)
	if err := atomicfile.WriteBytes(context.Background(), base+".ptx", []byte(text)); err != nil {
		return "", "", err
	}
	bin := filepath.Join(t.Dir, "usr", "bin")
	report, err = t.exec(filepath.Join(bin, "ptxas"), "-v", "-O3", "-arch", fmt.Sprintf("sm_%d", t.SM), "-o", base+".cubin", base+".ptx")
	if err != nil {
		return "", "", err
	}
	disassembly, err = t.exec(filepath.Join(bin, "cuobjdump"), "-sass", base+".cubin")
	if err != nil {
		return "", "", err
	}
	os.Remove(base + ".cubin")
	return disassembly, report, atomicfile.WriteBytes(context.Background(), base+".sass", []byte(disassembly))
}

func (t *Toolkit) exec(name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(t.Dir, "usr", "bin")+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out.String())
	}
	return out.String(), nil
}
