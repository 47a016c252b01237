package tool

import "context"

// A Question is put to a person before a call runs.
type Question struct {
	Tool    string // name in the dialect
	Summary string // one line
	Detail  string // diff or command, may be empty
	Reason  string // which rule or mode wants to know
	Paths   []string
	// Always is the rule that ForProject keeps, and ForSession follows, "" when
	// only this very call can be allowed: then ForProject is not offered.
	Always string
}

// An Answer is what a person said. The zero Answer is no.
type Answer uint8

const (
	No         Answer = iota
	Once              // this call
	ForSession        // this call and what is like it until the session ends
	ForProject        // this call and what is like it, from now on in this tree
)

// An Asker puts a question to a person and waits for the answer, no longer
// than ctx. An error counts as no.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// A Notifier is an Asker that can also tell a person, or an agent, of what
// happens between calls.
type Notifier interface{ Notify(text string) }

// AskerFunc lets a function be an Asker.
type AskerFunc func(context.Context, Question) (Answer, error)

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// A Decision is what permission says of a plan.
type Decision uint8

const (
	Deny Decision = iota
	Ask
	Allow
)

func (d Decision) String() string { return [...]string{"deny", "ask", "allow"}[d] }

// A Verdict is a decision with its reason.
type Verdict struct {
	Decision Decision
	Rule     string // the rule that decided, as the user wrote it; "" when none did
	Reason   string // lower case, no full stop: "rule Edit(src/**) allows it"
	Next     string // which flag or rule would have allowed it
	Kind     Kind   // for Deny and Ask: Denied, Outside or Sensitive
}
