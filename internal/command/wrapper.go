package command

import (
	"slices"
	"strings"
	"sync"
)

// A wrapper is how a program that runs its arguments reads them. Options that
// are not listed make what it runs unknown.
type wrapper struct {
	flags    string // short options without a value
	values   string // short options with a value, in the same word or the next
	attached string // short options with a value in the same word, or none
	long     string // long options; with = when they want a value
	operands int    // before the command
	assigns  bool   // NAME=value before the command
	quit     string // options with which no command runs
	dir      string // options that name the folder to run in
	inside   bool   // it runs in this shell
	starts   bool   // without a command, it starts a shell
	away     bool   // it runs in a folder that nobody knows
	joins    bool   // the words are joined for a shell
	direct   string // options with which they are not
	anyLong  bool   // a long option that is not listed has its value in the same word
}

// wrappers are the programs that run their arguments as one command.
var wrappers = sync.OnceValue(func() map[string]*wrapper {
	return map[string]*wrapper{
		"sudo": {flags: "AbBEHiknPSsNKlvVe", values: "ugprtTUDRhaC", assigns: true, quit: "lvVKe", dir: "D", starts: true,
			long: "user= group= host= prompt= close-from= role= type= command-timeout= other-user= chdir= chroot= askpass background bell preserve-env set-home login stdin shell non-interactive no-update preserve-groups reset-timestamp remove-timestamp list validate version edit help"},
		"doas":   {flags: "nsL", values: "uCa", starts: true, quit: "L"},
		"run0":   {long: "user= unit= description= setenv= chdir= no-ask-password", starts: true, away: true},
		"pkexec": {long: "user= keep-cwd disable-internal-agent", starts: true, away: true},
		"env": {flags: "i0v", values: "uCPa", assigns: true, dir: "C",
			long: "ignore-environment unset= chdir= null debug argv0= block-signal default-signal ignore-signal list-signal-handling help version"},
		"command":   {flags: "pvV", quit: "vV", inside: true},
		"builtin":   {inside: true},
		"exec":      {flags: "cl", values: "a"},
		"noglob":    {inside: true},
		"nocorrect": {inside: true},
		"-":         {inside: true},
		"repeat":    {operands: 1, away: true},
		"nohup":     {long: "help version"},
		"nice":      {flags: "0123456789", values: "n", long: "adjustment= help version"},
		"ionice":    {flags: "t", values: "cnpPu", quit: "pPu", long: "class= classdata= ignore pid= help version"},
		"chrt": {flags: "abdfiormvReGp", values: "TPD", operands: 1, quit: "pm",
			long: "sched-runtime= sched-period= sched-deadline= other fifo rr batch idle deadline all-tasks reset-on-fork max pid verbose"},
		"taskset":  {flags: "acp", operands: 1, quit: "p", long: "all-tasks cpu-list pid"},
		"setsid":   {flags: "cfw", long: "ctty fork wait"},
		"timeout":  {flags: "vfp", values: "ks", operands: 1, long: "kill-after= signal= foreground preserve-status verbose"},
		"gtimeout": {flags: "vfp", values: "ks", operands: 1, long: "kill-after= signal= foreground preserve-status verbose"},
		"stdbuf":   {values: "ioe", long: "input= output= error="},
		"time":     {flags: "apvVlhq", values: "fo", long: "format= output= append portability verbose quiet"},
		"watch": {flags: "bcCdegprtwx", values: "nqs", joins: true, direct: "x",
			long: "interval= equexit= beep color no-color differences errexit chgexit precise no-rerun no-title no-wrap exec"},
		"strace": {flags: "cCdDfFhiknNqrtTvVwxyYzZ", values: "aeEIoOpPsSuUXb"},
		"ltrace": {flags: "bcCfhiLrStTV", values: "aAelnopsuwxDF"},
		"unshare": {flags: "imnpuUCTfrc", values: "RwSG", starts: true, away: true,
			long: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user mount-proc keep-caps kill-child map-auto root= wd= setuid= setgid= propagation= map-user= map-group= map-users= map-groups= setgroups= monotonic= boottime="},
		"nsenter": {flags: "aFeZ", attached: "muinpUCTrw", values: "tSG", starts: true, away: true,
			long: "all target= mount uts ipc net pid user cgroup time root wd setuid= setgid= no-fork preserve-credentials"},
		"chroot":  {operands: 1, starts: true, away: true, long: "groups= userspec= skip-chdir"},
		"setarch": {operands: 1, flags: "BFILRSTXZv3", long: "addr-no-randomize verbose"},
		"setpriv": {long: "reuid= regid= groups= clear-groups init-groups keep-groups no-new-privs reset-env inh-caps= ambient-caps= bounding-set= securebits= pdeathsig= selinux-label= apparmor-profile="},
		"prlimit": {values: "p", attached: "cdefilmnqrstuvxy", quit: "p"},
		"numactl": {values: "CNmpPiw", flags: "alHs", long: "all localalloc interleave= membind= cpunodebind= physcpubind= preferred="},
		"systemd-run": {flags: "dGPStqr", values: "pEMHu", starts: true, away: true,
			long: "user system scope unit= property= description= slice= setenv= uid= gid= nice= working-directory= pty pipe quiet wait collect same-dir shell no-block no-ask-password"},
		"systemd-inhibit":  {long: "what= who= why= mode= list"},
		"caffeinate":       {flags: "disum", values: "tw"},
		"xvfb-run":         {flags: "alh", values: "efnpsw", long: "auto-servernum auto-display error-file= auth-file= listen-tcp server-num= xauth-protocol= server-args= wait="},
		"busybox":          {},
		"toybox":           {},
		"fakeroot":         {values: "lsifb", flags: "uhv"},
		"unbuffer":         {flags: "p"},
		"eatmydata":        {},
		"catchsegv":        {},
		"ld.so":            {long: "preload= library-path= argv0= audit= inhibit-cache inhibit-rpath= glibc-hwcaps-prepend= glibc-hwcaps-mask= list verify help version"},
		"linux32":          {},
		"linux64":          {},
		"torsocks":         {},
		"proxychains":      {flags: "q", values: "f"},
		"proxychains4":     {flags: "q", values: "f"},
		"gosu":             {operands: 1},
		"su-exec":          {operands: 1},
		"faketime":         {flags: "fm", operands: 1},
		"cpulimit":         {values: "lpeP", flags: "bcfikmqrsvz"},
		"firejail":         {long: "noprofile quiet private net= profile= whitelist= blacklist="},
		"dbus-run-session": {long: "config-file= dbus-daemon="},
		"ssh-agent":        {flags: "csDd", values: "aEOPt", quit: "k"},
		"rlwrap":           {flags: "aAcEimnNorRuvX", values: "bCDfFgHlMOpPqsStwz"},
		"valgrind":         {anyLong: true, flags: "qv"},
		"entr":             {flags: "acdnprsz"},
	}
})

// options goes over the options at the beginning of args. values are those
// given, by their names; ok is false where it cannot tell what is one.
func (s *wrapper) options(args []word) (rest []word, values map[string]word, ok bool) {
	values = map[string]word{}
	for len(args) > 0 {
		a := args[0]
		switch {
		case s.assigns && isAssign(a):
			return args, values, true
		case !a.Known || a.Glob:
			return nil, nil, false
		case a.Text == "--":
			return args[1:], values, true
		case a.Text == "-" || !strings.HasPrefix(a.Text, "-"):
			return args, values, true
		}
		args = args[1:]
		read := s.shortOptions
		if strings.HasPrefix(a.Text, "--") {
			read = s.longOption
		}
		if args, ok = read(a.Text, args, values); !ok {
			return nil, nil, false
		}
	}
	return nil, values, true
}

func (s *wrapper) shortOptions(text string, args []word, values map[string]word) (rest []word, ok bool) {
	for i := 1; i < len(text); i++ {
		name := text[i : i+1]
		switch {
		case strings.Contains(s.flags, name):
			values[name] = word{}
		case strings.Contains(s.attached, name):
			values[name] = literal(text[i+1:])
			return args, true
		case strings.Contains(s.values, name) && i+1 < len(text):
			values[name] = literal(text[i+1:])
			return args, true
		case strings.Contains(s.values, name):
			return takeValue(name, args, values)
		default:
			return nil, false
		}
	}
	return args, true
}

// takeValue takes the value of an option from the next word.
func takeValue(name string, args []word, values map[string]word) (rest []word, ok bool) {
	if len(args) == 0 || !args[0].single {
		return nil, false
	}
	values[name] = args[0]
	return args[1:], true
}

func (s *wrapper) longOption(text string, args []word, values map[string]word) (rest []word, ok bool) {
	given, value, has := strings.Cut(strings.TrimPrefix(text, "--"), "=")
	option := ""
	for _, known := range strings.Fields(s.long) {
		name := strings.TrimSuffix(known, "=")
		if name == given {
			option = known
			break
		}
		if strings.HasPrefix(name, given) {
			if option != "" {
				return nil, false // it may be either
			}
			option = known
		}
	}
	name, wants := strings.CutSuffix(option, "=")
	switch {
	case option == "":
		return args, s.anyLong
	case has:
		values[name] = literal(value)
	case wants:
		return takeValue(name, args, values)
	default:
		values[name] = word{}
	}
	return args, true
}

// isAssign reports whether a word is NAME=value, whatever the value is.
func isAssign(a word) bool {
	name, _, found := strings.Cut(a.Text, "=")
	return found && name != "" && !a.Glob && a.single && !strings.ContainsAny(name, "-$`'\"\\*?[{~")
}

// wrapped follows a program that runs its arguments.
func (w *walker) wrapped(name string, s *wrapper, args []word) after {
	args = args[1:]
	if name == "env" {
		args = w.splitStrings(args)
	}
	rest, values, ok := s.options(args)
	if name == "env" && len(rest) > 0 && rest[0].Known && rest[0].Text == "-" {
		rest = rest[1:]
	}
	for range s.operands {
		if len(rest) > 0 && !rest[0].single {
			ok = false
		}
		rest = rest[min(1, len(rest)):]
	}
	if !ok {
		w.lost("it is not clear what %s runs", name)
		return w.stay()
	}
	if s.quits(values) {
		return w.stay()
	}
	if out, known := values["o"]; known && name == "strace" && (!out.Known || strings.HasPrefix(out.Text, "|") || strings.HasPrefix(out.Text, "!")) {
		w.lost("strace gives its output to a command")
	}
	var assigns []Assign
	for s.assigns && len(rest) > 0 && isAssign(rest[0]) {
		assigns = append(assigns, assignOf(rest[0].Word))
		rest = rest[1:]
	}
	if len(rest) == 0 {
		if s.starts || len(assigns) > 0 && name == "sudo" {
			w.lost("%s starts a shell", name)
		}
		return w.stay()
	}
	return w.inner(name, s, values, assigns, rest)
}

func (s *wrapper) quits(values map[string]word) bool {
	for name := range values {
		if len(name) == 1 && strings.Contains(s.quit, name) || name == "help" || name == "version" ||
			slices.Contains([]string{"list", "validate", "edit", "remove-timestamp", "pid"}, name) && s.quit != "" {
			return true
		}
	}
	return false
}

// inner walks the command in the arguments of a program.
func (w *walker) inner(name string, s *wrapper, values map[string]word, assigns []Assign, args []word) after {
	if w.depth >= maxDepth {
		w.lost("more than %d levels of commands in commands", maxDepth)
		return w.stay()
	}
	at := w.at
	switch dir := s.folder(values); {
	case s.away || dir != nil && !dir.Known:
		w.at = nowhereSure
	case dir != nil:
		w.moves = true
		w.at = at.to(dir.Word)
	}
	w.depth++
	out := w.beneath(name, func() after {
		if s.joins && !s.isDirect(values) {
			w.joined(name, args)
			return w.stay()
		}
		w.emit(Unit{Source: sourceOf(assigns, args), Assigns: assigns, Args: wordsOf(args)})
		return w.run(args)
	})
	w.depth--
	w.at = at
	if s.inside {
		return out
	}
	return w.stay()
}

func (s *wrapper) folder(values map[string]word) *word {
	for _, name := range []string{s.dir, "chdir", "wd", "working-directory"} {
		if dir, ok := values[name]; ok && name != "" {
			return &dir
		}
	}
	return nil
}

func (s *wrapper) isDirect(values map[string]word) bool {
	_, short := values[s.direct]
	_, long := values["exec"]
	return short || long
}

// joined walks words that a program joins for a shell.
func (w *walker) joined(name string, args []word) {
	var texts []string
	for _, a := range args {
		if !a.Known || a.Glob {
			w.lost("%s runs a computed text", name)
			return
		}
		texts = append(texts, a.Text)
	}
	w.child(name, literal(strings.Join(texts, " ")))
}

func assignOf(a Word) Assign {
	name, value, _ := strings.Cut(a.Text, "=")
	return Assign{Name: name, Value: Word{Text: value, Known: a.Known, Source: a.Source}}
}

func sourceOf(assigns []Assign, args []word) string {
	var texts []string
	for _, a := range assigns {
		texts = append(texts, a.Value.Source)
	}
	for _, a := range args {
		texts = append(texts, a.Source)
	}
	return strings.Join(texts, " ")
}

// splitStrings puts the words of env -S in place.
func (w *walker) splitStrings(args []word) []word {
	for i, a := range args {
		text, ok := "", false
		switch {
		case !a.Known || !strings.HasPrefix(a.Text, "-"):
			return args
		case strings.HasPrefix(a.Text, "--s"):
			_, text, ok = strings.Cut(a.Text, "=")
		case !strings.HasPrefix(a.Text, "--") && strings.Contains(a.Text, "S") && !strings.ContainsAny(a.Text[:strings.Index(a.Text, "S")], "uCPa"):
			text = a.Text[strings.Index(a.Text, "S")+1:]
			ok = text != ""
		case a.Text == "-u" || a.Text == "-C" || a.Text == "--unset" || a.Text == "--chdir":
			continue // its value is no option, and -S in it would be seen as one
		default:
			continue
		}
		rest := args[i+1:]
		if !ok && len(rest) > 0 && rest[0].Known {
			text, rest = rest[0].Text, rest[1:]
		}
		if text == "" || strings.ContainsAny(text, "\\'\"$#") {
			w.lost("env splits a text that is not read here")
			return args
		}
		out := slices.Clone(args[:i])
		for _, field := range strings.Fields(text) {
			out = append(out, literal(field))
		}
		return append(out, rest...)
	}
	return args
}

// xargs adds words of its input to a command, or puts them into it.
func (w *walker) xargs(args []word) {
	s := &wrapper{flags: "0prtxo", values: "adEILnPsJRS", attached: "eil",
		long: "arg-file= delimiter= eof replace max-lines max-args= max-procs= max-chars= null no-run-if-empty interactive verbose exit open-tty process-slot-var= show-limits help version"}
	rest, values, ok := s.options(args[1:])
	if !ok {
		w.lost("it is not clear what xargs runs")
		return
	}
	if len(rest) == 0 {
		return // echo
	}
	mark := ""
	for _, name := range []string{"I", "i", "replace", "J"} {
		if v, given := values[name]; given {
			if mark = v.Text; mark == "" {
				mark = "{}"
			}
		}
	}
	var assigns []Assign
	if slot, given := values["process-slot-var"]; given {
		assigns = []Assign{{Name: slot.Text, Value: Word{Text: slot.Source, Source: slot.Source}}}
	}
	input := word{Word: Word{Text: "<input>", Source: "<input>"}}
	if mark == "" {
		rest = append(slices.Clone(rest), input)
	} else {
		rest = replaced(rest, mark)
	}
	w.inner("xargs", s, values, assigns, rest)
}

// replaced returns words in which those with mark are not known.
func replaced(args []word, mark string) []word {
	out := slices.Clone(args)
	for i, a := range out {
		if strings.Contains(a.Text, mark) {
			out[i].Text, out[i].Known, out[i].Glob = a.Source, false, false
		}
	}
	return out
}

// find follows the commands that find runs for what it finds.
func (w *walker) find(args []word) {
	for i := 1; i < len(args); i++ {
		switch args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			if mayBecomeExec(args, i) {
				w.lost("%s may become -exec", args[i].Source)
			}
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && args[end-1].Text == "{}") {
			end++
		}
		if end > i+1 {
			s := &wrapper{away: strings.HasSuffix(args[i].Text, "dir")}
			w.inner("find", s, nil, nil, replaced(args[i+1:end], "{}"))
		}
		i = end
	}
}

