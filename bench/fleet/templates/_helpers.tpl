{{/*
Expand the name of the chart.
*/}}
{{- define "fleet.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "fleet.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "fleet.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "fleet.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fleet.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fleet.labels" -}}
helm.sh/chart: {{ include "fleet.chart" . }}
{{ include "fleet.selectorLabels" . }}
{{- if .Chart.AppVersion }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.global.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A name of a part: tuple PART CONTEXT */}}
{{- define "fleet.part" -}}
{{- $part := index . 0 -}}
{{- $envAll := index . 1 -}}
{{- printf "%s-%s" (include "fleet.fullname" $envAll) $part | trimAll "-" | lower -}}
{{- end }}

{{- define "fleet.image" -}}
{{- $root := .root -}}
{{- $image := mustMergeOverwrite (deepCopy $root.Values.image) (default dict .image) -}}
{{- $registry := coalesce $root.Values.global.imageRegistry $image.registry "docker.io" -}}
{{- $tag := $image.tag | default $root.Chart.AppVersion | toString -}}
{{- if hasPrefix "sha256:" $tag -}}
{{- printf "%s/%s@%s" $registry $image.repository $tag -}}
{{- else -}}
{{- printf "%s/%s:%s" $registry (trimPrefix "/" $image.repository) $tag -}}
{{- end -}}
{{- end }}

{{/* Renders a value that may hold templates. */}}
{{- define "fleet.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}
{{- tpl $value .context }}
{{- else }}
{{- $value }}
{{- end }}
{{- end }}

{{- define "fleet.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "fleet.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "fleet.hpaVersion" -}}
{{- if semverCompare ">=1.23-0" .Capabilities.KubeVersion.Version -}}
autoscaling/v2
{{- else -}}
autoscaling/v2beta2
{{- end -}}
{{- end -}}

{{- define "fleet.probe" -}}
{{- if .probe.enabled }}
httpGet:
  path: {{ .probe.path }}
  port: {{ .port }}
{{- range $key, $value := omit .probe "enabled" "path" }}
{{ $key }}: {{ $value }}
{{- end }}
{{- end }}
{{- end -}}
