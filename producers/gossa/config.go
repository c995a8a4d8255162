package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// configFile is in the root of a module: flags of taint, diff and serve, one a line, that come before those of the command line.
const configFile = ".gossa"

// configured are the commands that read it.
var configured = []string{"taint", "diff", "serve"}

// withConfig is a command line with the flags of the module's file. A flag that both have is that of the command line, or a list
// of both.
//
// Errors: a file that cannot be read, and a line that is not a flag, with its number.
func withConfig(args []string) ([]string, error) {
	if len(args) == 0 || !slices.Contains(configured, args[0]) {
		return args, nil
	}
	dir, err := filepath.Abs(folderIn(args[1:]))
	if err != nil {
		return nil, err
	}
	root := above(dir, "go.mod")
	if root == "" {
		return args, nil
	}
	file := filepath.Join(root, configFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return args, nil
	}
	if err != nil {
		return nil, err
	}
	flags := []string{args[0]}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		flag, err := flagOf(line, root)
		if err == nil {
			err = tried(args[0], flag)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		flags = append(flags, flag)
	}
	return append(flags, args[1:]...), nil
}

// folderIn is the folder that -C or --dir says, or this one.
func folderIn(args []string) string {
	dir := "."
	for i, a := range args {
		for _, flag := range []string{"-C", "--dir"} {
			rest, is := strings.CutPrefix(a, flag)
			switch {
			case a == "--":
				return dir
			case is && rest == "" && i+1 < len(args):
				dir = args[i+1]
			case is && rest != "" && (flag == "-C" || rest[0] == '='):
				dir = strings.TrimPrefix(rest, "=")
			}
		}
	}
	return dir
}

// flagOf reads a line: --NAME, --NAME VALUE or --NAME=VALUE. Names of files are relative to the module's root.
func flagOf(line, root string) (string, error) {
	if !strings.HasPrefix(line, "--") {
		return "", fmt.Errorf("%q is not a flag: each line is one, such as --fail-on any; # begins a comment", line)
	}
	at := strings.IndexAny(line, "= \t")
	if at < 0 {
		return line, nil
	}
	name, value := line[:at], strings.TrimSpace(line[at+1:])
	switch name {
	case "--dir":
		return "", fmt.Errorf("%s says where this file is looked for: it belongs on the command line", name)
	case "--rules", "--baseline":
		if value != "-" && !filepath.IsAbs(value) {
			value = filepath.Join(root, value)
		}
	}
	return name + "=" + value, nil
}

// tried reads one flag alone.
func tried(command, flag string) error {
	args := []string{command, flag, "."}
	if command == "diff" {
		args = append(args, ".")
	}
	_, err := parserOf(kong.Exit(func(int) {})).Parse(args)
	return err
}
