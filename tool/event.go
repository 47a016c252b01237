package tool

import "time"

// A Stage is a point in the walk of one call.
type Stage string

const (
	Planned  Stage = "planned"
	Asked    Stage = "asked"
	Waiting  Stage = "waiting"
	Started  Stage = "started"
	Progress Stage = "progress"
	Done     Stage = "done"
)

// An Event tells an observer what a call is doing. Observers are called in
// the goroutine of the call and must return soon.
type Event struct {
	Stage   Stage
	Session string // one conversation
	Call    uint64 // counts the calls of an engine from 1
	Tool    string // name in the dialect
	Summary string
	Access  []Access
	Verdict Verdict // with Asked: why; later: what was decided, and by which rule
	Time    time.Time
	Took    time.Duration // with Done: since the call began
	Failed  bool          // with Done
	Kind    Kind          // with Done and Failed

	// Bytes and Total say how far a long read has come, with Progress; Text
	// is what a command has printed last.
	Bytes, Total int64
	Text         string
}
