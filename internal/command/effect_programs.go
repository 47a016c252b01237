package command

import "sync"

// A programTable holds all programs.
type programTable struct {
	byName map[string]*program
}

// programs returns the table, which is made at its first use.
var programs = sync.OnceValue(func() *programTable {
	t := &programTable{byName: map[string]*program{}}
	for _, list := range [][]program{
		textPrograms, digestPrograms, folderPrograms, searchPrograms, systemPrograms,
		languagePrograms, archivePrograms, objectPrograms, versionPrograms,
		shellPrograms, wrapperPrograms, changingPrograms, transferPrograms,
		gitPrograms, gitListPrograms,
	} {
		t.add(list)
	}
	return t
})

func (t *programTable) add(list []program) {
	for i := range list {
		p := &list[i]
		p.table = readFlags(p.flags)
		for _, name := range fields(p.names) {
			t.byName[name] = p
		}
	}
}

// textPrograms read files, or their input, and print what they make of it.
var textPrograms = []program{
	{names: "cat", harmless: true, then: reads,
		flags: "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version"},
	{names: "tac", harmless: true, then: reads,
		flags: "-br -s: --before --regex --separator: --help --version"},
	{names: "rev", harmless: true, then: reads,
		flags: "-hV --help --version"},
	{names: "nl", harmless: true, then: reads,
		flags: "-p -bdfhilnsvw: --body-numbering: --section-delimiter: --footer-numbering: --header-numbering: --line-increment: --join-blank-lines: --number-format: --no-renumber --number-separator: --starting-line-number: --number-width: --help --version"},
	{names: "head", harmless: true, then: reads,
		flags: "-qvz0123456789 -nc: --bytes: --lines: --quiet --silent --verbose --zero-terminated --help --version"},
	{names: "tail", harmless: true, then: reads,
		flags: "-fFqvz0123456789 -nsc: --bytes: --lines: --follow? --retry --pid: --sleep-interval: --max-unchanged-stats: --quiet --silent --verbose --zero-terminated --help --version"},
	{names: "wc", harmless: true, then: reads,
		flags: "-cmlLw --bytes --chars --lines --max-line-length --words --files0-from@ --total: --help --version"},
	{names: "sort", then: reads,
		flags: "-bdfghiMnRrVcCmsuz -ktS: -o> -T!: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source< --reverse --sort: --version-sort --batch-size: --check? --debug --files0-from@ --key: --merge --output> --stable --buffer-size: --field-separator: --temporary-directory!: --compress-program!: --parallel: --unique --zero-terminated --help --version"},
	{names: "uniq", then: readsThenWrites,
		flags: "-cduizD0123456789 -fsw: --count --repeated --all-repeated? --skip-fields: --group? --ignore-case --skip-chars: --unique --zero-terminated --check-chars: --help --version"},
	{names: "cut", harmless: true, then: reads,
		flags: "-nsz -bcdf: --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter: --zero-terminated --help --version"},
	{names: "paste", harmless: true, then: reads,
		flags: "-sz -d: --delimiters: --serial --zero-terminated --help --version"},
	{names: "join", harmless: true, then: reads,
		flags: "-iz -aejotv12: --ignore-case --check-order --nocheck-order --header --zero-terminated --help --version"},
	{names: "comm", harmless: true, then: reads,
		flags: "-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated --help --version"},
	{names: "cmp", harmless: true, then: reads,
		flags: "-bls -in: --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent --help --version"},
	// -l hands its output to pr.
	{names: "diff", then: compares,
		flags: "-qscuefnypTtrNiEZbwBadH0123456789 -CUWFIDxSL: -X< -l! --normal --brief --report-identical-files --context? --unified? --ed --forward-ed --rcs --side-by-side --width: --left-column --suppress-common-lines --show-c-function --show-function-line: --label: --expand-tabs --initial-tab --tabsize: --suppress-blank-empty --paginate! --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude: --exclude-from< --starting-file: --from-file< --to-file< --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines: --text --strip-trailing-cr --ifdef: --line-format: --old-line-format: --new-line-format: --unchanged-line-format: --old-group-format: --new-group-format: --unchanged-group-format: --changed-group-format: --minimal --horizon-lines: --speed-large-files --color? --palette: --help --version"},
	{names: "tr", harmless: true,
		flags: "-cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version"},
	{names: "fold", harmless: true, then: reads,
		flags: "-bs0123456789 -w: --bytes --spaces --width: --help --version"},
	{names: "fmt", harmless: true, then: reads,
		flags: "-cstu0123456789 -pwg: --crown-margin --prefix: --split-only --tagged-paragraph --uniform-spacing --width: --goal: --help --version"},
	{names: "pr", harmless: true, then: reads,
		flags: "-acdfFmrtTv0123456789 -DhlNoWw: -einsS? --pages: --columns: --across --show-control-chars --double-space --date-format: --form-feed --header: --length: --merge --first-line-number: --indent: --no-file-warnings --omit-header --omit-pagination --show-nonprinting --width: --page-width: --help --version"},
	{names: "expand unexpand", harmless: true, then: reads,
		flags: "-ia0123456789 -t: --initial --tabs: --all --first-only --help --version"},
	{names: "column", harmless: true, then: reads,
		flags: "-tJexndL -scolNRTHOEWrip: --table --separator: --output-width: --output-separator: --table-columns: --table-right: --table-truncate: --table-hide: --table-order: --table-wrap: --table-empty-lines --keep-empty-lines --table-noextreme: --fillrows --json --help --version"},
	{names: "od", harmless: true, then: reads,
		flags: "-abcdfhiloxsv -AjNt: -Sw? --address-radix: --endian: --skip-bytes: --read-bytes: --strings? --format: --output-duplicates --width? --traditional --help --version"},
	{names: "hexdump hd", harmless: true, then: reads,
		flags: "-bcCdoxv -ens: -f< --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex --length: --skip: --no-squeezing --format: --help --version"},
	{names: "xxd", raw: true, then: xxd},
	{names: "base64 base32 basenc", harmless: true, then: reads,
		flags: "-di -w: --decode --ignore-garbage --wrap: --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --help --version"},
	{names: "numfmt", harmless: true,
		flags: "-z --debug -d: --delimiter: --field: --format: --from: --from-unit: --grouping --header? --invalid: --padding: --round: --suffix: --to: --to-unit: --zero-terminated --help --version"},
	{names: "shuf", then: shuffles,
		flags: "-erz -in: -o> --echo --input-range: --head-count: --output> --random-source< --repeat --zero-terminated --help --version"},
	{names: "tsort", harmless: true, then: reads, flags: "--help --version"},
	{names: "look", harmless: true, then: after1(reads),
		flags: "-adf -t: --alternative --alphanum --ignore-case --terminate: --help --version"},
	{names: "jq", harmless: true, then: jq,
		flags: "-nRrjascCMSehV -f -L% --arg:: --argjson:: --slurpfile:< --rawfile:< --args --jsonargs --from-file --tab --indent: --stream --stream-errors --seq --null-input --raw-input --raw-output --raw-output0 --join-output --ascii-output --slurp --compact-output --color-output --monochrome-output --sort-keys --exit-status --unbuffered --help --version"},
	// -s splits into files in one program of the name, and is another flag in
	// the other.
	{names: "yq", then: yq,
		flags: "-rejPNnCMcyYV -opI: -i! -s!: --raw-output --exit-status --join-output --prettyPrint --no-doc --null-input --colors --no-colors --compact-output --yaml-output --yaml-roundtrip --output-format: --input-format: --indent: --inplace! --in-place! --split-exp!: --help --version"},
}

