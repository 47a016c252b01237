package search

import (
	"maps"
	"slices"
	"strings"
)

// fileTypes are the globs of each type, about names, separated by blanks. The
// names and what they cover are those of ripgrep 15, with a few short names
// more.
var fileTypes = map[string]string{
	"ada":           "*.adb *.ads",
	"asciidoc":      "*.adoc *.asc *.asciidoc",
	"asm":           "*.S *.asm *.s",
	"awk":           "*.awk",
	"bat":           "*.bat",
	"batch":         "*.bat",
	"bazel":         "*.BUILD *.bazel *.bazelrc *.bzl BUILD MODULE.bazel WORKSPACE WORKSPACE.bazel WORKSPACE.bzlmod",
	"c":             "*.[chH] *.[chH].in *.cats",
	"cabal":         "*.cabal",
	"cbor":          "*.cbor",
	"clojure":       "*.clj *.cljc *.cljs *.cljx",
	"cmake":         "*.cmake CMakeLists.txt",
	"coffeescript":  "*.coffee",
	"config":        "*.cfg *.conf *.config *.ini",
	"cpp":           "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl",
	"crystal":       "*.cr *.ecr Projectfile shard.yml",
	"cs":            "*.cs",
	"csharp":        "*.cs",
	"cshtml":        "*.cshtml",
	"csproj":        "*.csproj",
	"css":           "*.css *.scss",
	"csv":           "*.csv",
	"cuda":          "*.cu *.cuh",
	"cython":        "*.pxd *.pxi *.pyx",
	"d":             "*.d",
	"dart":          "*.dart",
	"dhall":         "*.dhall",
	"diff":          "*.diff *.patch",
	"docker":        "*Dockerfile*",
	"dockercompose": "docker-compose.*.yml docker-compose.yml",
	"dts":           "*.dts *.dtsi",
	"edn":           "*.edn",
	"elisp":         "*.el",
	"elixir":        "*.eex *.ex *.exs *.heex *.leex *.livemd",
	"elm":           "*.elm",
	"erb":           "*.erb",
	"erlang":        "*.erl *.hrl",
	"fish":          "*.fish",
	"fortran":       "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo",
	"fsharp":        "*.fs *.fsi *.fsx",
	"gdscript":      "*.gd",
	"gleam":         "*.gleam",
	"go":            "*.go",
	"gradle":        "*.gradle *.gradle.kts gradle-wrapper.* gradle.properties gradlew gradlew.bat",
	"graphql":       "*.graphql *.graphqls",
	"groovy":        "*.gradle *.groovy",
	"h":             "*.h *.hh *.hpp",
	"haml":          "*.haml",
	"haskell":       "*.c2hs *.cpphs *.hs *.hsc *.lhs",
	"hbs":           "*.hbs",
	"hs":            "*.hs *.lhs",
	"html":          "*.ejs *.htm *.html",
	"java":          "*.java *.jsp *.jspx *.properties",
	"jinja":         "*.j2 *.jinja *.jinja2",
	"jl":            "*.jl",
	"js":            "*.cjs *.js *.jsx *.mjs *.vue",
	"json":          "*.json *.sarif composer.lock",
	"jsonl":         "*.jsonl",
	"julia":         "*.jl",
	"jupyter":       "*.ipynb *.jpynb",
	"kotlin":        "*.kt *.kts",
	"less":          "*.less",
	"license":       "*[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING COPYING[.-]* COPYRIGHT COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* GNU-*[0-9]* GPL-*[0-9]* LGPL-*[0-9]* LICEN[CS]E LICEN[CS]E[.-]* MIT-*[0-9]* MPL-*[0-9]* NOTICE NOTICE[.-]* OFL-*[0-9]* PATENTS PATENTS[.-]* UNLICEN[CS]E UNLICEN[CS]E[.-]* agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e licen[cs]e.*",
	"lisp":          "*.el *.jl *.lisp *.lsp *.sc *.scm",
	"lock":          "*.lock package-lock.json",
	"log":           "*.log",
	"lua":           "*.lua",
	"m4":            "*.ac *.m4",
	"make":          "*.mak *.mk Makefile.* [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile [Mm]akefile.am [Mm]akefile.in",
	"markdown":      "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
	"matlab":        "*.m",
	"md":            "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
	"meson":         "meson.build meson.options meson_options.txt",
	"minified":      "*.min.css *.min.html *.min.js",
	"mk":            "mkfile",
	"ml":            "*.ml",
	"msbuild":       "*.csproj *.fsproj *.proj *.props *.sln *.slnf *.targets *.vcxproj",
	"nim":           "*.nim *.nimble *.nimf *.nims",
	"nix":           "*.nix",
	"objc":          "*.h *.m",
	"objcpp":        "*.h *.mm",
	"ocaml":         "*.ml *.mli *.mll *.mly",
	"org":           "*.org *.org_archive",
	"pascal":        "*.dpr *.inc *.lpr *.pas *.pp",
	"pdf":           "*.pdf",
	"perl":          "*.PL *.perl *.pl *.plh *.plx *.pm *.t",
	"php":           "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
	"po":            "*.po",
	"postscript":    "*.eps *.ps",
	"prolog":        "*.P *.pl *.pro *.prolog",
	"protobuf":      "*.proto",
	"ps":            "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1",
	"puppet":        "*.epp *.erb *.pp *.rb",
	"py":            "*.py *.pyi",
	"python":        "*.py *.pyi",
	"qml":           "*.qml",
	"r":             "*.R *.Rmd *.Rnw *.r *.rmd *.rnw",
	"racket":        "*.rkt",
	"raku":          "*.p6 *.pl6 *.pm6 *.raku *.rakudoc *.rakumod *.rakutest",
	"readme":        "*README README*",
	"rescript":      "*.res *.resi",
	"rst":           "*.rst",
	"ruby":          "*.gemspec *.rake *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
	"rust":          "*.rs",
	"sass":          "*.sass *.scss",
	"scala":         "*.sbt *.scala",
	"sh":            "*.bash *.bashrc *.csh *.cshrc *.env *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .cshrc .env .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc",
	"solidity":      "*.sol",
	"spec":          "*.spec",
	"sql":           "*.psql *.sql",
	"stylus":        "*.styl",
	"sv":            "*.h *.sv *.svh *.v *.vg",
	"svelte":        "*.svelte *.svelte.ts",
	"svg":           "*.svg",
	"swift":         "*.swift",
	"systemd":       "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket *.swap *.target *.timer",
	"tcl":           "*.tcl",
	"tex":           "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex",
	"tf":            "*.terraform.lock.hcl *.terraformrc *.tf *.tf.json *.tfrc *.tfvars *.tfvars.json terraform.rc",
	"thrift":        "*.thrift",
	"toml":          "*.toml Cargo.lock",
	"ts":            "*.cts *.mts *.ts *.tsx",
	"twig":          "*.twig",
	"txt":           "*.txt",
	"typescript":    "*.cts *.mts *.ts *.tsx",
	"v":             "*.v *.vsh",
	"vala":          "*.vala",
	"vb":            "*.vb",
	"verilog":       "*.sv *.svh *.v *.vh",
	"vhdl":          "*.vhd *.vhdl",
	"vim":           "*.vim .gvimrc .vimrc _gvimrc _vimrc gvimrc vimrc",
	"vimscript":     "*.vim .gvimrc .vimrc _gvimrc _vimrc gvimrc vimrc",
	"vue":           "*.vue",
	"webidl":        "*.idl *.webidl *.widl",
	"wgsl":          "*.wgsl",
	"wiki":          "*.mediawiki *.wiki",
	"xml":           "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt",
	"yacc":          "*.y",
	"yaml":          "*.yaml *.yml",
	"yang":          "*.yang",
	"zig":           "*.zig",
	"zsh":           "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc",
}

