package command

import (
	"strings"

	"github.com/burin-tools/burin/tool"
)

const (
	gitDiffFlags = "-puswzabDRWrtqcm0123456789 -UGSlI: -O< -MCBX? --patch --no-patch --unified: --output!: --output-indicator-new: --output-indicator-old: --output-indicator-context: --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored: --diff-algorithm: --stat? --compact-summary --numstat --shortstat --dirstat? --cumulative --summary --patch-with-stat --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws: --word-diff? --word-diff-regex: --color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight: --full-index --binary --abbrev? --break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter: --pickaxe-all --pickaxe-regex --find-object: --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines: --inter-hunk-context: --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --default-prefix --line-prefix: --ita-invisible-in-index --cached --staged --merge-base --no-index --base --ours --theirs --cc --root --stdin --pretty? --format: --no-commit-id --diff-merges: --no-diff-merges --combined-all-paths --ext-diff! --textconv!"

	gitRevFlags = "-n: --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep-reflog: --grep: --all-match --invert-grep -iEFPs --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents: --max-parents: --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob: --exclude: --reflog --alternate-refs --single-worktree --ignore-missing --bisect --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format: --abbrev-commit --no-abbrev-commit --oneline --encoding: --expand-tabs? --no-expand-tabs --notes? --no-notes --show-signature! --relative-date --date: --parents --children --left-right --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs: --decorate-refs-exclude: --source --use-mailmap --no-use-mailmap --mailmap --log-size --follow -L: --count --objects --disk-usage? --timestamp --header --quiet --unpacked --filter: --no-object-names --object-names --bisect-vars --bisect-all --in-commit-order"
)

// gitPrograms are git and those of its subcommands that print what is in the
// repository.
var gitPrograms = []program{
	{names: "git", stop: true, then: git,
		flags: "-P -p! -C: -c!: --version --help! --no-pager --paginate! --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs! --exec-path!? --git-dir!: --work-tree!: --namespace!: --config-env!: --super-prefix!: --html-path --man-path --info-path"},
	{names: "git_status", then: gitLooks,
		flags: "-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"},
	{names: "git_diff git_diff-tree git_diff-index git_diff-files", then: gitDiffs, flags: gitDiffFlags},
	{names: "git_log git_whatchanged git_show git_reflog_show", then: gitShows, flags: gitDiffFlags + " " + gitRevFlags},
	{names: "git_rev-list", then: gitShows, flags: gitRevFlags},
	{names: "git_shortlog", then: gitShows, flags: gitRevFlags + " -nsec -w? --numbered --summary --email --group: --committer"},
	{names: "git_cherry", then: words, flags: "-v --abbrev?"},
	{names: "git_ls-files", then: gitLooks,
		flags: "-cdmoiskutvfz -x: -X< --cached --deleted --modified --others --ignored --stage --killed --unmerged --directory --no-empty-directory --eol --deduplicate --exclude: --exclude-from< --exclude-per-directory: --exclude-standard --error-unmatch --with-tree: --full-name --recurse-submodules --abbrev? --debug --sparse --format: --resolve-undo"},
	{names: "git_ls-tree", then: gitShows,
		flags: "-drtlz --long --name-only --name-status --object-only --abbrev? --full-name --full-tree --format:"},
	{names: "git_rev-parse", then: words,
		flags: "-q --quiet --verify --abbrev-ref? --short? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --glob: --exclude: --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --git-path: --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format? --shared-index-path --path-format: --revs-only --no-revs --flags --no-flags --default: --prefix: --not --since: --until: --after: --before: --disambiguate: --local-env-vars --show-ref-format --sq"},
	{names: "git_cat-file", then: gitCatFile,
		flags: "-tspez --batch? --batch-check? --batch-command? --batch-all-objects --buffer --unordered --allow-unknown-type --follow-symlinks --textconv! --filters! --path!: --use-mailmap --no-use-mailmap"},
	{names: "git_blame git_annotate", then: gitShows,
		flags: "-bltfnspecwk0123456789 -L: -S< -MC? --root --show-stats --reverse --first-parent --porcelain --line-porcelain --incremental --encoding: --contents< --date: --progress --no-progress --abbrev? --ignore-rev: --ignore-revs-file< --color-lines --color-by-age --show-name --show-number --show-email --minimal --score-debug"},
	// --dirty writes the index, whatever it is told.
	{names: "git_describe", then: words,
		flags: "--all --tags --contains --abbrev? --candidates: --exact-match --debug --long --match: --exclude: --always --first-parent --dirty!? --broken!?"},
	{names: "git_count-objects", then: words, flags: "-vH --verbose --human-readable"},
	{names: "git_merge-base", then: words, flags: "-a --all --octopus --independent --is-ancestor --fork-point"},
	{names: "git_name-rev", then: words, flags: "--tags --refs: --exclude: --all --stdin --annotate-stdin --name-only --no-undefined --undefined --always"},
	{names: "git_for-each-ref", then: words,
		flags: "-spt --count: --sort: --format: --color? --shell --perl --python --tcl --points-at: --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude: --stdin --include-root-refs"},
	{names: "git_show-ref", then: words, flags: "-dhqs --head --heads --branches --tags --dereference --hash? --verify --exists --abbrev? --quiet --exclude-existing?"},
	{names: "git_show-branch", then: words, flags: "-ar --all --remotes --current --topo-order --date-order --sparse --more: --list --merge-base --independent --no-name --sha1-name --topics --color? --no-color"},
	{names: "git_check-ignore", then: looks, flags: "-qvzn --quiet --verbose --stdin --non-matching --no-index"},
	{names: "git_check-attr", then: looks, flags: "-az --all --stdin --cached --source:"},
	{names: "git_var", then: words, flags: "-l"},
	{names: "git_version", then: words, flags: "--build-options"},
	// -O runs a pager; --textconv what the attributes say.
	{names: "git_grep", then: gitGrep,
		flags: "-aIivwhHEGPFnlLzcpqoWr0123456789 -O!? -ABCem: -f< --cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --no-recursive --recursive --max-depth: --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --open-files-in-pager!? --null --only-matching --count --color? --no-color --break --heading --show-function --context: --after-context: --before-context: --function-context --max-count: --threads: --and --or --not --all-match --quiet --textconv! --no-textconv"},
}

// gitListPrograms are subcommands of git that list some things, and change
// them when they are given more arguments.
var gitListPrograms = []program{
	{names: "git_branch", then: gitBranch,
		flags: "-arvqi --all --remotes --list -l --show-current --verbose --quiet --color? --no-color --ignore-case --column? --no-column --sort: --abbrev? --no-abbrev --points-at: --format: --omit-empty --contains --no-contains --merged --no-merged -dDmMcCuft! --delete! --move! --copy! --force! --set-upstream-to!? --unset-upstream! --edit-description! --track!? --no-track! --create-reflog! --recurse-submodules!"},
	{names: "git_tag", then: gitTag,
		flags: "-ln0123456789i --list --sort: --format: --color? --column? --no-column --points-at: --contains --no-contains --merged --no-merged --ignore-case --omit-empty -asfde! -mFu!: --annotate! --sign! --local-user!: --force! --delete! --verify! -v! --message!: --file!: --edit! --cleanup!: --create-reflog!"},
	{names: "git_remote", stop: true, then: gitRemote, flags: "-v --verbose"},
	{names: "git_remote_get-url", then: words, flags: "--push --all"},
	{names: "git_remote_show", then: gitRemoteShow, flags: "-n"},
	{names: "git_config", then: gitConfig,
		flags: "-lz -f< --global --system --local --worktree --file< --blob: --get --get-all --get-regexp --get-urlmatch --list --null --name-only --show-names --no-show-names --type: --no-type --bool --int --bool-or-int --bool-or-str --path --expiry-date --show-origin --show-scope --includes --no-includes --get-color --get-colorbool --default: --all --regexp --value: --fixed-value --url: -e! --edit! --add! --replace-all! --unset! --unset-all! --rename-section! --remove-section! --comment!:"},
	{names: "git_stash", stop: true, then: subcommand, flags: ""},
	{names: "git_stash_list", then: words, flags: gitDiffFlags + " " + gitRevFlags},
	{names: "git_stash_show", then: words, flags: "--include-untracked --only-untracked --no-include-untracked " + gitDiffFlags},
	{names: "git_worktree", stop: true, then: subcommand, flags: ""},
	{names: "git_worktree_list", then: words, flags: "-vz --porcelain --verbose --expire:"},
	{names: "git_submodule", stop: true, then: subcommand, flags: "--quiet"},
	{names: "git_submodule_status", then: gitLooks, flags: "--cached --recursive"},
	{names: "git_notes", stop: true, then: subcommand, flags: ""},
	{names: "git_notes_list git_notes_show", then: words, flags: ""},
	{names: "git_bisect", stop: true, then: subcommand, flags: ""},
	{names: "git_bisect_log", then: words, flags: ""},
	{names: "git_reflog", stop: true, then: gitReflog, flags: gitDiffFlags + " " + gitRevFlags},
	{names: "git_symbolic-ref", then: gitSymbolicRef, flags: "-q --quiet --short --recurse --no-recurse -d! --delete! -m!:"},
	{names: "git_add", changes: "changes the index", then: gitAdds,
		flags: "-nvfAup --dry-run --verbose --force --interactive --patch --update --all --no-all --ignore-removal --intent-to-add -N --refresh --ignore-errors --ignore-missing --renormalize --chmod:"},
	{names: "git_rm", changes: "removes files", then: gitRemoves,
		flags: "-fnrq --force --dry-run --cached --ignore-unmatch --quiet --sparse"},
	{names: "git_mv", changes: "moves files", then: moves, flags: "-fknv --force --dry-run --verbose --sparse"},
	{names: "git_restore", changes: "changes files", then: gitRestores,
		flags: "-s: -SWqp --source: --staged --worktree --quiet --progress --no-progress --ours --theirs --merge --ignore-unmerged --patch --overlay --no-overlay"},
	{names: "git_checkout", changes: "changes files", then: gitRestores,
		flags: "-qfmp --quiet --force --ours --theirs --merge --patch --progress --no-progress --overlay --no-overlay"},
}

