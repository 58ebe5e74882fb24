{{- define "queue.name" -}}
{{ .Release.Name }}-queue
{{- end -}}

{{/* Addresses of all servers, separated by commas. */}}
{{- define "queue.hosts" -}}
{{- $name := include "queue.name" . -}}
{{- $hosts := list -}}
{{- range $i := until (int .Values.replicas) -}}
{{- $hosts = append $hosts (printf "%s-%d.%s:%v" $name $i $name $.Values.port) -}}
{{- end -}}
{{- join "," $hosts -}}
{{- end -}}