// digestPrograms print numbers of files.
var digestPrograms = []program{
	{names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum", harmless: true, then: digests,
		flags: "-bctwz -la: --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length: --algorithm: --untagged --base64 --raw --help --version"},
	{names: "shasum", harmless: true, then: digests,
		flags: "-bctwUsq0 -a: --binary --check --tag --text --UNIVERSAL --quiet --status --strict --warn --algorithm: --ignore-missing --help --version"},
	{names: "sum", harmless: true, then: reads, flags: "-rs --sysv --help --version"},
}

// folderPrograms print names and what the system knows of them.
var folderPrograms = []program{
	{names: "ls dir vdir", harmless: true, then: following(lists("-R", "--recursive"), "-L", "--dereference"),
		flags: "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -ITw: --all --almost-all --author --escape --block-size: --ignore-backups --color? --directory --dired --classify? --file-type --format: --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --hide: --hyperlink? --indicator-style: --inode --ignore: --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tabsize: --width: --context --zero --help --version"},
	{names: "tree", then: following(listsTree, "-l"),
		flags: "-adflxACSnpsughDFqNQvtcUrXJi -LPIHT: -o> -R! --filelimit: --timefmt: --noreport --charset: --filesfirst --dirsfirst --sort: --matchdirs --ignore-case --prune --inodes --device --gitignore --info --du --si --nolinks --hintro< --houtro< --gitfile< --infofile< --metafirst --ignore-case --version --help"},
	{names: "du", harmless: true, then: following(listsTree, "-L", "--dereference"),
		flags: "-0abcDhHklLmPsSx -Bdt: -X< --null --all --apparent-size --block-size: --bytes --total --dereference-args --max-depth: --files0-from@ --human-readable --inodes --dereference --no-dereference --separate-dirs --si --summarize --threshold: --time? --time-style: --exclude-from< --exclude: --one-file-system --help --version"},
	{names: "df", harmless: true, then: looks,
		flags: "-ahHiklPTv -Btx: --all --block-size: --human-readable --si --inodes --local --no-sync --output? --portability --total --type: --print-type --exclude-type: --help --version"},
	{names: "stat", harmless: true, then: looks,
		flags: "-Lft -c: --dereference --file-system --cached: --format: --printf: --terse --help --version"},
	// -C writes a file, -p sets times back, -z and -Z start decompressors.
	{names: "file", then: reads,
		flags: "-bhiLkNnrsv0E -eFP: -m< -f@ -CpzZS! --brief --mime --mime-type --mime-encoding --dereference --no-dereference --extension --keep-going --no-pad --no-buffer --raw --special-files --print0 --exclude: --exclude-quiet: --separator: --files-from@ --magic-file< --apple --help --version"},
	{names: "readlink", harmless: true, then: looks,
		flags: "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version"},
	{names: "realpath", harmless: true, then: looks,
		flags: "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to% --relative-base% --strip --no-symlinks --zero --help --version"},
	{names: "basename", harmless: true, flags: "-az -s: --multiple --suffix: --zero --help --version"},
	{names: "dirname", harmless: true, flags: "-z --zero --help --version"},
	{names: "pathchk", harmless: true, then: looks, flags: "-pP --portability --help --version"},
	{names: "pwd", harmless: true, flags: "-LP --logical --physical --help --version"},
	{names: "which", harmless: true, flags: "-as"},
	{names: "whereis", harmless: true, flags: "-bmsulfh"},
}

