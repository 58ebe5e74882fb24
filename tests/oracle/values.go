package main

import (
	"encoding/json"
	"fmt"

	"helm.sh/helm/v4/pkg/strvals"
	"sigs.k8s.io/yaml"
)

// yamlToJSON reads a document as Helm reads values, and writes it as JSON.
func yamlToJSON(question request) (any, error) {
	var value any
	if err := yaml.Unmarshal([]byte(question.Text), &value); err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// yamlRoundtrip reads a document and writes it again.
func yamlRoundtrip(question request) (any, error) {
	var value any
	if err := yaml.Unmarshal([]byte(question.Text), &value); err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(value)
	return string(text), err
}

// parseSet parses a --set string into values that are there already, and writes them as JSON.
func parseSet(question request) (any, error) {
	values := map[string]any{}
	if question.Base != "" {
		if err := yaml.Unmarshal([]byte(question.Base), &values); err != nil {
			return nil, err
		}
	}
	var err error
	switch question.Kind {
	case "set":
		err = strvals.ParseInto(question.Text, values)
	case "set-string":
		err = strvals.ParseIntoString(question.Text, values)
	case "set-json":
		err = strvals.ParseJSON(question.Text, values)
	case "set-literal":
		err = strvals.ParseLiteralInto(question.Text, values)
	default:
		err = fmt.Errorf("oracle: unknown kind %s", question.Kind)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(values)
	return string(text), err
}
