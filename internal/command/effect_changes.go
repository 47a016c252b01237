package command

import (
	"path"
	"strings"

	"github.com/burin-tools/burin/tool"
)

// changingPrograms change files, and those are their operands.
var changingPrograms = []program{
	{names: "rm", changes: "removes files", then: removes,
		flags: "-fiIrRdv --force --interactive? --one-file-system --no-preserve-root --preserve-root? --recursive --dir --verbose --help --version"},
	{names: "rmdir", changes: "removes folders", then: writes,
		flags: "-pv --ignore-fail-on-non-empty --parents --verbose --help --version"},
	{names: "unlink", changes: "removes a file", then: writes, flags: "--help --version"},
	{names: "mkdir", changes: "makes folders", then: writes,
		flags: "-pvZ -m: --mode: --parents --verbose --help --version"},
	{names: "touch", changes: "makes files", then: writes,
		flags: "-acfmh -r% -dt: --no-create --date: --no-dereference --reference% --time: --help --version"},
	{names: "truncate", changes: "changes files", then: writes,
		flags: "-co -r% -s: --no-create --io-blocks --reference% --size: --help --version"},
	{names: "shred", changes: "overwrites files", then: writes,
		flags: "-fuvxz -ns: --force --iterations: --size: --remove? --verbose --exact --zero --help --version"},
	{names: "tee", changes: "", then: tees,
		flags: "-aip --append --ignore-interrupts --output-error? --help --version"},
	{names: "chmod", raw: true, changes: "changes files", then: chmod},
	{names: "chown chgrp", changes: "changes files", then: chown,
		flags: "-cfvhHLPR --changes --silent --quiet --verbose --dereference --no-dereference --from: --no-preserve-root --preserve-root --reference% --recursive --help --version"},
	{names: "cp", changes: "makes files", then: copies,
		flags: "-abdfiHlLnPprRsTuvxZ -S: -t% --archive --attributes-only --backup? --copy-contents --force --interactive --link --dereference --no-clobber --no-dereference --preserve? --no-preserve: --parents --recursive --reflink? --remove-destination --sparse: --strip-trailing-slashes --symbolic-link --suffix: --target-directory% --no-target-directory --update? --verbose --one-file-system --help --version"},
	{names: "mv", changes: "moves files", then: moves,
		flags: "-bfinTuvZ -S: -t% --backup? --force --interactive --no-clobber --strip-trailing-slashes --suffix: --target-directory% --no-target-directory --update? --verbose --help --version"},
	{names: "ln", changes: "makes links", then: links,
		flags: "-bdFfiLnPrsTv -S: -t% --backup? --directory --force --interactive --logical --no-dereference --physical --relative --symbolic --suffix: --target-directory% --no-target-directory --verbose --help --version"},
	{names: "install", changes: "makes files", then: installs,
		flags: "-bcCdDpsTvZ -gmoS: -t% --backup? --compare --directory --group: --mode: --owner: --preserve-timestamps --strip --suffix: --target-directory% --no-target-directory --verbose --help --version"},
	{names: "dd", raw: true, changes: "writes files", then: dd},
	{names: "split csplit", changes: "writes files", partial: true, then: splits,
		flags: "-bCnlat: -dexvu --bytes: --lines: --number: --suffix-length: --additional-suffix: --numeric-suffixes? --verbose"},
	{names: "patch", changes: "changes files", partial: true, then: writes,
		flags: "-bcefElnNRstTuvZ -p: -i< -d% -o> -r> --strip: --input< --directory% --output> --dry-run --forward --reverse --batch --force --silent --quiet --verbose --backup"},
	{names: "python python2 python3 pypy3", stop: true, then: runsScript,
		flags: "-bBdEhiIOPqsSuvVx -WX: -cm!: --version --help"},
	{names: "node nodejs", stop: true, then: runsScript, flags: "-v --version -eprC!: --eval!: --print!: --require!: --import!: --loader!:"},
	{names: "ruby", stop: true, then: runsScript, flags: "-aclnpsSvwW --version -eIrCF!:"},
	{names: "perl", stop: true, then: runsScript, flags: "-v --version -eEIMmF!: -acnpswltTWuU! -i!?"},
	{names: "bash sh dash zsh ksh", stop: true, then: runsScript, flags: "-abefhkmnptuvxilrs -cO!: --login --norc --noprofile --posix --version"},
	{names: "gcc g++ cc c++ clang clang++", changes: "writes files", partial: true, then: reads,
		flags: "-cEgSvwO0123456789 -o> -IDLlUxfmW:"},
}

