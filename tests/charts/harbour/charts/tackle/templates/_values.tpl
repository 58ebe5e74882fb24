{{/* vim: set filetype=mustache: */}}
{{/*
Renders a value that contains a template, perhaps with a scope.
{{ include "tackle.values.render" ( dict "value" .Values.path.to.the.Value "context" $ ) }}
{{ include "tackle.values.render" ( dict "value" .Values.path.to.the.Value "context" $ "scope" $app ) }}
*/}}
{{- define "tackle.values.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}
  {{- if .scope }}
      {{- tpl (cat "{{- with $.RelativeScope -}}" $value "{{- end }}") (merge (dict "RelativeScope" .scope) .context) }}
  {{- else }}
    {{- tpl $value .context }}
  {{- end }}
{{- else }}
    {{- $value }}
{{- end }}
{{- end -}}

{{/*
Merges a list of values after rendering them; the first ones win.
*/}}
{{- define "tackle.values.merge" -}}
{{- $dst := dict -}}
{{- range .values -}}
{{- $dst = include "tackle.values.render" (dict "value" . "context" $.context "scope" $.scope) | fromYaml | merge $dst -}}
{{- end -}}
{{ $dst | toYaml }}
{{- end -}}

{{/*
The first value that is set, by paths.
*/}}
{{- define "tackle.values.first" -}}
{{- $first := "" -}}
{{- range $path := .paths -}}
  {{- $keys := splitList "." $path -}}
  {{- $value := $.context.Values -}}
  {{- range $key := $keys -}}
    {{- if kindIs "map" $value -}}
      {{- $value = get $value $key -}}
    {{- else -}}
      {{- $value = "" -}}
    {{- end -}}
  {{- end -}}
  {{- if and $value (not $first) -}}
    {{- $first = $value -}}
  {{- end -}}
{{- end -}}
{{- $first -}}
{{- end -}}

{{/*
The full name of an image.
{{ include "tackle.images.image" ( dict "imageRoot" .Values.path.to.the.image "global" .Values.global "chart" .Chart ) }}
*/}}
{{- define "tackle.images.image" -}}
{{- $registryName := default .imageRoot.registry ((.global).imageRegistry) -}}
{{- $repositoryName := .imageRoot.repository -}}
{{- $separator := ":" -}}
{{- $termination := .imageRoot.tag | toString -}}
{{- if not .imageRoot.tag }}
  {{- if .chart }}
    {{- $termination = .chart.AppVersion | toString -}}
  {{- end -}}
{{- end -}}
{{- if .imageRoot.digest }}
    {{- $separator = "@" -}}
    {{- $termination = .imageRoot.digest | toString -}}
{{- end -}}
{{- if $registryName }}
    {{- printf "%s/%s%s%s" $registryName $repositoryName $separator $termination -}}
{{- else -}}
    {{- printf "%s%s%s" $repositoryName $separator $termination -}}
{{- end -}}
{{- end -}}

{{- define "tackle.images.pullSecrets" -}}
{{- $pullSecrets := list }}
{{- range ((.global).imagePullSecrets) -}}
  {{- if kindIs "map" . -}}
    {{- $pullSecrets = append $pullSecrets .name -}}
  {{- else -}}
    {{- $pullSecrets = append $pullSecrets . -}}
  {{- end }}
{{- end -}}
{{- range .images -}}
  {{- range .pullSecrets -}}
    {{- $pullSecrets = append $pullSecrets (tpl (. | toString) $.context) -}}
  {{- end -}}
{{- end -}}
{{- if (not (empty $pullSecrets)) -}}
imagePullSecrets:
  {{- range $pullSecrets | uniq }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}
