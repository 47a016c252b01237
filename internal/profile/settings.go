package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxFile is more than anyone writes by hand.
const maxFile = 1 << 20

// load reads a settings file. One that is not there is fine.
func load(file string, forbidden []string) (p Profile, err error) {
	if file == "" {
		return p, nil
	}
	text, err := readSettings(file)
	if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return p, fmt.Errorf("%s: it is no JSON: %s", file, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := checkKeys(plain, forbidden); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	var mistyped *json.UnmarshalTypeError
	if err := d.Decode(&p); errors.As(err, &mistyped) && mistyped.Field != "" {
		key, _, _ := strings.Cut(mistyped.Field, ".")
		return p, fmt.Errorf("%s: %q must be %s, not a %s", file, key, wanted(key), mistyped.Value)
	} else if err != nil {
		return p, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "json: "))
	}
	return p, nil
}

// readSettings reads a regular file of bounded size: a project may put a FIFO
// or a link to a device in the place of its file, which would hang or eat
// memory.
func readSettings(file string) ([]byte, error) {
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", file)
	}
	if st.Size() > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", file, maxFile)
	}
	f, err := os.OpenFile(file, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// checkKeys wants every key once and spelled as documented. encoding/json
// would also take "Allow" for "allow", and the last of two.
func checkKeys(plain []byte, forbidden []string) error {
	d := json.NewDecoder(bytes.NewReader(plain))
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New("must be an object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		k := t.(string)
		switch {
		case slices.Contains(forbidden, k):
			return fmt.Errorf("%q may only be set in the user's configuration or by a flag", k)
		case !slices.Contains(keys, k):
			return fmt.Errorf("unknown field %q; the fields are %s", k, strings.Join(keys, ", "))
		case seen[k]:
			return fmt.Errorf("%q stands there twice", k)
		}
		seen[k] = true
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

// wanted says what the value of a key is.
func wanted(key string) string {
	switch reflect.TypeFor[Profile]().Field(slices.Index(keys, key)).Type.Kind() {
	case reflect.Slice:
		return "a list of strings"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}

// keys are the names that a Profile has in JSON.
var keys = func() (names []string) {
	t := reflect.TypeFor[Profile]()
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json"))
	}
	return names
}()
