package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

// findWords are the words of a search, each with the number of
// words that belong to it.
var findWords = counted(
	"! ( ) , -not -a -and -o -or -true -false -daystart -depth -d -follow -ignore_readdir_race -noignore_readdir_race -mount -xdev -noleaf -nowarn -warn -empty -executable -readable -writable -nogroup -nouser -print -print0 -ls -delete -prune -quit -help --help -version --version",
	"-maxdepth -mindepth -regextype -amin -atime -cmin -ctime -mmin -mtime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -name -path -perm -regex -size -type -uid -used -user -wholename -xtype -context -printf -newer -anewer -cnewer -samefile -files0-from -newerat -newerBt -newerct -newermt -fls -fprint -fprint0",
	"-fprintf",
)

// findFiles are the words after which a file is named, and what is done to it.
var findFiles = map[string]tool.Op{
	"-newer": tool.Search, "-anewer": tool.Search, "-cnewer": tool.Search, "-samefile": tool.Search,
	"-files0-from": tool.Read,
	"-fls":         tool.Write, "-fprint": tool.Write, "-fprint0": tool.Write, "-fprintf": tool.Write,
}

// findRuns are the words that run the program behind them.
var findRuns = counted("-exec -execdir -ok -okdir")

// findFirst are the flags that stand before the folders.
var findFirst = counted("-H -L -P -O0 -O1 -O2 -O3 --")

func counted(lists ...string) map[string]int {
	m := map[string]int{}
	for n, list := range lists {
		for _, word := range fields(list) {
			m[word] = n
		}
	}
	return m
}

// find takes folders, and then words that say what to do in them.
func find(c *call) {
	roots, rest := c.findRoots()
	for len(rest) > 0 {
		rest = c.findWord(rest[0], rest[1:])
	}
	if c.has("-files0-from") {
		c.incomplete = true
	} else if len(roots) == 0 {
		roots = []Word{here()}
	}
	does := tool.Search
	if c.has("-delete") {
		does |= tool.Write
	}
	for _, w := range roots {
		c.file(w, does, true)
	}
	c.follows("-L", "-follow")
}

// findRoots splits the folders off, and the flags that stand before them.
func (c *call) findRoots() (roots, rest []Word) {
	rest = c.operands
	for len(rest) > 0 && isFindFirst(rest[0]) {
		c.flags = append(c.flags, given{name: rest[0].Text})
		rest = rest[1:]
	}
	for len(rest) > 0 && !beginsSearch(rest[0]) {
		if mayBeginSearch(rest[0]) {
			c.refuse(rest[0].Text + " may become a flag of " + c.name)
			c.incomplete = true
		}
		roots = append(roots, rest[0])
		rest = rest[1:]
	}
	return roots, rest
}

func isFindFirst(w Word) bool {
	_, ok := findFirst[w.Text]
	return ok && w.Known && !w.Glob
}

func beginsSearch(w Word) bool {
	return w.Known && w.Text != "" && strings.IndexByte("-!(),", w.Text[0]) >= 0
}

func mayBeginSearch(w Word) bool {
	return mayBeginFlag(w) || !w.Known && strings.IndexByte("!(),", firstSign(w)) >= 0
}

// findWord takes one word of the search and what belongs to it. It returns
// what is left.
func (c *call) findWord(w Word, rest []Word) []Word {
	c.flags = append(c.flags, given{name: w.Text})
	follow, known := findWords[w.Text]
	if !known || !w.Known || w.Glob || follow > len(rest) {
		c.findRefuse(w)
		return rest
	}
	for _, value := range rest[:follow] {
		if !one(value) {
			c.refuse(value.Text + " may become a flag of " + c.name)
			c.incomplete = true
		}
	}
	does := findFiles[w.Text]
	if does != 0 {
		c.file(rest[0], does, false)
	}
	if does == tool.Write {
		c.refuseFlag(w.Text, "writes a file")
	}
	if w.Text == "-delete" {
		c.refuseFlag(w.Text, "removes files")
	}
	return rest[follow:]
}

func (c *call) findRefuse(w Word) {
	why := "is in no table"
	if _, runs := findRuns[w.Text]; runs {
		why = "runs a program"
	}
	c.refuseFlag(w.Text, why)
	c.incomplete = true
}
