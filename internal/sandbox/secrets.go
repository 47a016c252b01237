package sandbox

import "path/filepath"

// secret is where programs keep what lets others in, below the home folder.
var secret = []string{
	".ssh", ".gnupg", ".password-store", ".netrc", "_netrc", ".git-credentials",
	".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker/config.json",
	".config/containers/auth.json", ".config/gh", ".config/hub", ".config/glab-cli",
	".config/git/credentials", ".config/op", ".config/sops", ".config/rclone", ".config/doctl",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
	".gem/credentials", ".m2/settings-security.xml", ".terraform.d/credentials.tfrc.json",
	".vault-token", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto",
	".local/share/keyrings", ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium",
	".config/BraveSoftware", "Library/Keychains", "Library/Application Support/Google/Chrome",
	"Library/Application Support/Firefox", "AppData/Roaming/Mozilla", "AppData/Local/Google/Chrome",
}

// Secrets is the usual list of what commands need not read, for the home
// folder of the user; for a program to log in somewhere, take its entry out.
func Secrets(home string) (list []string) {
	for _, name := range secret {
		list = append(list, filepath.Join(home, filepath.FromSlash(name)))
	}
	return list
}