// transferPrograms reach other machines, and read or write files here.
var transferPrograms = []program{
	{names: "scp", changes: "reaches the network", then: transfers,
		flags: "-346ABCOpqRTvr -i< -F< -cDJloPSX:"},
	{names: "rsync", changes: "copies files", then: transfers,
		flags: "-avzrlptgoDnhHAXxuPqcCRWSi --archive --verbose --compress --recursive --links --perms --times --group --owner --delete --delete-after --delete-before --delete-during --delete-excluded --dry-run --human-readable --hard-links --progress --partial --stats --update --checksum --exclude: --include: --exclude-from< --include-from< --existing --ignore-existing --itemize-changes --info: --inplace --max-size: --min-size: --quiet"},
	{names: "curl", changes: "reaches the network", then: curl,
		flags: "-sSLfkvIiGgNO0123456789 -XHAemuUxrwCyYz: -o> -cD> -T< -K@ -bEdF: --silent --show-error --location --fail --fail-with-body --insecure --verbose --head --include --get --globoff --no-buffer --remote-name --compressed --request: --header: --user-agent: --referer: --max-time: --connect-timeout: --user: --proxy: --range: --write-out: --retry: --retry-delay: --output> --cookie-jar> --dump-header> --upload-file< --config@ --cacert< --cert: --key< --cookie: --data: --data-raw: --data-ascii: --data-binary: --data-urlencode: --form: --form-string: --json: --url: --output-dir: --http1.1 --http2 --ipv4 --ipv6 --max-redirs: --resolve: --interface: --create-dirs --remote-header-name -J"},
	{names: "wget", changes: "reaches the network", then: wget,
		flags: "-qvcSN46 -O> -o> -a> -i< -P: -tTUewQ: --quiet --verbose --no-verbose --continue --timestamping --output-document> --output-file> --append-output> --input-file< --directory-prefix: --tries: --timeout: --user-agent: --header: --post-data: --post-file< --body-file< --no-check-certificate --spider"},
}

// writes says that the operands are files that are written.
func writes(c *call) {
	for _, w := range c.operands {
		c.file(w, tool.Write, false)
	}
}

// writesBelow says so of the operands and all below them.
func writesBelow(c *call) {
	for _, w := range c.operands {
		c.file(w, tool.Write, true)
	}
}

func removes(c *call) {
	if c.has("-r", "-R", "--recursive") || len(c.doubts) > 0 {
		writesBelow(c)
		return
	}
	writes(c)
}

func tees(c *call) {
	writes(c)
	if len(c.operands) > 0 {
		c.refuse("tee writes files")
	}
}

// chmod has modes that look like flags: chmod -w file.
func chmod(c *call) {
	tree, ended, mode := false, false, Word{}
	var names []Word
	for _, w := range c.operands {
		switch {
		case !ended && plain(w, "--"):
			ended = true
		case !ended && strings.HasPrefix(w.Text, "--reference="):
			mode = w
			c.file(tail(w, len("--reference=")), tool.Search, false)
		case !ended && beginsFlag(w) && chmodFlag(w.Text):
			tree = tree || w.Text == "--recursive" || strings.Contains(w.Text, "R") && w.Text[1] != '-'
		case !ended && beginsFlag(w) && strings.Trim(w.Text, "-rwxXstugo,+=") == "" && w.Text[1] != '-':
			mode = w
		case !ended && beginsFlag(w):
			c.incomplete = true
		default:
			names = append(names, w)
		}
	}
	if mode.Text == "" && len(names) > 0 {
		names = names[1:]
	}
	for _, w := range names {
		c.file(w, tool.Write, tree)
	}
}

func chmodFlag(text string) bool {
	switch text {
	case "--recursive", "--changes", "--quiet", "--silent", "--verbose", "--preserve-root", "--no-preserve-root":
		return true
	}
	return strings.Trim(text[1:], "Rcfv") == ""
}

func chown(c *call) {
	if !c.has("--reference") {
		c.shift()
	}
	for _, w := range c.operands {
		c.file(w, tool.Write, c.has("-R", "--recursive"))
	}
}

// A transfer is what copies and its like have in common.
type transfer struct {
	from tool.Op
	tree bool // the sources may be folders
}

func copies(c *call) {
	c.transfer(transfer{tool.Read, c.has("-r", "-R", "-a", "--recursive", "--archive")})
}

func moves(c *call) { c.transfer(transfer{tool.ReadWrite, true}) }

// links says that what is linked to may be changed by the new name.
func links(c *call) {
	if len(c.operands) == 1 && !c.has("-t", "--target-directory") {
		c.file(c.operands[0], tool.ReadWrite, true)
		c.file(Word{Text: path.Base(c.operands[0].Text), Known: c.operands[0].Known}, tool.Write, false)
		return
	}
	if c.has("-s", "--symbolic") {
		c.incomplete = true // a name in a link is relative to the link
	}
	c.transfer(transfer{tool.ReadWrite, true})
}

func installs(c *call) {
	if c.has("-d", "--directory") {
		writes(c)
		return
	}
	c.transfer(transfer{tool.Read, false})
}

