package conform_test

import (
	"testing"

	"github.com/govyre/vyre/conform"
)

func TestCaseNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for c := range conform.Cases("") {
		name := c.Family + "/" + c.Name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
	}
}
