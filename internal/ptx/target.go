package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir/verify"
)

// Target is the architecture that PTX is written for. PTX for a plain target runs on every later
// architecture too; with the suffix "a" on exactly that one. The suffix "f", for a family, is left out:
// no op has an instruction that needs it.
type Target struct {
	SM     int    // compute capability times ten, such as 90
	Suffix string // "" or "a"
}

// String returns the target as the assembler spells it, such as "sm_90a".
func (t Target) String() string { return fmt.Sprintf("sm_%d%s", t.SM, t.Suffix) }

// architecture is what has to be known about one.
type architecture struct {
	sm       int
	version  version // lowest PTX version that knows it
	specific version // the same with the suffix "a"; zero where there is none
	shared   uint64  // bytes of shared memory that a group can have with the opt-in
}

// architectures lists what Emit writes for, ascending. Versions are those of the PTX manual's history
// of targets, shared memory that of the vendor's tables of capabilities. From PTX 9.0 on sm_101 is
// called sm_110.
var architectures = []architecture{
	{70, version{6, 0}, version{}, 98304},
	{72, version{6, 1}, version{}, 98304},
	{75, version{6, 3}, version{}, 65536},
	{80, version{7, 0}, version{}, 166912},
	{86, version{7, 1}, version{}, 101376},
	{87, version{7, 4}, version{}, 166912},
	{88, version{9, 0}, version{}, 101376},
	{89, version{7, 8}, version{}, 101376},
	{90, version{7, 8}, version{8, 0}, 232448},
	{100, version{8, 6}, version{8, 6}, 232448},
	{101, version{8, 6}, version{8, 6}, 232448},
	{103, version{8, 8}, version{8, 8}, 232448},
	{110, version{9, 0}, version{9, 0}, 232448},
	{120, version{8, 7}, version{8, 7}, 101376},
	{121, version{8, 8}, version{8, 8}, 101376},
}

// TargetError says that there is no PTX for a target.
type TargetError struct{ Target string }

func (e *TargetError) Error() string {
	return fmt.Sprintf("no target %q; there are %s, and %s", e.Target, join(false), join(true))
}

// join lists the plain or the suffixed targets.
func join(specific bool) string {
	var names []string
	for _, a := range architectures {
		switch {
		case !specific:
			names = append(names, Target{SM: a.sm}.String())
		case a.specific != version{}:
			names = append(names, Target{a.sm, "a"}.String())
		}
	}
	return strings.Join(names, " ")
}

// ParseTarget reads a target in the form "sm_90" or "sm_90a".
func ParseTarget(s string) (Target, error) {
	digits, ok := strings.CutPrefix(s, "sm_")
	plain := strings.TrimSuffix(digits, "a")
	n, err := strconv.Atoi(plain)
	t := Target{n, digits[len(plain):]}
	if !ok || err != nil || t.String() != s {
		return Target{}, &TargetError{s}
	}
	if _, err := t.version(); err != nil {
		return Target{}, err
	}
	return t, nil
}

// Targets returns every target, ascending.
func Targets() []Target {
	var all []Target
	for _, a := range architectures {
		all = append(all, Target{SM: a.sm})
		if a.specific != (version{}) {
			all = append(all, Target{a.sm, "a"})
		}
	}
	return all
}

// version returns the lowest PTX version that knows the target.
func (t Target) version() (version, error) {
	for _, a := range architectures {
		switch {
		case a.sm != t.SM:
		case t.Suffix == "":
			return a.version, nil
		case t.Suffix == "a" && a.specific != version{}:
			return a.specific, nil
		}
	}
	return version{}, &TargetError{t.String()}
}

// offer is what the target has to hold a program against.
func (t Target) offer() verify.Target {
	o := verify.Target{SM: t.SM, Cooperative: true}
	for _, a := range architectures {
		if a.sm == t.SM {
			o.SharedBytes = a.shared
		}
	}
	return o
}

// version is a PTX version.
type version struct{ major, minor int }

func (v version) less(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }
