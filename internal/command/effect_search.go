package command

import "github.com/burin-tools/burin/tool"

const (
	grepFlags = "-EFGPyivwxcLlqsobHhnTUzZaIrRu0123456789 -mABCdDe: -f< " +
		"--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file< --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --version --help --max-count: --byte-offset --line-number --line-buffered --with-filename --no-filename --label: --only-matching --quiet --silent --binary-files: --text --directories: --devices: --recursive --dereference-recursive --include: --exclude: --exclude-from< --exclude-dir: --files-without-match --files-with-matches --count --initial-tab --null --before-context: --after-context: --context: --group-separator: --no-group-separator --color? --colour? --binary --unix-byte-offsets"

	rgFlags = "-bscFLhliv.INUn0oPpqSauVHwx -ABCEgMmdejrtT: -f< -z! " +
		"--after-context: --auto-hybrid-regex --before-context: --binary --no-binary --block-buffered --no-block-buffered --byte-offset --no-byte-offset --case-sensitive --color: --colors: --column --no-column --context: --context-separator: --no-context-separator --count --count-matches --crlf --no-crlf --debug --dfa-size-limit: --encoding: --no-encoding --engine: --field-context-separator: --field-match-separator: --file< --files --files-with-matches --files-without-match --fixed-strings --no-fixed-strings --follow --no-follow --glob: --glob-case-insensitive --heading --no-heading --help --hidden --no-hidden --hostname-bin!: --hyperlink-format: --iglob: --ignore --ignore-case --ignore-file< --ignore-file-case-insensitive --include-zero --no-include-zero --invert-match --no-invert-match --json --no-json --line-buffered --no-line-buffered --line-number --line-regexp --max-columns: --max-columns-preview --max-count: --max-depth: --maxdepth: --max-filesize: --mmap --no-mmap --multiline --no-multiline --multiline-dotall --no-multiline-dotall --no-config --no-filename --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --messages --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system --no-one-file-system --only-matching --passthru --passthrough --path-separator: --pcre2 --no-pcre2 --pcre2-version --pre!: --no-pre --pre-glob: --pretty --quiet --regex-size-limit: --regexp: --replace: --search-zip! --no-search-zip --smart-case --sort: --sortr: --sort-files --stats --no-stats --stop-on-nonmatch --text --no-text --threads: --trace --trim --no-trim --type: --type-add: --type-clear: --type-list --type-not: --unrestricted --version --vimgrep --with-filename --word-regexp"

	fdFlags = "-HIusgFiaL0p1qhV -dEteSojc: -xXl! " +
		"--hidden --no-hidden --no-ignore --ignore --no-ignore-vcs --no-ignore-parent --no-require-git --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --and: --absolute-path --follow --no-follow --full-path --print0 --max-depth: --min-depth: --exact-depth: --exclude: --prune --type: --extension: --size: --changed-within: --changed-before: --newer: --older: --owner: --format: --ignore-file< --color: --threads: --max-results: --quiet --show-errors --base-directory% --path-separator: --search-path% --strip-cwd-prefix --one-file-system --exec!: --exec-batch!: --list-details! --help --version"
)

// searchPrograms look for words in files, or for files.
var searchPrograms = []program{
	{names: "grep egrep fgrep rgrep", harmless: true, then: following(grep, "-R", "--dereference-recursive"), flags: grepFlags},
	// It takes a long flag's value from the same word only, and refuses some.
	{names: "zgrep zegrep zfgrep", harmless: true, then: grep,
		flags: "-EFGHILPTUZabchilnoqsvwxy0123456789 -mABCe: -f< --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --ignore-case --word-regexp --line-regexp --no-messages --invert-match --max-count? --byte-offset --line-number --with-filename --no-filename --only-matching --quiet --text --files-without-match --files-with-matches --count --initial-tab --before-context? --after-context? --context? --color? --help --version"},
	// --pre and --hostname-bin run a program, --search-zip several.
	{names: "rg", then: following(rg, "-L", "--follow"), flags: rgFlags},
	{names: "ugrep ug", then: following(ugrep, "-R", "-S", "--dereference-recursive"), flags: "-EFGPiwxcLlqsobHhnTZaIrRS0123456789 -mABCegt: -f< --regexp: --fixed-strings --perl-regexp --ignore-case --smart-case --word-regexp --line-regexp --invert-match --count --files-with-matches --line-number --with-filename --no-filename --only-matching --quiet --recursive --dereference-recursive --include: --exclude: --exclude-dir: --color? --glob: --hidden --no-messages --version"},
	{names: "fd fdfind", then: following(fd, "-L", "--follow"), flags: fdFlags},
	{names: "find bfs", raw: true, then: find},
}

// grep reads files; with -r, all below them. The first operand is the pattern
// where no flag is.
func grep(c *call) {
	if !c.has("-e", "-f", "--regexp", "--file") {
		c.shift()
	}
	kind, _ := c.value("-d", "--directories")
	tree := c.has("-r", "-R", "--recursive", "--dereference-recursive") || plain(kind, "recurse") || c.name == "rgrep"
	if tree {
		c.list(c.foldersGiven(), tool.Read, true)
		return
	}
	reads(c)
}

// ugrep is grep that looks below folders without being told.
func ugrep(c *call) {
	if !c.has("-e", "-f", "--regexp") {
		c.shift()
	}
	c.list(c.foldersGiven(), tool.Read, true)
}

func rg(c *call) {
	does := tool.Read
	switch {
	case c.has("--type-list", "--version", "-V", "--help", "-h", "--pcre2-version"):
		return
	case c.has("--files"):
		does = tool.Search
	case !c.has("-e", "-f", "--regexp", "--file"):
		c.shift()
	}
	c.list(c.foldersGiven(), does, true)
}

// fd looks in the folders that stand behind the pattern, or are the value of
// a flag.
func fd(c *call) {
	c.shift()
	if c.has("--search-path", "--base-directory") {
		for i := range c.files {
			c.files[i].Tree = true
		}
	}
	c.list(c.foldersGiven(), tool.Search, true)
}
