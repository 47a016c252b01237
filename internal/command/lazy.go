package command

import (
	"regexp"
	"sync"
)

// lazily returns a function that compiles a regular expression when it is first
// called. Those who judge no command do not wait for it.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
