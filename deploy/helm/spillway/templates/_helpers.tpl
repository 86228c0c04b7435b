{{- define "spillway.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "spillway.selector" -}}
app.kubernetes.io/name: spillway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "spillway.labels" -}}
{{ include "spillway.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "spillway.meta" -}}
metadata:
  name: {{ include "spillway.name" .root }}-{{ .role }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "spillway.labels" . | nindent 4 }}
{{- end -}}

{{- /* spillway.yml: what the chart knows takes precedence over the values. */ -}}
{{- define "spillway.config" -}}
{{- $_ := required "Set config.kafka.bootstrapServers to the addresses of your Kafka cluster." .Values.config.kafka.bootstrapServers -}}
{{- $gateway := dict "host" "0.0.0.0" "port" .Values.ports.gateway -}}
{{- if .Values.gateway.tlsSecret -}}
{{- $_ := set $gateway "tls" (dict "certificateFile" "/etc/spillway/tls/tls.crt" "keyFile" "/etc/spillway/tls/tls.key") -}}
{{- end -}}
{{- $metrics := dict "host" "0.0.0.0" "port" .Values.ports.metrics -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) (dict "gateway" $gateway "metrics" $metrics)) -}}
{{- end -}}

{{- /* What all containers have. The image's user is 10001. */ -}}
{{- define "spillway.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .root.Values.kafka.propertiesSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- end -}}

{{- define "spillway.mounts" -}}
- name: config
  mountPath: /etc/spillway/spillway.yml
  subPath: spillway.yml
  readOnly: true
- name: data
  mountPath: /var/lib/spillway
- name: tmp
  mountPath: /tmp
{{- if .Values.kafka.filesSecret }}
- name: kafka
  mountPath: /etc/spillway/kafka
  readOnly: true
{{- end }}
{{- end -}}

{{- define "spillway.volumes" -}}
- name: config
  secret:
    secretName: {{ include "spillway.name" . }}-config
- name: tmp
  emptyDir: {}
{{- with .Values.kafka.filesSecret }}
- name: kafka
  secret:
    secretName: {{ . }}
{{- end }}
{{- end -}}

{{- define "spillway.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- /* Environment of a role, as a list that may be empty. */ -}}
{{- define "spillway.env" -}}
{{- $values := get .root.Values .role -}}
{{- $env := list -}}
{{- with .root.Values.javaOptions -}}
{{- $env = append $env (dict "name" "JDK_JAVA_OPTIONS" "value" .) -}}
{{- end -}}
{{- if and (eq .role "gateway") $values.adminKeySecret -}}
{{- $key := dict "secretKeyRef" (dict "name" $values.adminKeySecret "key" "admin-key") -}}
{{- $env = append $env (dict "name" "SPILLWAY_ADMIN_KEY" "valueFrom" $key) -}}
{{- $key = dict "secretKeyRef" (dict "name" $values.adminKeySecret "key" "viewer-key" "optional" true) -}}
{{- $env = append $env (dict "name" "SPILLWAY_VIEWER_KEY" "valueFrom" $key) -}}
{{- end -}}
{{- toYaml (concat $env $values.env) -}}
{{- end -}}

{{- /* The pod template of one role. */ -}}
{{- define "spillway.pod" -}}
{{- $values := get .root.Values .role -}}
metadata:
  labels:
    {{- include "spillway.selector" . | nindent 4 }}
  annotations:
    checksum/config: {{ include "spillway.config" .root | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "spillway.podSecurity" .root | nindent 2 }}
  terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
  topologySpreadConstraints:
    {{- $this := . }}
    {{- range .root.Values.topologySpread.keys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $this.root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "spillway.selector" $this | nindent 10 }}
    {{- end }}
  containers:
    - name: {{ .role }}
      {{- include "spillway.container" . | nindent 6 }}
      args: [run, --roles, {{ .role }}, --config, /etc/spillway/spillway.yml]
      {{- with fromYamlArray (include "spillway.env" .) }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- if eq .role "gateway" }}
        - name: http
          containerPort: {{ .root.Values.ports.gateway }}
        {{- end }}
        - name: metrics
          containerPort: {{ .root.Values.ports.metrics }}
      # The port opens when the compacted topics are read; a router then restores its timers and is not ready.
      startupProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 60
      # Never /readyz: it includes Kafka, and a restart does not help when Kafka is gone.
      livenessProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: metrics}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- if eq .role "gateway" }}
      # Load balancers learn in this time that the pod goes away.
      lifecycle:
        preStop:
          sleep:
            seconds: 5
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        {{- include "spillway.mounts" .root | nindent 8 }}
        {{- if and (eq .role "gateway") $values.tlsSecret }}
        - name: tls
          mountPath: /etc/spillway/tls
          readOnly: true
        {{- end }}
        {{- with $values.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "spillway.volumes" .root | nindent 4 }}
    {{- if ne .role "router" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if and (eq .role "gateway") $values.tlsSecret }}
    - name: tls
      secret:
        secretName: {{ $values.tlsSecret }}
    {{- end }}
    {{- with $values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
  {{- with get $values $key }}
  {{ $key }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}