// mayBecomeExec reports whether a word of find may become one that runs the words
// after it.
func mayBecomeExec(args []word, i int) bool {
	a := args[i]
	if a.Known || !mayBeginFlag(a.Word) {
		return false
	}
	for n := 1; n <= 2 && i > n; n++ {
		if before := args[i-n]; before.Known && findWords[before.Text] >= n {
			return !a.single && !one(a.Word) // else it is the value of that word
		}
	}
	if !a.single && !one(a.Word) {
		return true
	}
	return i+1 < len(args) && !beginsSearch(args[i+1].Word)
}

// fd follows the command that fd runs for what it finds: all words up to the
// end or to a ;.
func (w *walker) fd(args []word) {
	for i, a := range args[1:] {
		flag, own, attached := strings.Cut(a.Text, "=")
		runs := a.Known && (len(flag) > 4 && (strings.HasPrefix("--exec", flag) || strings.HasPrefix("--exec-batch", flag)))
		if !runs && a.Known && len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' {
			at := strings.IndexAny(a.Text, "xX")
			runs = at > 0 && !strings.ContainsAny(a.Text[1:at], "dEteSojc")
			own, attached = a.Text[at+1:], at+1 < len(a.Text)
		}
		if !a.Known && !a.single && !one(a.Word) && mayBeginFlag(a.Word) {
			w.lost("%s may become --exec", a.Source)
		}
		if !runs {
			continue
		}
		var inner []word
		if attached {
			inner = []word{literal(own)}
		}
		for _, b := range args[i+2:] {
			if b.Text == ";" {
				break
			}
			inner = append(inner, b)
		}
		if len(inner) > 0 {
			inner = append(replaced(inner, "{"), word{Word: Word{Text: "<found>", Source: "<found>"}})
			w.inner("fd", &wrapper{}, nil, nil, inner)
		}
		return
	}
}