// systemPrograms print what the system is and does.
var systemPrograms = []program{
	{names: "free", harmless: true, flags: "-bkmghltvwL -cs: --bytes --kibi --mebi --gibi --tebi --kilo --mega --giga --human --si --lohi --total --count: --seconds: --wide --line --committed --help --version"},
	{names: "uptime", harmless: true, flags: "-psVh --pretty --since --help --version"},
	{names: "uname arch", harmless: true, flags: "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version"},
	{names: "whoami logname tty", harmless: true, flags: "-s --silent --quiet --help --version"},
	{names: "id", harmless: true, flags: "-agGnruzZ --context --group --groups --name --real --user --zero --help --version"},
	{names: "groups", harmless: true, flags: "--help --version"},
	{names: "nproc", harmless: true, flags: "--all --ignore: --help --version"},
	{names: "lscpu", harmless: true, flags: "-abBcCehJpVxy --all --online --bytes --offline --caches? --extended? --json --parse? --hex --physical --output-all --help --version"},
	{names: "lsblk", harmless: true, flags: "-AabdDfiJlMmnOpPrsStzV -EeIow: --noempty --all --bytes --nodeps --discard --fs --ascii --json --list --merge --perms --noheadings --output: --output-all --paths --pairs --raw --inverse --scsi --topology --zoned --exclude: --include: --sort: --width: --tree? --dedup: --help --version"},
	// -m starts a decompressor for each of its tables.
	{names: "locale", harmless: true, flags: "-akcv -m! --all-locales --charmaps! --category-name --keyword-name --verbose --help --version"},
	{names: "getconf", harmless: true, flags: "-av:"},
	{names: "cal ncal", harmless: true, flags: "-13jmyhJewbMS -ABdHsn: --one --three --months: --sunday --monday --julian --year --twelve --week? --color? --help --version"},
	{names: "factor", harmless: true, flags: "-h --exponents --help --version"},
	{names: "seq", harmless: true, stop: true, flags: "-w -fs: -0123456789.: --format: --separator: --equal-width --help --version"},
	{names: "expr", harmless: true, raw: true},
	{names: "bc", harmless: true, then: reads, flags: "-lqsviwh --interactive --mathlib --quiet --standard --warn --help --version"},
	{names: "sleep", harmless: true, flags: "--help --version"},
	{names: "printenv", harmless: true, stop: true, flags: "-0 --null --help --version"},
	{names: "date", then: date,
		flags: "-Ru -d: -f< -I? -r% -s!: --date: --debug --file< --iso-8601? --resolution --rfc-email --rfc-3339: --reference% --set!: --utc --universal --help --version"},
	// -f, -d, -i and -A ask a name server; -F and -b set the name.
	{names: "hostname", then: noOperands("sets the name"), flags: "-sI --short --all-ip-addresses --help --version"},
	{names: "ps", then: ps,
		flags: "-eAfFlLadNHjMwyTcVZ -oOpUutCgGsqn: --sort: --format: --ppid: --pid: --user: --User: --group: --Group: --sid: --tty: --quick-pid: --forest --no-headers --headers --no-heading --heading --headers --cols: --columns: --width: --rows: --lines: --cumulative --deselect --version"},
	{names: "pgrep", harmless: true, flags: "-acfilnovwxAV -dgGPsuUtr: -F< --delimiter: --list-name --list-full --inverse --lightweight --count --full --pgroup: --group: --ignore-case --newest --oldest --older: --parent: --session: --terminal: --euid: --uid: --exact --pidfile< --runstates: --help --version"},
}

