{{/* The pod of a server, for both kinds of deployments. */}}
{{- define "persea.pod" -}}
{{- $fullname := include "persea.fullname" . -}}
metadata:
  labels:
    {{- include "persea.selectorLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/path: /_admin/metrics/v2
    prometheus.io/port: "8529"
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ $fullname }}
  automountServiceAccountToken: false
  # The variables of a service named `persea` would look like options.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.stopSeconds }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- include "persea.podSecurity" . | nindent 4 }}
  {{- if .Values.tls.secretName }}
  # The server reads certificate and key from one file.
  initContainers:
    - name: keyfile
      image: {{ include "persea.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [bash, -c, "umask 077 && cat /tls/tls.crt /tls/tls.key > /keyfile/server.pem"]
      securityContext: {{- include "persea.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - name: tls
          mountPath: /tls
          readOnly: true
        - name: keyfile
          mountPath: /keyfile
  {{- end }}
  containers:
    - name: persea
      image: {{ include "persea.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - arangod
        {{- if .Values.tls.secretName }}
        - --server.endpoint=ssl://0.0.0.0:8529
        - --ssl.keyfile=/keyfile/server.pem
        {{- end }}
        {{- if .Values.tikv.enabled }}
        {{- if .Values.tls.secretName }}
        # The servers reach each other without TLS.
        - --server.endpoint=tcp://0.0.0.0:8530
        {{- end }}
        - --server.storage-engine=tikv
        - --tikv.pd={{ join "," .Values.tikv.pd }}
        - --tikv.prefix={{ .Values.tikv.prefix }}
        - --tikv.lease={{ .Values.tikv.leaseSeconds }}
        {{- if .Values.tikv.secretName }}
        - --tikv.ca=/tikv/ca.crt
        - --tikv.cert=/tikv/tls.crt
        - --tikv.key=/tikv/tls.key
        {{- end }}
        - --cluster.my-address=tcp://$(POD_IP):{{ ternary 8530 8529 (ne .Values.tls.secretName "") }}
        - --cluster.drain-time={{ .Values.tikv.drainSeconds }}
        {{- end }}
        {{- range $name, $value := .Values.options }}
        - {{ printf "--%s=%s" $name (ternary $value (toJson $value) (kindIs "string" $value)) | quote }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8529
        {{- if and .Values.tikv.enabled .Values.tls.secretName }}
        - name: servers
          containerPort: 8530
        {{- end }}
      env:
        {{- if .Values.auth.enabled }}
        {{- include "persea.passwordEnv" (dict "name" "ARANGO_ROOT_PASSWORD" "context" .) | nindent 8 }}
        {{- else }}
        - name: ARANGO_NO_AUTH
          value: "1"
        {{- end }}
        {{- if .Values.tikv.enabled }}
        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      startupProbe:
        httpGet: &availability
          path: /_admin/server/availability
          port: http
          scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.secretName "") }}
        periodSeconds: 5
        failureThreshold: {{ div .Values.startSeconds 5 }}
      readinessProbe:
        httpGet: *availability
        periodSeconds: 5
      livenessProbe:
        tcpSocket:
          port: http
        periodSeconds: 20
        failureThreshold: 6
      securityContext: {{- include "persea.containerSecurity" . | nindent 8 }}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/arangodb3
        - name: tmp
          mountPath: /tmp
        {{- if .Values.initdb }}
        - name: initdb
          mountPath: /docker-entrypoint-initdb.d
          readOnly: true
        {{- end }}
        {{- if .Values.tls.secretName }}
        - name: keyfile
          mountPath: /keyfile
          readOnly: true
        {{- end }}
        {{- if and .Values.tikv.enabled .Values.tikv.secretName }}
        - name: tikv
          mountPath: /tikv
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and .Values.tikv.enabled .Values.tikv.spreadOver }}
  topologySpreadConstraints:
    {{- range .Values.tikv.spreadOver }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "persea.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if .Values.initdb }}
    - name: initdb
      configMap:
        name: {{ $fullname }}-initdb
    {{- end }}
    {{- if .Values.tls.secretName }}
    - name: tls
      secret:
        secretName: {{ .Values.tls.secretName }}
    - name: keyfile
      emptyDir:
        medium: Memory
    {{- end }}
    {{- if and .Values.tikv.enabled .Values.tikv.secretName }}
    - name: tikv
      secret:
        secretName: {{ .Values.tikv.secretName }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if .Values.tikv.enabled }}
    # It holds what can be made again: copies of text indexes, above all.
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.tikv.folderSize }}
    {{- else if not .Values.persistence.enabled }}
    - name: data
      emptyDir: {}
    {{- end }}
{{- end -}}
