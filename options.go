package burin

import "github.com/burin-tools/burin/tool"

// Options are the settings of an Engine. The zero value and nil are good.
type Options struct {
	// Dirs are additional directories beside the root; relative names
	// always resolve against the root.
	Dirs []string
	// Durability is "full" (default: file and folder are synced before a
	// call answers) or "fast" (left to the operating system; readers still
	// never see a half-written file).
	Durability string
	// State is the folder for locks and journals, outside the tree.
	// Default: the user's state folder.
	State string
	// Search says who matches patterns: "auto" (default: in process, and a
	// ripgrep, if there is one, for what only it can do), "native" or "rg".
	// The answer is the same.
	Search string
	// Sandbox says how commands are confined: "off" (default); "auto": they
	// write below the roots and in a folder for temporary files only, and do
	// not read the user's keys, where the system can do that; "strict": and
	// they have no network, and where the system cannot do that, Open fails.
	Sandbox string
	// Shadows says what grep, find and rg mean in commands: "auto" (default):
	// ugrep, bfs and ripgrep where these are installed and do what is
	// expected of them; "off": what they always mean.
	Shadows string
	// Adopt makes this process the parent of processes that commands have let
	// go of (Linux), so that those are ended, too. It is for programs that
	// start no others in sessions of their own.
	Adopt bool
	// Observe, if set, is told every stage of every call.
	Observe func(tool.Event)
}

// SessionOptions are the settings of one conversation. The zero value and nil
// are good.
type SessionOptions struct {
	Dialect string     // name of the dialect, default "native"
	Tools   []string   // the tools to show; nil for those the dialect shows by itself
	Mode    string     // default, acceptEdits, plan, bypass, dontAsk; "" for the dialect's own
	Allow   []string   // rules, as Tool or Tool(pattern); patterns are those of .gitignore, for commands Bash(npm run *), Bash(git diff:*)
	Ask     []string   // rules
	Deny    []string   // rules
	Asker   tool.Asker // who is asked; nil: nobody, and that means no
	// Remember keeps an allow rule for later sessions, when a person has
	// answered ForProject. Nil: that answer holds for the session.
	Remember func(rule string) error
	// Notify is told what happens between calls, in a sentence: a background
	// task has ended. The next answer about commands says it, too.
	Notify func(text string)
}