// objectPrograms look into object files. An operand that begins with @ names
// a file of more flags; --plugin runs what it loads.
var objectPrograms = []program{
	{names: "nm", then: objects,
		flags: "-aABCDfglnopPrsSuvW -tX: -f: --debug-syms --print-file-name --demangle? --no-demangle --dynamic --defined-only --extern-only --format: --line-numbers --no-sort --numeric-sort --portability --print-armap --print-size --reverse-sort --radix: --size-sort --special-syms --undefined-only --no-weak --with-symbol-versions --help --version"},
	{names: "size", then: objects,
		flags: "-ABGdoxtf --format: --radix: --common --totals --help --version"},
	{names: "strings", then: objects,
		flags: "-adfow0123456789 -netsTU: --all --data --print-file-name --bytes: --radix: --encoding: --include-all-whitespace --output-separator: --unicode: --help --version"},
	{names: "objdump", then: objects,
		flags: "-afphxdDsgetTrRGCwzV -bmMjEO: --archive-headers --file-headers --private-headers --section-headers --headers --all-headers --disassemble? --disassemble-all --full-contents --syms --dynamic-syms --reloc --dynamic-reloc --demangle? --wide --disassemble-zeroes --architecture: --target: --disassembler-options: --section: --start-address: --stop-address: --no-show-raw-insn --no-addresses --help --version"},
	{names: "readelf", then: objects,
		flags: "-aehlSgtsnrudVAcDILWCTXp --all --file-header --program-headers --segments --section-headers --sections --section-groups --section-details --headers --syms --symbols --dyn-syms --notes --relocs --unwind --dynamic --version-info --arch-specific --archive-index --use-dynamic --histogram --wide --demangle? --string-dump: --hex-dump: -x: --help --version"},
	{names: "addr2line", then: objectAddresses,
		flags: "-aCfips -e< -bj: --addresses --basenames --demangle? --exe< --functions --pretty-print --inlines --section: --target: --help --version"},
}

// versionPrograms do many things; asked for their version they only answer.
var versionPrograms = []program{
	{names: "npm", flags: "-v --version", then: onlyVersion},
	{names: "java javac", flags: "--version", then: onlyVersion},
	{names: "pip pip3", flags: "-V --version", then: onlyVersion},
	{names: "make cmake ninja docker", flags: "-v --version", then: onlyVersion},
	{names: "clang clang++", flags: "--version", then: onlyVersion},
}
