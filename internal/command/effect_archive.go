package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// archivePrograms read and make archives. Those that list one start the
// decompressor of the system.
var archivePrograms = []program{
	{names: "tar gtar bsdtar", raw: true, then: tar,
		flags: "-crtuxvzjJaOkpPwmSh -f: -C: -X< -T!: --create --append --list --update --extract --get --verbose --gzip --bzip2 --xz --zstd --auto-compress --to-stdout --keep-old-files --skip-old-files --overwrite --preserve-permissions --same-permissions --no-same-permissions --same-owner --no-same-owner --absolute-names --file: --directory: --exclude: --exclude-from< --exclude-vcs --strip-components: --wildcards --no-wildcards --anchored --no-anchored --numeric-owner --full-time --force-local --quoting-style: --owner: --group: --mode: --mtime: --sort: --one-file-system --dereference --no-recursion --totals --utc --warning: --ignore-zeros --touch --delay-directory-restore --version --help"},
	{names: "zcat gzcat bzcat xzcat", harmless: true, then: reads, flags: "-fhLvkqV --force --quiet --verbose --help --version"},
	{names: "gzip gunzip bzip2 bunzip2 xz unxz", then: packs,
		flags: "-cdfhklLnNqrtvVz0123456789 -S: --stdout --to-stdout --decompress --uncompress --force --keep --list --no-name --name --quiet --recursive --suffix: --test --verbose --fast --best --version --help"},
	{names: "zipinfo", then: zipinfo, flags: "-12smlvhtzCM"},
	{names: "unzip", then: unzip, flags: "-lvtZpczqonjCLUaXVK:D1 -d: -x!"},
	{names: "zip", changes: "writes an archive", then: zip,
		flags: "-rqv0123456789jmuf -x: --recurse-paths --quiet --verbose --junk-paths --exclude:"},
}

// tar reads an archive, or makes one. The first word may be flags without
// their sign, whose values follow in order.
func tar(c *call) {
	args := oldTarFlags(c.operands)
	p := *c.program
	p.raw = false
	c.program, c.operands = &p, nil
	c.split(args)
	if c.has("--version", "--help") && len(c.flags) == 1 {
		return
	}
	list := c.has("-t", "--list")
	extract := c.has("-x", "--extract", "--get")
	create := c.has("-c", "--create")
	switch {
	case !list && !extract && !create || list && (extract || create) || extract && create || c.has("-r", "-u", "--append", "--update"):
		c.refuse("tar changes an archive")
		c.incomplete = true
	case list:
		c.tarFiles(tool.Read)
	case extract:
		c.tarFiles(tool.Read)
		c.tarExtract()
	case create:
		c.tarFiles(tool.Write)
		c.tarCreate()
	}
}

// oldTarFlags turns tar xzf NAME into tar -x -z -f NAME.
func oldTarFlags(args []Word) []Word {
	if len(args) == 0 || !one(args[0]) || !args[0].Known || strings.HasPrefix(args[0].Text, "-") {
		return args
	}
	var out []Word
	rest := args[1:]
	for _, letter := range args[0].Text {
		out = append(out, Word{Text: "-" + string(letter), Known: true})
		if strings.ContainsRune("fCXTbgHILNKV", letter) && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// tarFiles notes the archives.
func (c *call) tarFiles(does tool.Op) {
	if !c.has("-f", "--file") {
		c.incomplete = true // the tape, or what a variable says
	}
	for _, f := range c.flags {
		if f.name == "-f" || f.name == "--file" {
			c.refuseRemote(f.value)
			c.list([]Word{f.value}, does, false)
		}
	}
}

// refuseRemote refuses the name of an archive on another machine.
func (c *call) refuseRemote(archive Word) {
	before, _, colon := strings.Cut(archive.Text, ":")
	if !archive.Known || colon && !strings.Contains(before, "/") && !c.has("--force-local") {
		c.refuse("tar " + archive.Text + " may be on another machine")
	}
}

func (c *call) tarExtract() {
	if c.has("-O", "--to-stdout") {
		return
	}
	c.refuse("tar -x writes files")
	dir, ok := c.value("-C", "--directory")
	if !ok {
		dir = here()
	}
	c.file(dir, tool.Write, true)
	if c.has("-P", "--absolute-names") {
		c.incomplete = true
	}
}

func (c *call) tarCreate() {
	c.refuse("tar -c writes an archive")
	dir, ok := c.value("-C", "--directory")
	if ok {
		c.base = dir
		c.incomplete = true // it holds for the names after it only
	}
	c.list(c.operands, tool.Read, true)
}

// packs replaces files by packed ones, or only prints. Asked for its version,
// bzip2 answers and goes on.
func packs(c *call) {
	if c.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test") {
		c.list(c.operands, tool.Read, c.has("-r", "--recursive"))
		return
	}
	c.list(c.operands, tool.ReadWrite, c.has("-r", "--recursive"))
	if len(c.operands) > 0 {
		c.refuse(c.name + " replaces files")
		c.incomplete = true // the names with another ending
	}
}

func zipinfo(c *call) {
	if w, ok := c.shift(); ok {
		c.file(w, tool.Read, false)
	}
}

// unzip unpacks, if it is not asked to list or print.
func unzip(c *call) {
	archive, ok := c.shift()
	if !ok {
		return
	}
	c.file(archive, tool.Read, false)
	if c.has("-l", "-v", "-t", "-Z", "-p", "-c", "-z") {
		return
	}
	c.refuse("unzip writes files")
	dir, ok := c.value("-d")
	if !ok {
		dir = here()
	}
	c.file(dir, tool.Write, true)
}

func zip(c *call) {
	archive, ok := c.shift()
	if !ok {
		return
	}
	c.file(archive, tool.ReadWrite, false)
	does := tool.Read
	if c.has("-m") {
		does = tool.ReadWrite
	}
	c.list(c.operands, does, c.has("-r", "--recurse-paths"))
}
