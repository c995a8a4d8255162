package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// PrintfMessage is the message of a trace row that holds some of the values of a formatted text: part k of parts, and the
// format of the whole.
func PrintfMessage(k, parts int, format string) string {
	return fmt.Sprintf("printf %d/%d: %s", k+1, parts, format)
}

// PrintfPart reads such a message; ok is false for that of any other trace row.
func PrintfPart(message string) (k, parts int, format string, ok bool) {
	rest, ok := strings.CutPrefix(message, "printf ")
	if !ok {
		return 0, 0, "", false
	}
	head, format, ok := strings.Cut(rest, ": ")
	first, last, both := strings.Cut(head, "/")
	k, err1 := strconv.Atoi(first)
	parts, err2 := strconv.Atoi(last)
	if !ok || !both || err1 != nil || err2 != nil || k < 1 || k > parts {
		return 0, 0, "", false
	}
	return k - 1, parts, format, true
}
