package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

const maxPath = 32000

// linkBits are the types that can be a link; a junction is irregular to Go.
const linkBits = fs.ModeSymlink | fs.ModeIrregular

func nameLen(part string) int { return len(utf16.Encode([]rune(part))) }

// systemName makes a Windows name of the forms that shells write, and
// refuses forms that mean another file than they seem to.
func systemName(name string, roots []Root) (full, reason string) {
	name = filepath.FromSlash(name)
	if strings.HasPrefix(name, `\\?\`) || strings.HasPrefix(name, `\\.\`) || strings.HasPrefix(name, `\??\`) {
		return "", "device paths are not taken"
	}
	name = fromShell(name)
	volume := filepath.VolumeName(name)
	rest := name[len(volume):]
	switch {
	case strings.HasPrefix(volume, `\\`):
		if !belowRoot(filepath.Clean(name), roots) {
			return "", "network paths outside the workspace are not taken"
		}
	case volume != "" && (rest == "" || !os.IsPathSeparator(rest[0])):
		return "", "relative to the current directory of a drive; give the whole path"
	case volume == "" && rest[0] == '\\':
		name = filepath.VolumeName(roots[0].Given) + name
	}
	for part := range strings.SplitSeq(rest, `\`) {
		if reason := refusedPart(part); reason != "" {
			return "", reason
		}
	}
	return name, ""
}

// fromShell translates \c\x and \cygdrive\c\x.
func fromShell(name string) string {
	rest := strings.TrimPrefix(name, `\cygdrive`)
	if len(rest) < 2 || rest[0] != '\\' || len(rest) > 2 && rest[2] != '\\' {
		return name
	}
	if c := rest[1] | 0x20; c < 'a' || c > 'z' {
		return name
	}
	return strings.ToUpper(rest[1:2]) + `:\` + strings.TrimPrefix(rest[2:], `\`)
}

func belowRoot(path string, roots []Root) bool {
	for _, root := range roots {
		for _, dir := range [...]string{root.Given, root.Real} {
			if _, ok := within(path, dir); ok {
				return true
			}
		}
	}
	return false
}

func refusedPart(part string) string {
	if part == "." || part == ".." || part == "" {
		return ""
	}
	if strings.TrimRight(part, ". ") != part {
		return "names that end in a dot or a blank mean another file on Windows"
	}
	if strings.ContainsAny(part, `:<>"|?*`) {
		return "a name must not hold any of : < > \" | ? * on Windows"
	}
	for i := range len(part) {
		if part[i] < ' ' {
			return "a name must not hold control characters on Windows"
		}
	}
	base, _, _ := strings.Cut(part, ".")
	if isDevice(strings.ToUpper(strings.TrimRight(base, " "))) {
		return "the name of a device"
	}
	return ""
}

func isDevice(base string) bool {
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(base, "COM")
	if !ok {
		port, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && strings.Contains(" 0 1 2 3 4 5 6 7 8 9 ¹ ² ³ ", " "+port+" ") && port != ""
}

func spelled(path string) (string, bool) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return "", false
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(h)
	buf := make([]uint16, maxPath)
	n, err := windows.GetFinalPathNameByHandle(h, &buf[0], uint32(len(buf)), 0)
	if err != nil || int(n) > len(buf) {
		return "", false
	}
	long := windows.UTF16ToString(buf[:n])
	if unc, ok := strings.CutPrefix(long, `\\?\UNC\`); ok {
		return `\\` + unc, true
	}
	return strings.TrimPrefix(long, `\\?\`), true
}
