package tool

import "encoding/json"

// A Definition describes one tool as an agent sees it: its name in the
// dialect, when to use it, and the shape of its arguments.
type Definition struct {
	Name        string
	Title       string // short, for people
	Description string // for the model: when to use it, limits, what to do at an error

	// InputSchema is a JSON Schema of type object. It is what the strict
	// decoder enforces: a call that the schema refuses is refused.
	InputSchema json.RawMessage
	// OutputSchema describes Result.Structured, nil where a tool has none.
	OutputSchema json.RawMessage

	// The hints are true statements about the tool, not wishes.
	ReadOnly    bool // changes nothing
	Destructive bool // may remove or replace what was there
	OpenWorld   bool // may reach beyond this machine
	Idempotent  bool // a second identical call changes nothing more
}
