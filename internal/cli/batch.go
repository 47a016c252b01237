package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/burin-tools/burin"
	"github.com/burin-tools/burin/tool"
)

func batchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "batch < CALLS",
		Short: "Run calls from standard input in one session",
		Long: `Run calls from standard input, one JSON object a line: {"tool":"Read","args":{"file_path":"a.txt"}}.
They share one session and run in their order. Each gets one line of JSON: tool, failed, kind, text, meta.
The exit code is 1 when any call failed.`,
		Args: exactly(0, 0),
	}
	p := addFlags(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, s, err := open(p, nil)
		if err != nil {
			return err
		}
		defer e.Close()
		return batch(c, s)
	}
	return c
}

func batch(c *cobra.Command, s *burin.Session) error {
	in := bufio.NewReaderSize(c.InOrStdin(), 64<<10)
	out := json.NewEncoder(c.OutOrStdout())
	failed := false
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("read standard input: %w", err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			r, callErr := batchCall(c, s, line, n)
			if callErr != nil {
				return callErr
			}
			failed = failed || r.Failed
			if err := out.Encode(r); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

func batchCall(c *cobra.Command, s *burin.Session, line []byte, n int) (resultLine, error) {
	var call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&call)
	if err == nil && d.More() {
		err = errors.New("more than one JSON value on a line")
	}
	if err != nil {
		return resultLine{Failed: true, Kind: tool.Invalid, Text: fmt.Sprintf("line %d: %v", n, err)}, nil
	}
	r, err := s.Call(c.Context(), call.Tool, call.Args)
	if errors.Is(err, c.Context().Err()) && err != nil {
		return resultLine{}, err
	}
	if err != nil {
		return resultLine{Tool: call.Tool, Failed: true, Kind: tool.KindOf(err), Text: unknownTool(s, err).Error()}, nil
	}
	j := resultJSON(r)
	j.Tool = call.Tool
	return j, nil
}