// flock runs a command, or a text with -c, after the name of its lock.
func (w *walker) flock(args []word) {
	s := &wrapper{flags: "sxeunoFv", values: "wE", long: "shared exclusive unlock nonblock timeout= conflict-exit-code= close no-fork verbose help version"}
	rest, values, ok := s.options(args[1:])
	switch {
	case !ok || len(rest) > 0 && !rest[0].single:
		w.lost("it is not clear what flock runs")
	case len(rest) < 2: // a descriptor
	case !rest[1].Known:
		w.lost("it is not clear what flock runs")
	case rest[1].Text == "-c" || rest[1].Text == "--command":
		w.textOf("flock", rest[2:])
	default:
		w.inner("flock", s, values, nil, rest[1:])
	}
}

// textOf walks a command that is one argument.
func (w *walker) textOf(name string, args []word) {
	if len(args) == 0 {
		w.lost("it is not clear what %s runs", name)
		return
	}
	w.child(name, args[0])
}

// su runs a text with -c, a command (runuser -u), or a shell.
func (w *walker) su(name string, args []word) {
	s := &wrapper{flags: "flmpP", values: "cgGswuT", starts: true,
		long: "command= session-command= fast login preserve-environment pty group= supp-group= shell= whitelist-environment= user= help version"}
	var values = map[string]word{}
	rest := args[1:]
	for len(rest) > 0 { // options may follow the user
		after, more, ok := s.options(rest)
		if !ok {
			w.lost("it is not clear what %s runs", name)
			return
		}
		for k, v := range more {
			values[k] = v
		}
		_, as := values["u"]
		_, asLong := values["user"]
		if (as || asLong) && len(after) > 0 {
			w.inner(name, &wrapper{away: true}, nil, nil, after)
			return
		}
		rest = after[min(1, len(after)):]
	}
	for _, option := range []string{"c", "command", "session-command"} {
		if text, ok := values[option]; ok {
			at := w.at
			w.at = nowhereSure
			w.child(name, text)
			w.at = at
			return
		}
	}
	if !s.quits(values) {
		w.lost("%s starts a shell", name)
	}
}

// recorded follows script, which runs a text with -c, a command, or a shell.
func (w *walker) recorded(args []word) {
	s := &wrapper{flags: "aefqdFkpr", values: "cEImoOBTt", long: "append command= echo= return flush force log-in= log-out= log-io= log-timing= logging-format= output-limit= quiet timing help version"}
	var text *word
	var operands []word
	for rest := args[1:]; len(rest) > 0; {
		after, values, ok := s.options(rest)
		if !ok {
			w.lost("it is not clear what script runs")
			return
		}
		for _, option := range []string{"c", "command"} {
			if v, given := values[option]; given {
				text = &v
			}
		}
		if len(after) > 0 {
			operands = append(operands, after[0])
		}
		rest = after[min(1, len(after)):]
	}
	switch {
	case text != nil:
		w.child("script", *text)
	case len(operands) > 1:
		w.inner("script", s, nil, nil, operands[1:])
	default:
		w.lost("script starts a shell")
	}
}
