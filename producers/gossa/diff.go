package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// diffCmd asks two versions of packages, and prints what only the present one has.
type diffCmd struct {
	Base string `arg:"" help:"The version that is compared with: a commit, a branch or a tag of git."`
	analysis
	form
}

func (c *diffCmd) Run(ctx context.Context, s streams) error {
	before, err := c.before(ctx)
	if err != nil {
		return err
	}
	a, err := c.answer(ctx)
	if err != nil {
		return err
	}
	a.against(before, c.Guarded)
	return c.print(ctx, s, a)
}

// before are the findings of the base. Its files come from git into a folder that goes when they were asked, so nothing in the
// repository changes. A base without these packages has no findings.
//
// Errors: git is not there or knows no such version, and those of asking.
func (c *diffCmd) before(ctx context.Context) (_ map[string]bool, err error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	said, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("gossa diff compares with a version of git: %w", err)
	}
	root := strings.TrimRight(said, "\r\n")
	prefix, err := git(ctx, dir, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	commit, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", c.Base+"^{commit}")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, usagef("git does not know the version %s in %s; a clone of one commit lacks others: fetch it", c.Base, root)
	}
	at, err := os.MkdirTemp("", "gossa-diff-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(at)) }()
	files := filepath.Join(at, "files")
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(at, "index")}
	if _, err := git(ctx, root, index, "read-tree", strings.TrimSpace(commit)); err != nil {
		return nil, err
	}
	if _, err := git(ctx, root, index, "checkout-index", "--all", "--prefix="+filepath.ToSlash(files)+"/"); err != nil {
		return nil, err
	}
	of := c.analysis
	of.Dir = filepath.Join(files, filepath.FromSlash(strings.TrimRight(prefix, "\r\n")))
	of.Quiet, of.earlier = true, true
	if _, err := os.Stat(of.Dir); err != nil {
		return nil, nil // so is the folder
	}
	a, err := of.answer(ctx)
	if none := (nothing{}); errors.As(err, &none) { // these packages are new
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Base, err)
	}
	return a.ids(), nil
}

// git runs it in a folder.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
