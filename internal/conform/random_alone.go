package conform

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// aloneFor bounds a program that is tried alone. Programs of the generator take milliseconds; most of a process's
// time goes into making a context.
const aloneFor = time.Minute

// InProcess returns a RandomRun's Alone: command makes a process that tries the program whose decisions file holds, for
// ReadChoices, and fails, saying why, if it differs or loses the device. What goes on for a minute fails too.
func InProcess(command func(ctx context.Context, file string) *exec.Cmd) func(ctx context.Context, choices []uint16) error {
	return func(ctx context.Context, choices []uint16) error {
		f, err := os.CreateTemp("", "vyre-choices-*")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		var b []byte
		for _, c := range choices {
			b = binary.LittleEndian.AppendUint16(b, c)
		}
		_, err = f.Write(b)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, aloneFor)
		defer cancel()
		cmd := command(limited, f.Name())
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil:
			return nil
		case limited.Err() != nil:
			return fmt.Errorf("still running after %v", aloneFor)
		}
		said := strings.Join(strings.Fields(string(out[:min(len(out), 400)])), " ") // on one line
		return fmt.Errorf("%w: %s", err, said)
	}
}

// ReadChoices returns the program whose decisions InProcess wrote to a file.
func ReadChoices(file string) (*RandomProgram, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var choices []uint16
	for ; len(b) >= 2; b = b[2:] {
		choices = append(choices, binary.LittleEndian.Uint16(b))
	}
	return FromChoices(choices), nil
}
