package toolbox

import (
	"github.com/burin-tools/burin/internal/search"
	"github.com/burin-tools/burin/internal/workspace"
)

// rules gives a search the ignore files that lie outside its tree.
func (b *Box) rules(t *search.Tree, root string) {
	r := b.Files.Repository(root)
	t.Above, t.Excludes = ruleFiles(r.Above), ruleFiles(r.Excludes)
	t.Repository = func(path string) []search.IgnoreFile {
		return ruleFiles(b.Files.Repository(workspace.Below(root, path)).Excludes)
	}
}

func ruleFiles(files []workspace.RuleFile) []search.IgnoreFile {
	out := make([]search.IgnoreFile, len(files))
	for i, f := range files {
		out[i] = search.IgnoreFile{Name: f.Name, Prefix: f.Prefix, Data: f.Data}
	}
	return out
}
