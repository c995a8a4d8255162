package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/govyre/vyre/internal/ptx"
)

// completionCmd prints a script for a shell, made from the same model that parses the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the long help of the command.
func (completionCmd) Help() string {
	return `For bash, in ~/.bashrc; for zsh, into a directory of $fpath; for fish:
  source <(vyre completion bash)
  vyre completion zsh > ~/.zfunc/_vyre
  vyre completion fish > ~/.config/fish/completions/vyre.fish`
}

func (c *completionCmd) Run(t *terminal) error {
	var b strings.Builder
	write := map[string]func(io.Writer, []completed){"bash": completeBash, "zsh": completeZsh, "fish": completeFish}[c.Shell]
	write(&b, completions(t.model))
	_, err := io.WriteString(t.out, b.String())
	return err
}

// completed is a command as a shell sees it.
type completed struct {
	name, help string
	parts      []string // commands below it, one of which must follow; mostly none
	flags      []completedFlag
	values     []string // of its argument; none if that is a file
}

type completedFlag struct {
	long, short string // without hyphens
	help        string
	takes       bool     // a value follows
	values      []string // that it may be; none if that is a file or a text
}

func completions(app *kong.Application) []completed {
	var all []completed
	for _, n := range app.Children {
		c := completed{name: n.Name, help: n.Help}
		for _, part := range n.Children {
			c.parts = append(c.parts, part.Name)
			c.add(part)
		}
		if len(n.Children) == 0 {
			c.add(n)
		}
		all = append(all, c)
	}
	return all
}

// add takes flags and arguments of a command, which is c or one below it.
func (c *completed) add(n *kong.Node) {
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			known := slices.ContainsFunc(c.flags, func(k completedFlag) bool { return k.long == f.Name })
			if f.Name == "version" || known { // of the command as a whole
				continue
			}
			one := completedFlag{long: f.Name, help: f.Help, takes: !f.IsBool(), values: valuesOf(f.Value)}
			if f.Short != 0 {
				one.short = string(f.Short)
			}
			c.flags = append(c.flags, one)
		}
	}
	for _, p := range n.Positional {
		c.values = valuesOf(p)
	}
}

// valuesOf are the words that a value may be, if these are known.
func valuesOf(v *kong.Value) []string {
	switch v.Tag.Get("completes") {
	case "device":
		return deviceNames()
	case "target":
		var all []string
		for _, t := range ptx.Targets() {
			all = append(all, t.String())
		}
		return all
	}
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

func commandNames(all []completed) string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return strings.Join(names, " ")
}

// words are the flags as they are typed.
func (f completedFlag) words() []string {
	if f.short == "" {
		return []string{"--" + f.long}
	}
	return []string{"--" + f.long, "-" + f.short}
}

func completeBash(w io.Writer, all []completed) {
	fmt.Fprintf(w, `_vyre() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags= values= words=
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "%s --help --version" -- "$word"))
		return
	fi
	case ${COMP_WORDS[1]} in
`, commandNames(all))
	for _, c := range all {
		var words []string
		for _, f := range c.flags {
			words = append(words, f.words()...)
		}
		fmt.Fprintf(w, "\t%s)\n\t\tflags=%q words=%q\n", c.name, strings.Join(words, " "), strings.Join(c.values, " "))
		if len(c.parts) > 0 {
			fmt.Fprintf(w, "\t\tif [ \"$COMP_CWORD\" -eq 2 ]; then words=%q; fi\n", strings.Join(c.parts, " "))
		}
		fmt.Fprint(w, "\t\tcase $before in\n")
		for _, f := range c.flags {
			if len(f.values) > 0 {
				fmt.Fprintf(w, "\t\t%s) values=%q ;;\n", strings.Join(f.words(), "|"), strings.Join(f.values, " "))
			}
		}
		fmt.Fprint(w, "\t\tesac ;;\n")
	}
	fmt.Fprint(w, `	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
	*)
		values=${values:-$words}
		if [ -n "$values" ]; then
			COMPREPLY=($(compgen -W "$values" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	esac
}
complete -o filenames -F _vyre vyre
`)
}

func completeZsh(w io.Writer, all []completed) {
	fmt.Fprint(w, "#compdef vyre\n_vyre() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=(\n")
	for _, c := range all {
		fmt.Fprintf(w, "\t\t\t%s\n", quoted(c.name+":"+c.help))
	}
	fmt.Fprint(w, "\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(w, "\t%s) _arguments", c.name)
		for _, f := range c.flags {
			for _, word := range f.words() {
				spec := "*" + word + "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.help) + "]"
				switch {
				case len(f.values) > 0:
					spec += ":" + f.long + ":(" + strings.Join(f.values, " ") + ")"
				case f.takes:
					spec += ":" + f.long + ":_files"
				}
				fmt.Fprintf(w, " \\\n\t\t%s", quoted(spec))
			}
		}
		if len(c.parts) > 0 {
			fmt.Fprintf(w, " \\\n\t\t%s", quoted("1:command:("+strings.Join(c.parts, " ")+")"))
		}
		if len(c.values) > 0 {
			fmt.Fprintf(w, " \\\n\t\t%s ;;\n", quoted("*:value:("+strings.Join(c.values, " ")+")"))
		} else {
			fmt.Fprintf(w, " \\\n\t\t%s ;;\n", quoted("*:file:_files"))
		}
	}
	fmt.Fprint(w, "\tesac\n}\n_vyre \"$@\"\n")
}

func completeFish(w io.Writer, all []completed) {
	fmt.Fprintf(w, "complete -c vyre -n __fish_use_subcommand -l version -d 'Print the version.'\n")
	for _, c := range all {
		fmt.Fprintf(w, "complete -c vyre -f -n __fish_use_subcommand -a %s -d %s\n", c.name, quoted(c.help))
		seen := "__fish_seen_subcommand_from " + c.name
		for _, other := range all { // of which c's name may be a part
			if slices.Contains(other.parts, c.name) {
				seen += "; and not __fish_seen_subcommand_from " + other.name
			}
		}
		when := fmt.Sprintf("complete -c vyre -n '%s'", seen)
		if len(c.parts) > 0 {
			parts := strings.Join(c.parts, " ")
			fmt.Fprintf(w, "complete -c vyre -n '%s; and not __fish_seen_subcommand_from %s' -f -a '%s'\n", seen, parts, parts)
		}
		for _, f := range c.flags {
			fmt.Fprintf(w, "%s -l %s", when, f.long)
			if f.short != "" {
				fmt.Fprintf(w, " -s %s", f.short)
			}
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(w, " -x -a '%s'", strings.Join(f.values, " "))
			case f.takes:
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintf(w, " -d %s\n", quoted(f.help))
		}
		if len(c.values) > 0 {
			fmt.Fprintf(w, "%s -f -a '%s'\n", when, strings.Join(c.values, " "))
		}
	}
}

// quoted is s as one word of any of these shells.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
