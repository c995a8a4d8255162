package launch

import "fmt"

// ContractError refuses a launch before anything has run: a rule of the launch contract
// does not hold.
type ContractError struct {
	Kernel string
	Param  string // the parameter at fault, "" if none is
	Msg    string // with the numbers
	Fix    string // what the caller can do, "" if the message says it
}

func (e *ContractError) Error() string {
	msg := fmt.Sprintf("kernel %s: invalid launch: %s", e.Kernel, e.Msg)
	if e.Fix != "" {
		msg += "; fix: " + e.Fix
	}
	return msg
}

// StateError refuses or ends a launch that needs more state at once than it may have.
type StateError struct {
	Kernel      string
	Groups      uint64 // groups that have to be alive at once
	Need, Limit int64  // bytes
}

func (e *StateError) Error() string {
	return fmt.Sprintf("kernel %s: %d groups alive at once need %d bytes of state, the limit is %d; fix: launch fewer groups, or raise MaxState",
		e.Kernel, e.Groups, e.Need, e.Limit)
}

// CanceledError ends a launch whose context is done; it wraps the context's error.
type CanceledError struct {
	Kernel string
	Rows   uint64 // that the interpreter ran until then
	Err    error
}

func (e *CanceledError) Error() string {
	return fmt.Sprintf("kernel %s: canceled after %d rows: %v", e.Kernel, e.Rows, e.Err)
}

func (e *CanceledError) Unwrap() error { return e.Err }
