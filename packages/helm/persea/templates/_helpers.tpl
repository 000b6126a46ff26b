{{- define "persea.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "persea.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "persea.labels" -}}
{{ include "persea.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "persea.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "persea.secretName" -}}
{{- default (include "persea.fullname" .) .Values.auth.existingSecret -}}
{{- end -}}

{{/* The address of the server for the programs of this chart. */}}
{{- define "persea.endpoint" -}}
{{- printf "%s://%s:%v" (ternary "http+ssl" "http+tcp" (ne .Values.tls.secretName "")) (include "persea.fullname" .) .Values.service.port -}}
{{- end -}}

{{/* What every container of the image may do. */}}
{{- define "persea.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "persea.podSecurity" -}}
runAsNonRoot: true
runAsUser: 999
runAsGroup: 999
fsGroup: 999
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The password of root as a variable of the environment. */}}
{{- define "persea.passwordEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "persea.secretName" .context }}
      key: root-password
{{- end -}}

{{/* The options of tools as variables of the environment. */}}
{{- define "persea.clientEnv" -}}
- name: PERSEA_SERVER_ENDPOINT
  value: {{ include "persea.endpoint" . }}
- name: PERSEA_LOG_LEVEL
  value: warning
{{- if .Values.auth.enabled }}
{{ include "persea.passwordEnv" (dict "name" "PERSEA_SERVER_PASSWORD" "context" .) }}
{{- end }}
{{- end -}}
