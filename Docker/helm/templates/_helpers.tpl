{{- define "portico.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Whether there are several replicas. */}}
{{- define "portico.replicated" -}}
{{- if or .Values.components.replicas .Values.components.autoscaling }}true{{ end }}
{{- end }}

{{- /* Combinations that cannot run. */}}
{{- define "portico.check" -}}
{{- with .Values.components }}
{{- $routes := 0 }}
{{- range list .ingress .ingressNginx .gateway }}{{ if . }}{{ $routes = add1 $routes }}{{ end }}{{ end }}
{{- if gt (int $routes) 1 }}{{ fail "Use one of the components ingress, ingressNginx and gateway." }}{{ end }}
{{- if and .replicas .autoscaling }}{{ fail "Use one of the components replicas and autoscaling." }}{{ end }}
{{- if and (or .replicas .autoscaling) (not .postgres) }}{{ fail "Several replicas need the component postgres." }}{{ end }}
{{- if and .redis (not .postgres) }}{{ fail "The component redis needs the component postgres: Redis excludes a data directory." }}{{ end }}
{{- if and .backup .postgres }}{{ fail "The component backup copies a data directory: back up PostgreSQL instead." }}{{ end }}
{{- end }}
{{- end }}

{{- define "portico.settings" -}}
PORTICO_SANDBOX: "false"
PORTICO_ADMIN_PORT: "9090"
{{- if or .Values.components.ingress .Values.components.ingressNginx .Values.components.gateway }}
PORTICO_HOSTS: {{ .Values.host | quote }}
PORTICO_TRUSTED_PROXIES: "1"
{{- else }}
PORTICO_HOSTS: ""
PORTICO_TRUSTED_PROXIES: "0"
{{- end }}
{{- if .Values.components.production }}
PORTICO_PRODUCTION: "true"
PORTICO_LOG_FORMAT: json
{{- end }}
{{- if .Values.components.postgres }}
PORTICO_DATA: ""
{{- end }}
{{- if include "portico.replicated" . }}
PORTICO_SHUTDOWN_DELAY: "5"
{{- end }}
{{- end }}
