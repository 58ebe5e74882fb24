// Command oracle answers what Helm and Go do with a template, a chart, a YAML document or a --set string, so that
// Slipway's own answers can be compared with the real thing.
//
// It reads one JSON request per line and writes one JSON answer per line, in the same order. An answer has either
// "ok", a value whose form depends on the request, or "error", Go's text.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// patience is how long a question may take.
const patience = time.Minute

// request is one question.
type request struct {
	Op string `json:"op"`
	// Text is the document, the --set string or the values.
	Text string `json:"text"`
	// Files are the files of a chart, by path.
	Files map[string]string `json:"files"`
	// Kind is the flavour of a --set string.
	Kind string `json:"kind"`
	// Base are the values that a --set string changes.
	Base string `json:"base"`
	// Schema is a JSON schema.
	Schema string `json:"schema"`
}

// answer is what the real thing made of it.
type answer struct {
	Ok    any    `json:"ok,omitempty"`
	Error string `json:"error,omitempty"`
}

var operations = map[string]func(request) (any, error){
	"functions":      functions,
	"chart":          renderChart,
	"set":            parseSet,
	"schema":         checkSchema,
	"yaml-to-json":   yamlToJSON,
	"yaml-roundtrip": yamlRoundtrip,
}

func main() {
	// Helm warns through the default logger; the answers are all that matters here.
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		reply, late := bounded(line)
		text, err := json.Marshal(reply)
		if err != nil {
			text = []byte(`{"error":"oracle: answer cannot be written"}`)
		}
		// Told at once: the next question may end the program.
		out.Write(append(text, '\n'))
		out.Flush()
		if late {
			break
		}
	}
}

func respond(line []byte) (reply answer) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = answer{Error: fmt.Sprintf("panic: %v", cause)}
		}
	}()
	var question request
	if err := json.Unmarshal(line, &question); err != nil {
		return answer{Error: "oracle: " + err.Error()}
	}
	operation, known := operations[question.Op]
	if !known {
		return answer{Error: "oracle: unknown operation " + question.Op}
	}
	ok, err := operation(question)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Ok: ok}
}

// bounded is respond for at most patience. What takes longer cannot be ended from outside, so the whole program
// ends after the answer; whoever asks starts it again.
func bounded(line []byte) (reply answer, late bool) {
	done := make(chan answer, 1)
	go func() { done <- respond(line) }()
	select {
	case reply = <-done:
		return reply, false
	case <-time.After(patience):
		return answer{Error: fmt.Sprintf("oracle: no answer within %s", patience)}, true
	}
}
