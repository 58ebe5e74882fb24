{{/* The name of a berth's objects. */}}
{{- define "harbour.berth.fullname" -}}
{{- printf "%s-%s" (include "tackle.names.fullname" .context) .name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "harbour.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
    {{ default (include "tackle.names.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
    {{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* Warnings, collected and shown together. */}}
{{- define "harbour.validate" -}}
{{- $messages := list -}}
{{- range $name, $berth := .Values.berths -}}
{{- if and $berth.enabled (not ($berth.image).repository) -}}
{{- $messages = append $messages (printf "berths.%s.image.repository is missing" $name) -}}
{{- end -}}
{{- end -}}
{{- $messages = without $messages "" -}}
{{- $message := join "\n" $messages -}}
{{- if $message -}}
{{- printf "\nVALUES VALIDATION:\n%s" $message | fail -}}
{{- end -}}
{{- end -}}

{{- define "harbour.probe" -}}
{{- if .probe.enabled }}
{{ .kind }}:
  {{- toYaml (omit .probe "enabled") | nindent 2 }}
  httpGet:
    path: {{ .path | default "/" }}
    port: http
{{- end }}
{{- end -}}
