package tool

import (
	"context"
	"errors"
)

// A Kind is a class of failure. Dialects word failures by kind; programs
// switch on it.
type Kind string

const (
	Invalid      Kind = "invalid"       // the arguments are wrong
	UnknownTool  Kind = "unknown_tool"  // no tool of that name
	NotFound     Kind = "not_found"     // no such file
	Exists       Kind = "exists"        // there already, where it must not be
	IsDirectory  Kind = "is_directory"  // a folder where a file is wanted
	NotDirectory Kind = "not_directory" // a file where a folder is wanted
	Special      Kind = "special_file"  // FIFO, device, socket, kernel file
	NoAccess     Kind = "no_access"     // the operating system refuses
	ReadOnly     Kind = "read_only"     // read-only file or file system
	NoSpace      Kind = "no_space"      // disk or quota is full
	BadName      Kind = "bad_name"      // empty, too long, or with a NUL
	Outside      Kind = "outside"       // outside the workspace
	Sensitive    Kind = "sensitive"     // looks like a secret
	Denied       Kind = "denied"        // a rule, the mode or a person said no
	Binary       Kind = "binary"        // not text
	Media        Kind = "media"         // image, PDF, video: text, but not for this tool
	BadEncoding  Kind = "encoding"      // text in an encoding that cannot be used here
	Encrypted    Kind = "encrypted"     // a password is missing or wrong
	Damaged      Kind = "damaged"       // a file of a known format that cannot be parsed
	TooLarge     Kind = "too_large"     // over a stated limit
	PastEnd      Kind = "past_end"      // starts after the last line
	NoMatch      Kind = "no_match"      // the text to replace is not there
	Ambiguous    Kind = "ambiguous"     // the text to replace is there more than once
	NoChange     Kind = "no_change"     // nothing would change
	Unread       Kind = "unread"        // must be read first
	Stale        Kind = "stale"         // changed since it was read
	Busy         Kind = "busy"          // changed again and again while we tried
	Canceled     Kind = "canceled"      // the caller gave up
	Exit         Kind = "exit"          // a command ended with another exit code than 0, or by a signal
	Timeout      Kind = "timeout"       // a command took too long and was ended
	Internal     Kind = "internal"      // our fault
)

// An Error is a failure that an agent can act on: what was tried on which
// path, why it did not work, and what to do next. Its text is
// "op path: reason"; Next stands apart.
type Error struct {
	Kind   Kind
	Op     string // "read", "write", "edit"; "" where obvious
	Path   string // as the agent wrote it
	Reason string // lower case, no full stop
	Next   string // a sentence that says what to do, "" when there is nothing
	Err    error  // cause, may be nil

	// Detail carries the facts of the failure for dialects that word it
	// themselves, for example the number of matches. Its type goes with
	// Kind.
	Detail any
}

func (e *Error) Error() string {
	s := e.Op
	if e.Path != "" {
		if s != "" {
			s += " "
		}
		s += e.Path
	}
	if s != "" {
		s += ": "
	}
	if e.Reason == "" && e.Err != nil {
		return s + e.Err.Error()
	}
	return s + e.Reason
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err: that of the first Error in its chain,
// Canceled for a context error, else Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Canceled
	}
	return Internal
}
