package plan_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/govyre/vyre/internal/plan"
)

func TestCheckListsKnownDifferences(t *testing.T) {
	p := plan.Predicted{Counted: plan.Counted{Launches: 1, HostWaits: 1, ReadBytes: 64, DeviceBytes: 4096}, Unknown: plan.Rounds | plan.GridBarriers}
	same := plan.Counted{Launches: 1, Rounds: 8, GridBarriers: 24, HostWaits: 1, ReadBytes: 64, DeviceBytes: 4096}
	if got := p.Check(same); got != nil {
		t.Errorf("differences are %v", got)
	}
	other := same
	other.Launches, other.ReadBytes = 3, 60
	if got, want := fmt.Sprint(p.Check(other)), "[launches: predicted 1, counted 3 read bytes: predicted 64, counted 60]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEachFieldIsCheckedAndCanBeUnknown(t *testing.T) {
	fields := reflect.TypeFor[plan.Counted]().NumField()
	for i := range fields {
		var c plan.Counted
		reflect.ValueOf(&c).Elem().Field(i).SetUint(7)
		if got := new(plan.Predicted).Check(c); len(got) != 1 || got[0].Counted != 7 {
			t.Errorf("field %d: differences are %v", i, got)
		}
		unknown := plan.Predicted{Unknown: plan.Launches << i}
		if got := unknown.Check(c); got != nil {
			t.Errorf("field %d is unknown: differences are %v", i, got)
		}
	}
	if plan.Allocations != plan.Launches<<(fields-1) {
		t.Error("the names of fields are not as many as the fields")
	}
}