// transfer notes the sources and what is written at the destination: the name
// itself, and, for it may be a folder, what gets the name of each source.
func (c *call) transfer(t transfer) {
	sources, to := c.operands, Word{}
	if w, ok := c.value("-t", "--target-directory"); ok {
		to = w
	} else if n := len(sources); n > 1 {
		sources, to = sources[:n-1], sources[n-1]
	} else {
		c.incomplete = true
	}
	for _, w := range sources {
		c.file(w, t.from, t.tree)
	}
	if to.Text == "" {
		return
	}
	c.file(to, tool.Write, t.tree || c.has("--parents") || !one(to))
	if !c.has("-T", "--no-target-directory") {
		for _, w := range sources {
			c.fileIn(to, w, t.tree)
		}
	}
	if !one(to) {
		c.incomplete = true
	}
}

// fileIn notes the file in a folder that gets the name of a source.
func (c *call) fileIn(dir, source Word, tree bool) {
	name := path.Base(source.Text)
	switch {
	case !source.Known || source.Glob || name == ".." || name == "." || name == "/":
		c.file(dir, tool.Write, true)
	case dir.Known && !dir.Glob:
		c.file(Word{Text: strings.TrimSuffix(dir.Text, "/") + "/" + name, Known: true}, tool.Write, tree)
	}
}

// dd has its own way of naming files.
func dd(c *call) {
	for _, w := range c.operands {
		name, value, ok := strings.Cut(w.Text, "=")
		switch {
		case !ok || !w.Known && !one(w):
			c.incomplete = true
		case name == "if":
			c.file(tail(w, len(w.Text)-len(value)), tool.Read, false)
		case name == "of":
			c.file(tail(w, len(w.Text)-len(value)), tool.Write, false)
		}
	}
}

func splits(c *call) {
	if len(c.operands) > 0 {
		c.list(c.operands[:1], tool.Read, false)
	}
}

// runsScript says that the first operand is read and run. Asked for a
// version, an interpreter only answers.
func runsScript(c *call) {
	if len(c.operands) == 0 && len(c.flags) == 1 && c.has("-V", "--version") {
		return
	}
	if len(c.operands) == 0 && len(c.flags) == 1 && c.has("-v") && strings.HasPrefix(c.name, "node") {
		return
	}
	c.refuse(c.name + " runs a program")
	c.incomplete = true
	if len(c.operands) > 0 && !c.has("-c", "-m", "-e", "-E", "-p", "-s", "--eval", "--print") {
		c.list(c.operands[:1], tool.Read, false)
	}
}

// transfers says what is copied to or from here. A name with a colon before
// any slash is elsewhere.
func transfers(c *call) {
	n := len(c.operands)
	if n < 2 {
		c.incomplete = true
	}
	tree := c.name == "rsync" || c.has("-r")
	for i, w := range c.operands {
		before, _, colon := strings.Cut(w.Text, ":")
		switch {
		case w.Known && colon && !strings.Contains(before, "/"):
			c.refuse(c.name + " reaches the network")
		case i < n-1 || n == 1:
			c.file(w, tool.Read, tree)
		default:
			c.file(w, tool.Write, true)
		}
	}
}

// curl reads files that are named behind an @, and what is at a file address.
func curl(c *call) {
	for _, f := range c.flags {
		switch f.name {
		case "-d", "--data", "--data-ascii", "--data-binary", "--json":
			if strings.HasPrefix(f.value.Text, "@") {
				c.list([]Word{tail(f.value, 1)}, tool.Read, false)
			} else if !f.value.Known {
				c.incomplete = true
			}
		case "-b", "--cookie", "-E", "--cert":
			if !strings.Contains(f.value.Text, "=") {
				c.list([]Word{f.value}, tool.Read, false)
			}
		case "-F", "--form", "--data-urlencode", "--output-dir", "-w", "--write-out", "-H", "--header":
			c.curlField(f.value)
		case "-O", "--remote-name", "-J", "--remote-header-name":
			c.incomplete = true // the name is in the address, or in the answer
		}
	}
	for _, w := range c.operands {
		if !w.Known || strings.Contains(strings.ToLower(w.Text), "file:") {
			c.incomplete = true
		}
		if at := strings.Index(strings.ToLower(w.Text), "file:"); w.Known && at >= 0 {
			name := strings.TrimPrefix(strings.TrimLeft(w.Text[at+len("file:"):], "/"), "localhost/")
			c.file(Word{Text: "/" + name, Known: true}, tool.Read, false)
		}
	}
}

// curlField notes the file in a field: name=@file, name=<file, @file.
func (c *call) curlField(w Word) {
	at := strings.IndexAny(w.Text, "@<")
	if at >= 0 {
		name, _, _ := strings.Cut(w.Text[at+1:], ";")
		c.list([]Word{{Text: name, Known: w.Known}}, tool.Read, false)
	}
	if at >= 0 || !w.Known {
		c.incomplete = true
	}
}

func wget(c *call) {
	if w, ok := c.value("-P", "--directory-prefix"); ok {
		c.file(w, tool.Write, true)
	}
	if !c.has("-O", "--output-document") {
		c.incomplete = true // the name is in the address
	}
}