func words(*call) {}

// git looks at its own flags, and then at the subcommand.
func git(c *call) {
	for _, f := range c.flags {
		if f.name == "-C" {
			c.enter(f.value)
		}
	}
	if !c.has("--version", "--html-path", "--man-path", "--info-path") {
		subcommand(c)
	}
}

// enter goes to a folder, for the names that follow.
func (c *call) enter(dir Word) {
	c.file(dir, tool.Search, false)
	if n := len(c.files); n > 0 {
		c.base = c.files[n-1].Name
	}
}

// subcommand goes on with the program that the first operand names, which has
// flags of its own.
func subcommand(c *call) {
	name, ok := c.shift()
	p := c.all.byName[c.name+"_"+name.Text]
	switch {
	case !ok:
		c.refuse(shown(c.name) + " without a subcommand is in no table")
		return
	case !name.Known || name.Glob || p == nil:
		c.refuse(shown(c.name) + " " + name.Text + " is in no table")
		c.incomplete = true
		return
	}
	rest := c.operands
	c.settleDoubts()
	c.name += "_" + name.Text
	c.program, c.flags, c.operands, c.fixed = p, nil, nil, 0
	c.run(rest)
	c.refuseFormats()
}

// signatures are what a format asks gpg for.
var signatures = lazily(`%G|signature`)

// refuseFormats refuses a format that makes git run gpg.
func (c *call) refuseFormats() {
	for _, f := range c.flags {
		if f.name != "--format" && f.name != "--pretty" {
			continue
		}
		if f.value.Text != "" && (!f.value.Known || signatures().MatchString(f.value.Text)) {
			c.refuseFlag(f.name, "may run gpg")
		}
	}
}

// gitLooks says that the operands are patterns of names. Without any, it is
// all of the work tree; that is taken for the folder at hand, which may lie
// below.
func gitLooks(c *call) {
	for _, w := range c.foldersGiven() {
		c.pathspec(w, tool.Search)
	}
}

