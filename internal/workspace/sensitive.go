package workspace

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The table of names that look like secrets. It is matched against the last
// component of a name, without regard to case on every system.
const (
	envReason   = "environment file"
	keyReason   = "private SSH key"
	cloudReason = "credentials"
	loginReason = "saved logins"
)

var (
	// sensitiveNames are secrets by their whole name.
	sensitiveNames = map[string]string{
		".env":             envReason,
		".netrc":           loginReason,
		"_netrc":           loginReason,
		".pgpass":          loginReason,
		".git-credentials": loginReason,
	}
	// sensitiveBases are secrets by themselves, with a "-" or "_" and
	// anything behind, and with one of the endings of a copy.
	sensitiveBases = map[string]string{
		"id_rsa":      keyReason,
		"id_ed25519":  keyReason,
		"id_ecdsa":    keyReason,
		"credentials": cloudReason,
	}
	copyEndings = []string{".bak", ".backup", ".copy", ".disabled", ".key", ".old", ".orig", ".pem", ".save", ".tmp"}
	// envExamples are meant to be shown.
	envExamples = []string{".env.example", ".env.sample", ".env.template"}
	// sensitiveFolders are secrets as a file and with all that is below.
	sensitiveFolders = []string{"/.aws/credentials", "/.gcp/credentials"}
)

// SensitiveName returns why the name of a file looks like that of a secret,
// "" when it does not. It looks at nothing but the name, which may be
// relative, absolute or a base name.
func SensitiveName(path string) string {
	path = filepath.ToSlash(path)
	if !mayBeSensitive(path) {
		return ""
	}
	path = strings.ToLower(path)
	base := path[strings.LastIndexByte(path, '/')+1:]
	if reason := sensitiveNames[base]; reason != "" {
		return reason
	}
	if strings.HasPrefix(base, ".env.") && !slices.Contains(envExamples, base) {
		return envReason
	}
	for key, reason := range sensitiveBases {
		if tail, ok := strings.CutPrefix(base, key); ok && sensitiveTail(tail) {
			return reason
		}
	}
	for _, folder := range sensitiveFolders {
		if strings.Contains("/"+path+"/", folder+"/") {
			return cloudReason
		}
	}
	return ""
}

// MayBeSensitive is a quick test that the names of most files fail, those at a
// slash-separated path below a folder: only what passes has to be put
// together and asked SensitiveName about.
func MayBeSensitive(folder, rel string) bool {
	return mayBeSensitive(rel) || strings.Contains(filepath.ToSlash(folder), "/.")
}

// mayBeSensitive is the same of a whole path: all that is looked for begins
// with one of a few letters, or lies in a folder whose name begins with a dot.
func mayBeSensitive(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	if base == "" {
		return true
	}
	switch base[0] {
	case '.', '_':
		return true
	case 'i', 'I', 'c', 'C': // id_…, credentials
		if len(base) > 1 && (base[1] >= utf8.RuneSelf || base[1]|0x20 == 'd' || base[1]|0x20 == 'r') {
			return true
		}
	}
	return base[0] >= utf8.RuneSelf || strings.Contains(path, "/.") || path[0] == '.'
}

func sensitiveTail(tail string) bool {
	return tail == "" || tail[0] == '-' || tail[0] == '_' || slices.Contains(copyEndings, tail)
}
