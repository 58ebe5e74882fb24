{{ define "lib.x" }}fromlib {{ .Values | toJson }}{{ end }}
