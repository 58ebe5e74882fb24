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
)

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
		reply, err := json.Marshal(respond(line))
		if err != nil {
			reply = []byte(`{"error":"oracle: answer cannot be written"}`)
		}
		out.Write(append(reply, '\n'))
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
	out.Flush()
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
