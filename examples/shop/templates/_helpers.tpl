{{/* Name of the release's objects, cut to what Kubernetes allows. */}}
{{- define "shop.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels of a component: (dict "root" $ "component" "web"). */}}
{{- define "shop.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{ include "shop.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* The labels that never change, which selectors use. */}}
{{- define "shop.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Image of a component: (dict "root" $ "image" .Values.web.image). */}}
{{- define "shop.image" -}}
{{- $registry := .root.Values.global.imageRegistry -}}
{{- $tag := .image.tag | default .root.Chart.AppVersion -}}
{{- if $registry }}{{ $registry }}/{{ end }}{{ .image.repository }}:{{ $tag }}
{{- end -}}

{{/* When a component is launched: (dict "layer" "web" "after" (list "api")). */}}
{{- define "shop.layer" -}}
slipway.dev/layer: {{ .layer }}
{{- with .after }}
slipway.dev/depends-on-layers: {{ toJson . | squote }}
{{- end }}
{{- end -}}
