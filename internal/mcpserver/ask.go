package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/burin-tools/burin/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An asker puts questions to the client's user.
//
// With a handshake the client is asked while the call waits. Without one the
// question is the answer to the call, and the client calls again with what the
// user said: the call runs twice, and has done nothing before it asks.
type asker struct{ s *server }

// Errors of a question that nobody was asked. All of them mean no.
var (
	errCannotAsk = errors.New("the client cannot put a question to its user")
	errGone      = errors.New("the client is no longer there to be asked")
	errAskAgain  = errors.New("the question goes to the client, which calls again")
)

// askLimit is how long a person may take.
const askLimit = 10 * time.Minute

// Ask implements tool.Asker.
func (a asker) Ask(ctx context.Context, q tool.Question) (tool.Answer, error) {
	if r, ok := ctx.Value(roundKey{}).(*round); ok {
		return r.ask(q)
	}
	p := a.s.peer.InitializeParams()
	if p == nil || !showsForms(p.Capabilities) {
		return tool.No, errCannotAsk
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	defer context.AfterFunc(a.s.deaf, cancel)()
	res, err := a.s.peer.Elicit(ctx, form(q))
	if err != nil {
		if a.s.deaf.Err() != nil {
			err = errGone
		}
		return tool.No, err
	}
	return answerOf(res), nil
}

// Notify implements tool.Notifier: it sends the client a message for its log,
// where the protocol has such messages without a request.
func (a asker) Notify(text string) {
	if a.s.peer == nil || a.s.peer.InitializeParams() == nil {
		return
	}
	b := append(buffers.get(0), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"burin","data":`...)
	b = append(appendString(b, text), "}}\n"...)
	a.s.out.write(b)
	buffers.put(b)
}

// The answers that the form offers.
const (
	choiceOnce    = "allow once"
	choiceSession = "allow for this session"
	choiceProject = "always allow in this project"
	choiceDeny    = "deny"
)

// formSchema is the schema of a form that offers these answers.
func formSchema(choices ...string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"decision":{"type":"string","title":"Decision",` +
		`"enum":["` + strings.Join(choices, `","`) + `"]}},"required":["decision"]}`)
}

// form makes the form that shows a question.
func form(q tool.Question) *mcp.ElicitParams {
	parts := []string{q.Tool + ": " + q.Summary}
	if q.Reason != "" {
		parts = append(parts, q.Reason)
	}
	if q.Detail != "" && !strings.HasSuffix(q.Summary, ": "+strings.TrimSpace(q.Detail)) {
		parts = append(parts, shortened(q.Detail))
	}
	choices := []string{choiceOnce, choiceSession, choiceDeny}
	if q.Always != "" {
		choices = slices.Insert(choices, 2, choiceProject)
		parts = append(parts, "Allowing it for this session, or always, allows "+strings.ReplaceAll(q.Always, "\n", ", ")+".")
	}
	return &mcp.ElicitParams{Mode: "form", Message: strings.Join(parts, "\n\n"), RequestedSchema: formSchema(choices...)}
}

// maxDetail is how many bytes of the detail a form shows.
const maxDetail = 16 << 10

// shortened cuts a long detail at the end of a line, and says so.
func shortened(detail string) string {
	if len(detail) <= maxDetail {
		return detail
	}
	head := detail[:maxDetail]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n(%d of %d bytes are shown)", strings.ToValidUTF8(head, ""), len(head), len(detail))
}

// answerOf reads a filled form. Whatever is not clearly a yes is a no.
func answerOf(r *mcp.ElicitResult) tool.Answer {
	if r == nil || r.Action != "accept" {
		return tool.No
	}
	switch r.Content["decision"] {
	case choiceOnce:
		return tool.Once
	case choiceSession:
		return tool.ForSession
	case choiceProject:
		return tool.ForProject
	}
	return tool.No
}

// questionKey names the one question of a result.
const questionKey = "decision"

func (o *outcome) inputRequests() mcp.InputRequestMap {
	return mcp.InputRequestMap{questionKey: o.question}
}

type roundKey struct{}

// A round is one run of a call that may be run again with an answer.
type round struct {
	can      bool // the client can put a question to its user
	answered []answered
	open     *mcp.ElicitParams // what is to be asked, nil when nothing is
	question tool.Question     // the same
}

type answered struct {
	question tool.Question
	answer   tool.Answer
}

// ask returns what the user said to the same question in an earlier round, or
// notes that it is to be asked. One question is put at a time.
func (r *round) ask(q tool.Question) (tool.Answer, error) {
	for _, a := range r.answered {
		if reflect.DeepEqual(a.question, q) {
			return a.answer, nil
		}
	}
	if !r.can {
		return tool.No, errCannotAsk
	}
	if r.open == nil {
		r.open, r.question = form(q), q
	}
	return tool.No, errAskAgain
}

// A desk keeps what was asked until the client calls again. What the client is
// given is only a number that nobody can guess.
type desk struct {
	mu     sync.Mutex
	states map[string]*state
	order  []string // oldest first
}

type state struct {
	tool     string
	args     [sha256.Size]byte
	answered []answered
	question tool.Question
	until    time.Time
}

// Limits of the desk. Of more questions the oldest is forgotten, and is asked
// again if the client still wants it.
const (
	maxStates  = 256
	stateValid = askLimit
)

// round starts a round of a call. An answer counts once, and only for the call
// for which it was asked.
func (d *desk) round(c *call) *round {
	r := &round{can: c.statement.asks}
	if c.state == "" {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	st := d.states[c.state]
	d.forget(c.state)
	if st == nil || st.tool != c.name || st.args != argsSum(c.args) || time.Now().After(st.until) {
		return r
	}
	r.answered = st.answered
	if c.answer != nil {
		r.answered = append(r.answered, answered{st.question, answerOf(c.answer)})
	}
	return r
}

// keep keeps a round that has an open question, and returns what brings it
// back.
func (d *desk) keep(c *call, r *round) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.states == nil {
		d.states = map[string]*state{}
	}
	key := rand.Text()
	d.states[key] = &state{c.name, argsSum(c.args), r.answered, r.question, time.Now().Add(stateValid)}
	d.order = append(d.order, key)
	if len(d.order) > maxStates {
		d.forget(d.order[0])
	}
	return key
}

func (d *desk) forget(key string) {
	delete(d.states, key)
	if i := slices.Index(d.order, key); i >= 0 {
		d.order = slices.Delete(d.order, i, i+1)
	}
}

// argsSum identifies arguments, however they are spaced.
func argsSum(args json.RawMessage) [sha256.Size]byte {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil {
		return sha256.Sum256(args)
	}
	return sha256.Sum256(b.Bytes())
}
