package workspace

import (
	"strings"
	"testing"
)

func TestSensitiveName(t *testing.T) {
	for _, name := range []string{
		".env", "id_rsa", "id_ed25519", "id_ecdsa", "credentials",
		".env.local", ".env.production", ".env.", ".env.example.bak",
		"id_rsa-work", "id_rsa_backup", "credentials-prod", "credentials_prod",
		"id_rsa.bak", "id_rsa.backup", "id_rsa.copy", "id_rsa.disabled", "id_ed25519.key",
		"id_rsa.old", "id_ecdsa.orig", "id_rsa.pem", "id_rsa.save", "id_rsa.tmp", "credentials.bak",
		".netrc", "_netrc", ".pgpass", ".git-credentials",
		".ENV", "ID_RSA", "Id_Rsa.OLD", "Credentials", ".Env.Local",
		"/home/u/.aws/credentials", ".aws/credentials", "/home/u/.gcp/credentials",
		"/home/u/.aws/credentials/cache.json", ".gcp/credentials/x/y", "/x/.AWS/Credentials/z",
		"/a/b/.env", "a/id_rsa",
	} {
		if SensitiveName(name) == "" {
			t.Errorf("%s is not sensitive", name)
		}
	}
	for _, name := range []string{
		"", "/", ".envrc", "env", "id_dsa", "prod.env", ".env~", ".env-prod",
		".env.example", ".env.sample", ".env.template", ".ENV.EXAMPLE",
		"id_rsa2", "id_rsa.txt", "credentials.json", "id_rsa.pub.bak",
		"id_rsa.pub", "id_ed25519.pub", "id_ecdsa.pub",
		".aws/config", ".gcp/credentials.json", "x.aws/credentials.txt",
		".env/readme", "my.aws/config", ".npmrc",
	} {
		if reason := SensitiveName(name); reason != "" {
			t.Errorf("%s is sensitive: %s", name, reason)
		}
	}
}

// The quick test lets every name of the table through.
func TestMayBeSensitive(t *testing.T) {
	var all []string
	for name := range sensitiveNames {
		all = append(all, name)
	}
	for base := range sensitiveBases {
		all = append(all, base)
	}
	for _, folder := range sensitiveFolders {
		all = append(all, folder+"/x", folder[1:]+"/x")
	}
	for _, name := range all {
		for _, path := range []string{name, strings.ToUpper(name), "a/" + name} {
			if !mayBeSensitive(path) {
				t.Error(path)
			}
		}
	}
	if mayBeSensitive("src/main.go") {
		t.Error("src/main.go")
	}
}