// pathspec notes a name that git may read as a pattern of its own. A pattern
// that the shell finds no name for is one too.
func (c *call) pathspec(w Word, does tool.Op) {
	if w.Known && strings.HasPrefix(w.Text, ":") {
		c.incomplete = true // :/ is the top of the work tree
	}
	if !w.Known || w.Glob || !strings.ContainsAny(w.Text, `*?[\`) {
		c.file(w, does, true)
	}
	if w.Known && strings.ContainsAny(w.Text, `*?[\`) {
		c.file(here(), does, true)
	}
}

func (c *call) pathspecs(does tool.Op) {
	for _, w := range c.operands {
		c.pathspec(w, does)
	}
}

// gitDiffs compares files, or what was in them: those behind --, or all.
func gitDiffs(c *call) {
	gitShows(c)
	if c.fixed == 0 && !c.has("--no-index") {
		c.file(here(), tool.Search, true)
	}
}

var (
	gitBlob  = lazily(`^[^:]*:(.+)$`)
	gitRange = lazily(`\.\.|[~^]|@\{|^@$|^HEAD$`)
)

// gitShows says that the operands are names of files, where they are no
// commits for sure. A name in a commit, as in HEAD:name, is one too.
func gitShows(c *call) {
	c.gitLines()
	free := len(c.operands) - c.fixed
	for i, w := range c.operands {
		commit := i < free && w.Known && !w.Glob
		switch {
		case commit && gitBlob().MatchString(w.Text):
			c.gitNames(w)
		case commit && gitRange().MatchString(w.Text):
		default:
			c.pathspec(w, tool.Read)
		}
	}
}

// gitNames notes the name behind a colon, as in HEAD:name, :0:name and
// HEAD^{/a:b}:name: only git knows which colon it is.
func (c *call) gitNames(w Word) {
	for i := range len(w.Text) {
		if w.Text[i] != ':' || i+1 == len(w.Text) {
			continue
		}
		name := tail(w, i+1)
		c.file(name, tool.Read, true)
		if n := len(c.files); !strings.HasPrefix(name.Text, "./") && !strings.HasPrefix(name.Text, "../") {
			c.files[n-1].Top = true
		}
	}
}

// gitLines notes the file behind the lines that git log -L shows.
func (c *call) gitLines() {
	for _, f := range c.flags {
		switch {
		case f.name != "-L" || c.name == "git_blame" || c.name == "git_annotate":
		case !f.value.Known:
			c.incomplete = true
		default:
			c.gitNames(f.value)
		}
	}
}

// gitCatFile is gitShows after the kind of an object.
func gitCatFile(c *call) {
	if len(c.operands) > 1 {
		c.shift()
	}
	if c.has("--batch", "--batch-command") {
		c.incomplete = true // the names are in its input
	}
	gitShows(c)
}

func gitGrep(c *call) {
	if !c.has("-e", "-f") {
		c.shift()
	}
	first := len(c.files)
	gitShows(c)
	if len(c.files) == first { // only commits
		c.file(here(), tool.Read, true)
	}
	for i := range c.files[first:] {
		c.files[first+i].Commit = c.fixed == 0
	}
}

// gitBranch lists where there is no operand, or a flag says that they are
// patterns, or commits to compare with. An old -l does not.
func gitBranch(c *call) {
	listing := c.has("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if !listing && len(c.operands) > 0 {
		c.refuse("git branch with a name makes a branch")
	}
}

func gitTag(c *call) {
	listing := c.has("--list", "-l", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if !listing && len(c.operands) > 0 {
		c.refuse("git tag with a name makes a tag")
	}
}

func gitRemote(c *call) {
	if len(c.operands) > 0 {
		subcommand(c)
	}
}

func gitRemoteShow(c *call) {
	if len(c.operands) > 0 && !c.has("-n") {
		c.refuse("git remote show asks the network")
	}
}

// gitConfig looks where a flag or a word says so; with two operands it sets.
func gitConfig(c *call) {
	asks := c.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool")
	switch {
	case asks:
	case len(c.operands) == 1 && one(c.operands[0]) && c.operands[0].Known && strings.Contains(c.operands[0].Text, "."):
	case len(c.operands) > 0 && (plain(c.operands[0], "list") || plain(c.operands[0], "get")):
		// An old git takes "get" for a name and the word after it for a value,
		// but refuses it, for there is no dot in it.
	default:
		c.refuse("git config sets what it is not asked for")
	}
}

func gitReflog(c *call) {
	if len(c.operands) > 0 && plain(c.operands[0], "show") {
		subcommand(c)
		return
	}
	if len(c.operands) > 0 {
		c.refuse("git reflog " + c.operands[0].Text + " is in no table")
	}
}

func gitSymbolicRef(c *call) {
	if len(c.operands) != 1 || !one(c.operands[0]) {
		c.refuse("git symbolic-ref with two operands sets")
	}
}

func gitAdds(c *call) {
	c.pathspecs(tool.Read)
	if len(c.operands) == 0 {
		c.file(here(), tool.Read, true)
	}
}

func gitRemoves(c *call) { c.pathspecs(tool.Write) }

// gitRestores says that files are written: those behind --. Without it, an
// operand may be a branch, and then all files may change.
func gitRestores(c *call) {
	c.pathspecs(tool.Write)
	if c.name == "git_checkout" && c.fixed != len(c.operands) {
		c.incomplete = true
	}
	if len(c.operands) == 0 {
		c.incomplete = true
	}
}
