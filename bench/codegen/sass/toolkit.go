package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// toolkit runs the parts of nvcc one by one.
type toolkit struct {
	dir     string // where the package was unpacked
	sources string // folder of the reference kernels
	work    string // folder for what is made
	sm      int
}

// reference compiles a reference kernel and returns its kernels.
func (t *toolkit) reference(name string, contract bool) (map[string]*Function, error) {
	src, base := filepath.Join(t.sources, name+".cu"), "nvcc-"+name
	fmad := "-fmad=1"
	if !contract {
		base, fmad = "nofmad-"+name, "-fmad=0"
	}
	at := func(suffix string) string { return filepath.Join(t.work, base+suffix) }
	if _, err := t.exec("gcc", "-E", "-x", "c++", "-m64", fmt.Sprintf("-D__CUDA_ARCH__=%d0", t.sm),
		"-include", filepath.Join(t.sources, "prelude.h"), "-isystem", filepath.Join(t.sources, "headers"), src, "-o", at(".ii")); err != nil {
		return nil, err
	}
	tools := filepath.Join(t.dir, "usr", "lib", "nvidia-cuda-toolkit")
	// The options that nvcc -O3 passes on; what cicc writes beside the PTX is for host code.
	if _, err := t.exec(filepath.Join(tools, "bin", "cicc"), "--c++17", "--gnu_version=120200", "-m64", "--no-version-ident",
		"--orig_src_file_name", src, "--orig_src_path_name", src, "-arch", fmt.Sprintf("compute_%d", t.sm),
		"-ftz=0", "-prec_div=1", "-prec_sqrt=1", fmad, "-tused", "--include_file_name", "fatbin.c",
		"--gen_module_id_file", "--module_id_file_name", at(".id"), "--gen_c_file_name", at(".c"),
		"--stub_file_name", at(".stub.c"), "--gen_device_file_name", at(".gpu"),
		"-nvvmir-library", filepath.Join(tools, "libdevice", "libdevice.10.bc"), at(".ii"), "-o", at(".ptx")); err != nil {
		return nil, err
	}
	for _, suffix := range []string{".ii", ".id", ".c", ".stub.c", ".gpu"} {
		os.Remove(at(suffix))
	}
	text, err := os.ReadFile(at(".ptx"))
	if err != nil {
		return nil, err
	}
	return t.assemble(base, string(text))
}

// assemble makes machine code of PTX and returns its kernels.
func (t *toolkit) assemble(name, text string) (map[string]*Function, error) {
	base := filepath.Join(t.work, name)
	if err := os.WriteFile(base+".ptx", []byte(text), 0o666); err != nil {
		return nil, err
	}
	bin := filepath.Join(t.dir, "usr", "bin")
	report, err := t.exec(filepath.Join(bin, "ptxas"), "-v", "-O3", "-arch", fmt.Sprintf("sm_%d", t.sm), "-o", base+".cubin", base+".ptx")
	if err != nil {
		return nil, err
	}
	code, err := t.exec(filepath.Join(bin, "cuobjdump"), "-sass", base+".cubin")
	if err != nil {
		return nil, err
	}
	os.Remove(base + ".cubin")
	if err := os.WriteFile(base+".sass", []byte(code), 0o666); err != nil {
		return nil, err
	}
	return Parse(code, report), nil
}

func (t *toolkit) exec(name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(t.dir, "usr", "bin")+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out.String())
	}
	return out.String(), nil
}
