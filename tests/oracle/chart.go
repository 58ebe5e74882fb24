package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// kubeVersion is fixed, so that answers do not depend on the version of client-go.
const kubeVersion = "v1.33.0"

// renderChart does what `helm template` does with the files of a chart, up to the rendered files.
func renderChart(question request) (any, error) {
	var files []*archive.BufferedFile
	for name, text := range question.Files {
		files = append(files, &archive.BufferedFile{Name: name, Data: []byte(text)})
	}
	chart, err := loader.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(question.Text), &values); err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(chart, values); err != nil {
		return nil, fmt.Errorf("chart dependencies processing failed: %w", err)
	}
	version, err := common.ParseKubeVersion(kubeVersion)
	if err != nil {
		return nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	release := common.ReleaseOptions{Name: "oracle", Namespace: "default", Revision: 1, IsInstall: true}
	top, err := util.ToRenderValues(chart, values, release, capabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(chart, top)
	for path, text := range rendered {
		rendered[path] = told(text)
	}
	return rendered, err
}

// told is a text as it is, or with its bytes by number where it is not UTF-8: JSON cannot carry them.
func told(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var told strings.Builder
	told.WriteString("not UTF-8: ")
	for text != "" {
		char, width := utf8.DecodeRuneInString(text)
		if char == utf8.RuneError && width == 1 {
			fmt.Fprintf(&told, `\x%02x`, text[0])
		} else {
			told.WriteString(text[:width])
		}
		text = text[width:]
	}
	return told.String()
}

// checkSchema says whether Helm accepts values under a schema.
func checkSchema(question request) (any, error) {
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(question.Text), &values); err != nil {
		return nil, err
	}
	if err := util.ValidateAgainstSingleSchema(values, []byte(question.Schema)); err != nil {
		return nil, err
	}
	return true, nil
}
