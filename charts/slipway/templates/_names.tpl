{{- define "slipway.account" -}}
{{ .Values.serviceAccount.name | default .Release.Name }}
{{- end }}
{{- define "slipway.labels" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- /* Objects of the whole cluster are named after the release and its namespace: two may be installed. */}}
{{- define "slipway.wide" -}}
{{ .Release.Namespace }}-{{ .Release.Name }}
{{- end }}
