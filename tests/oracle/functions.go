package main

import (
	"fmt"
	"maps"
	"slices"
	"text/template"

	// Needed for go:linkname.
	_ "unsafe"
)

// helmFunctions is Helm's own table, which its package does not export.
//
//go:linkname helmFunctions helm.sh/helm/v4/pkg/engine.funcMap
func helmFunctions() template.FuncMap

// builtins are the functions of text/template itself. Go's table of them cannot be reached; a name that is not in
// it would not parse.
var builtins = []string{
	"and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
	"println", "slice", "urlquery",
}

// functions lists the names of all functions that a template of a chart can call.
func functions(request) (any, error) {
	for _, name := range builtins {
		if _, err := template.New("name").Parse("{{ " + name + " }}"); err != nil {
			return nil, fmt.Errorf("oracle: %w", err)
		}
	}
	names := slices.Concat(builtins, slices.Collect(maps.Keys(helmFunctions())))
	slices.Sort(names)
	return slices.Compact(names), nil
}