// typeAliases are names that people use and ripgrep does not have.
var typeAliases = map[string]string{
	"rb": "ruby", "rs": "rust", "kt": "kotlin", "javascript": "js", "bash": "sh", "shell": "sh",
	"golang": "go", "yml": "yaml", "c++": "cpp", "proto": "protobuf", "terraform": "tf", "dockerfile": "docker",
}

// TypeNames lists the types of Query.Types in alphabetical order, aliases
// included.
func TypeNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for n := range maps.Keys(fileTypes) {
			if !yield(n) {
				return
			}
		}
		for n := range maps.Keys(typeAliases) {
			if !yield(n) {
				return
			}
		}
	})
}

// TypeGlobs gives the globs of a type; the error is a *TypeError.
func TypeGlobs(name string) ([]string, error) {
	if real, ok := typeAliases[name]; ok {
		name = real
	}
	globs, ok := fileTypes[name]
	if !ok {
		return nil, &TypeError{name, nearTypes(name)}
	}
	return strings.Fields(globs), nil
}

// nearTypes gives up to three names that differ least from name.
func nearTypes(name string) []string {
	name = strings.TrimPrefix(strings.ToLower(name), ".")
	dist := map[string]int{}
	var near []string
	for _, n := range TypeNames() {
		d := EditDistance(name, n)
		globs, _ := TypeGlobs(n)
		if slices.Contains(globs, "*."+name) {
			d = 0
		}
		if d <= max(1, len(name)/3) {
			near = append(near, n)
			dist[n] = d
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return dist[a] - dist[b] })
	return near[:min(3, len(near))]
}

// EditDistance is the Levenshtein distance of two short words, in bytes.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// A nameTable answers whether a name has one of a set of types.
type nameTable struct {
	exact map[string]bool
	exts  map[string]bool // by the last dot
	rest  []wildcard
}

func (t *nameTable) add(pattern string) {
	ext, star := strings.CutPrefix(pattern, "*.")
	switch plain := !strings.ContainsAny(pattern, wildMeta); {
	case plain:
		t.exact[pattern] = true
	case star && !strings.ContainsAny(ext, wildMeta+"."):
		t.exts["."+ext] = true
	default:
		w, _ := parseWildcard(pattern)
		t.rest = append(t.rest, w)
	}
}

func newNameTable(types []string) (*nameTable, error) {
	t := &nameTable{exact: map[string]bool{}, exts: map[string]bool{}}
	for _, name := range types {
		globs, err := TypeGlobs(name)
		if err != nil {
			return nil, err
		}
		for _, g := range globs {
			t.add(g)
		}
	}
	return t, nil
}

func (t *nameTable) has(name string) bool {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && t.exts[name[dot:]] || t.exact[name] {
		return true
	}
	for i := range t.rest {
		if t.rest[i].match(name) {
			return true
		}
	}
	return false
}
