package permission

import (
	"slices"
	"strings"

	"github.com/burin-tools/burin/internal/command"
)

// A variable of the environment can change what a program runs, or which one.
// The names of those that are known to are here; a list of all does not exist.
var (
	steering = strings.Fields(`PATH IFS ENV HOME CDPATH PWD OLDPWD SHELL SHELLOPTS BASHOPTS GLOBIGNORE
		PS0 PS1 PS2 PS3 PS4 PROMPT RPROMPT RPS1 PROMPT_COMMAND INPUTRC FPATH ZDOTDIR NULLCMD READNULLCMD
		EDITOR VISUAL FCEDIT PAGER BROWSER LESS MORE VIMINIT EXINIT MYVIMRC TERMINFO TERMCAP
		NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB PERLLIB CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JAVA_HOME
		CC CXX CPP FC LD AR AS NM STRIP RANLIB RUSTC GOFLAGS GOROOT GOENV GOTOOLDIR GOBIN MAKEFLAGS MFLAGS GNUMAKEFLAGS
		GCONV_PATH LOCPATH NLSPATH GTK_MODULES QT_PLUGIN_PATH OPENSSL_CONF OPENSSL_ENGINES
		CURL_HOME WGETRC PSQLRC DOCKER_HOST DOCKER_CONFIG KUBECONFIG XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS
		PKG_CONFIG COMPILER_PATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH GCONV_PATH VIM VIMRUNTIME HGRCPATH COMPOSER FLASK_APP EXECIGNORE
		DJANGO_SETTINGS_MODULE TEXINPUTS EMACSLOADPATH TAR_OPTIONS GZIP BZIP BZIP2 XZ_OPT ZIPOPT UNZIP ZIPINFO MAGIC
		RIPGREP_CONFIG_PATH RSYNC_RSH CVS_RSH RSH TAPE COMSPEC PATHEXT
		path fpath cdpath manpath module_path mailpath prompt commands functions dis_functions aliases galiases saliases
		dis_aliases builtins nameddirs options widgets argv`)
	steeringStarts = strings.Fields(`BASH_ LD_ DYLD_ GIT_ LESS SSH_ SUDO_ PYTHON PERL5 GEM_ BUNDLE_ NPM_CONFIG_ npm_config_ YARN_
		GO MAKE CARGO_ RUSTUP_ CMAKE_ CCACHE_ DISTCC_ GCC_ PKG_CONFIG_ TS_NODE_ PYTEST_ DOTNET_ CORECLR_ COR_ MSBUILD
		AWS_CONFIG AWS_SHARED CLOUDSDK_ TF_CLI_ HELM_ KUBE_ DOCKER_ TERRAFORM_ VAGRANT_ JEST_ BABEL_ ESLINT_ DENO_ BUN_
		PIP_ UV_ ANSIBLE_ CGO_ FZF_ ACK_ MALLOC_ GIO_ LUA_ R_ JULIA_`)
	steeringEnds = strings.Fields(`PAGER _EDITOR _OPTIONS _OPTS _COMMAND _CMD _WRAPPER _RUNNER _LINKER _RUSTC _SHELL _PRELOAD _HOOK _RC
		_ASKPASS _STARTUP _PLUGINS _MODULES _MODULE _HOME FLAGS _HOOKS OPTS _ARGS _PYTHON _RSH _SSH _PROG _PROGRAM _LAUNCHER _CONFIG _CONFIG_FILE
		_CREDENTIALS_FILE _SCRIPT _PROXY _proxy _BIN _EXEC _EXECUTABLE`)
	// harmless change how something is shown.
	harmless = strings.Fields(`LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TERM COLORTERM CI
		LS_COLORS GREP_COLOR GREP_COLORS CGO_ENABLED RUST_BACKTRACE NODE_ENV`)
	// plain look like others that steer.
	plain = strings.Fields(`GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM GOMAXPROCS GOGC GOMEMLIMIT GODEBUG
		GOTRACEBACK GOTMPDIR GO111MODULE GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB CARGO_TERM_COLOR CARGO_INCREMENTAL CARGO_TARGET_DIR
		PYTEST_DISABLE_PLUGIN_AUTOLOAD DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO DOCKER_BUILDKIT PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE
		PYTHONIOENCODING PYTHONUTF8 UV_NO_PROGRESS PIP_NO_COLOR`)
)

// steers reports whether a variable of that name can make something else run.
func steers(name string) bool {
	if slices.Contains(harmless, name) || slices.Contains(plain, name) || strings.HasPrefix(name, "LC_") {
		return false
	}
	return slices.Contains(steering, name) ||
		slices.ContainsFunc(steeringStarts, func(s string) bool { return strings.HasPrefix(name, s) }) ||
		slices.ContainsFunc(steeringEnds, func(s string) bool { return strings.HasSuffix(name, s) })
}

// isSteered reports whether a part sets a variable that can make something
// else run.
func (c *part) isSteered() bool {
	is := func(a command.Assign) bool { return steers(a.Name) && !c.splits(a) }
	return slices.ContainsFunc(c.Assigns, is) || slices.ContainsFunc(c.sets, is)
}

// splits reports whether an assignment says how read, and only read, takes a
// line apart.
func (c *part) splits(a command.Assign) bool {
	return a.Name == "IFS" && a.Value.Known && len(c.Args) > 0 && c.Args[0].Text == "read"
}

// isHarmless reports whether an assignment in the environment of a program
// changes no more than how it shows things.
func isHarmless(a command.Assign) bool {
	if !slices.Contains(harmless, a.Name) && !strings.HasPrefix(a.Name, "LC_") {
		return false
	}
	value := a.Value.Text
	return a.Value.Known && (!strings.Contains(value, "/") || a.Name == "TZ" && value[0] != '/' && value[0] != ':')
}

// isLocal reports whether an assignment that is no part of a command matters
// to the shell only. What a value may be is judged where it is used.
func isLocal(a command.Assign) bool {
	return isHarmless(a) || !steers(a.Name)
}

// declares reports whether a builtin sets variables, and whether they become a
// part of the environment.
func declares(name string) (sets, exports bool) {
	switch name {
	case "export":
		return true, true
	case "declare", "typeset", "local", "readonly":
		return true, false
	}
	return false, false
}

// declared returns what a declaring builtin sets. It is not ok where its
// arguments are not understood.
func declared(args []command.Word) (sets []command.Assign, exports, ok bool) {
	_, exports = declares(args[0].Text)
	for _, a := range args[1:] {
		if a.Known && len(a.Text) > 1 && (a.Text[0] == '-' || a.Text[0] == '+') {
			if strings.Trim(a.Text[1:], "xrgaAplutfF") != "" {
				return nil, exports, false
			}
			exports = exports || strings.Contains(a.Text, "x")
			continue
		}
		name, value, has := strings.Cut(a.Text, "=")
		name = strings.TrimSuffix(name, "+")
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r > 127 || !isNameByte(byte(r)) }) {
			return nil, exports, false
		}
		if has {
			sets = append(sets, command.Assign{Name: name, Value: command.Word{Text: value, Known: a.Known}})
		} else if exports {
			sets = append(sets, command.Assign{Name: name})
		}
	}
	return sets, exports, true
}
