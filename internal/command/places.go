package command

import "slices"

// maxPlaces is how many possibilities are followed, maxSteps how far.
const (
	maxPlaces = 16
	maxSteps  = 32
)

// places are the folders in which a shell may be. Without any, it is nowhere:
// it has ended.
type places struct {
	steps   [][]Word
	unknown bool
}

var nowhereSure = places{unknown: true}

func start() places { return places{steps: [][]Word{{}}} }

// dirs returns the places as a unit says them. What runs where a shell has
// ended is never run, or the end was not understood.
func (p places) dirs() Dirs {
	switch {
	case p.unknown || len(p.steps) == 0:
		return Dirs{Unknown: true}
	case len(p.steps) == 1 && len(p.steps[0]) == 0:
		return Dirs{}
	}
	return Dirs{Steps: p.steps}
}

// to returns the places after cd in each of them.
func (p places) to(dir Word) (q places) {
	q.unknown = p.unknown
	for _, s := range p.steps {
		if len(s) == maxSteps {
			return nowhereSure
		}
		q.steps = append(q.steps, append(slices.Clone(s), dir))
	}
	return q
}

func (p places) or(q places) places {
	out := places{steps: slices.Clone(p.steps), unknown: p.unknown || q.unknown}
	for _, s := range q.steps {
		if !slices.ContainsFunc(out.steps, func(t []Word) bool { return slices.Equal(s, t) }) {
			out.steps = append(out.steps, s)
		}
	}
	if out.unknown || len(out.steps) > maxPlaces {
		return nowhereSure
	}
	return out
}

func (p places) is(q places) bool {
	return p.unknown == q.unknown && slices.EqualFunc(p.steps, q.steps, func(s, t []Word) bool { return slices.Equal(s, t) })
}

// after is where a shell is when a command has succeeded, and when it failed.
type after struct{ ok, bad places }

func (a after) either() places   { return a.ok.or(a.bad) }
func (a after) or(b after) after { return after{a.ok.or(b.ok), a.bad.or(b.bad)} }

func (w *walker) stay() after { return after{w.at, w.at} }

// astray says that nobody knows where the shell is.
func (w *walker) astray() after {
	w.moves = true
	return after{nowhereSure, nowhereSure}
}

// cd follows the builtins that change the folder.
func (w *walker) cd(args []word) after {
	w.moves = true
	var dir *word
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.Known || a.Glob || dir != nil:
			return w.astray()
		case a.Text == "--" && i+1 < len(args):
		case a.Text == "-P" || a.Text == "-L" || a.Text == "-e" || a.Text == "-q":
		case a.Text == "" || a.Text[0] == '-' || a.Text[0] == '+':
			return w.astray()
		default:
			dir = &args[i]
		}
	}
	if dir == nil {
		if args[0].Text != "cd" && args[0].Text != "chdir" {
			return w.astray()
		}
		home := literal("~")
		dir = &home
	}
	return after{ok: w.at.to(dir.Word), bad: w.at}
}
