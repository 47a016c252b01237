package burin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/burin-tools/burin/tool"
)

var errStub = errors.New("not built yet")

type Engine struct{}

func Open(root string, o *Options) (*Engine, error)           { return &Engine{}, nil }
func (e *Engine) Close() error                                { return nil }
func (e *Engine) Session(o *SessionOptions) (*Session, error) { return &Session{}, nil }

type Session struct{}

func (s *Session) Tools() []tool.Definition { return nil }
func (s *Session) Instructions() string     { return "" }
func (s *Session) Call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	return s.CallObserved(ctx, name, args, nil)
}
func (s *Session) CallObserved(ctx context.Context, name string, args json.RawMessage, observe func(tool.Event)) (tool.Result, error) {
	return tool.Result{}, errStub
}
func (s *Session) Close() error { return nil }
