package shell

import (
	"context"
	"errors"
	"fmt"
)

func shadowRg(ctx context.Context, o ShadowOptions, s *Shadow) (string, error) {
	if there := o.system("rg"); there != "" {
		return "", fmt.Errorf("%s is there", there)
	}
	if s.Program = o.beside("rg"); s.Program == "" {
		if o.Ripgrep == nil {
			return "", errors.New("there is none, and none was found elsewhere")
		}
		path, err := o.Ripgrep(ctx)
		if err != nil {
			return "", fmt.Errorf("there is none: %w", err)
		}
		s.Program = path
	}
	found := remember(ctx, s.Program, func(ctx context.Context, program string) (f finding) {
		said, code := answer(ctx, "", program, "--version")
		if code != 0 {
			f.err = fmt.Errorf("it ends with exit code %d when asked for its version", code)
		}
		f.version = nameAndVersion(said)
		return f
	})
	if found.err != nil {
		return "", fmt.Errorf("%s is not used, since %w", s.Program, found.err)
	}
	s.Version = found.version
	s.Why = fmt.Sprintf("rg is %s (%s), since the system has none.", found.version, s.Program)
	return o.shell() + shadowMark + "rg is ripgrep.\nexec " + quoted(shellPath(s.Program)) + ` "$@"` + "\n", nil
}
