{{ define "x" }}a{{ end }}
