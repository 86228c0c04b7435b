{{- define "spillway.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "spillway.selector" -}}
app.kubernetes.io/name: spillway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ include "spillway.component" . }}
{{- end -}}

{{- /* Role, and the pool of workers that are of another one than the shared. */ -}}
{{- define "spillway.component" -}}
{{- .role }}{{ with .pool }}-{{ . }}{{ end -}}
{{- end -}}

{{- /* All deployments, as a list of role and pool. */ -}}
{{- define "spillway.deployments" -}}
{{- $all := list (dict "role" "gateway") (dict "role" "router") (dict "role" "worker") -}}
{{- range $pool, $replicas := .Values.worker.pools -}}
{{- $all = append $all (dict "role" "worker" "pool" $pool) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{- define "spillway.labels" -}}
{{ include "spillway.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- /* Metadata of an object of a role; annotations may be absent. */ -}}
{{- define "spillway.meta" -}}
metadata:
  name: {{ include "spillway.name" .root }}-{{ include "spillway.component" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "spillway.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /* spillway.yml: what the chart knows takes precedence over the values. */ -}}
{{- define "spillway.config" -}}
{{- $_ := required "Set config.kafka.bootstrapServers to the addresses of your Kafka cluster." .Values.config.kafka.bootstrapServers -}}
{{- $gateway := dict "host" "0.0.0.0" "port" .Values.ports.gateway -}}
{{- $metrics := dict "host" "0.0.0.0" "port" .Values.ports.metrics -}}
{{- $known := dict "gateway" $gateway "metrics" $metrics -}}
{{- if .Values.worker.pull.port -}}
{{- $_ := set $known "handler" (dict "pull" (dict "host" "0.0.0.0" "port" .Values.worker.pull.port)) -}}
{{- end -}}
{{- $properties := dict -}}
{{- with .Values.kafka.caSecret -}}
{{- $_ := set $properties "ssl.truststore.type" "PEM" -}}
{{- $_ := set $properties "ssl.truststore.location" "/etc/spillway/ca/ca.crt" -}}
{{- $_ := set $properties "security.protocol" "SSL" -}}
{{- end -}}
{{- if eq .Values.kafka.authentication "scram" -}}
{{- $_ := set $properties "sasl.mechanism" "SCRAM-SHA-512" -}}
{{- $_ := set $properties "security.protocol" (empty .Values.kafka.caSecret | ternary "SASL_PLAINTEXT" "SASL_SSL") -}}
{{- else if eq .Values.kafka.authentication "tls" -}}
{{- $_ := set $properties "ssl.keystore.type" "PKCS12" -}}
{{- $_ := set $properties "ssl.keystore.location" "/etc/spillway/user/user.p12" -}}
{{- $_ := set $properties "security.protocol" "SSL" -}}
{{- end -}}
{{- if $properties -}}
{{- $given := dig "kafka" "properties" dict .Values.config -}}
{{- $_ := set $known "kafka" (dict "properties" (merge (deepCopy $given) $properties)) -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $known) -}}
{{- end -}}

{{- /* Secret of the login of a role, or of the job of topics; empty for none. */ -}}
{{- define "spillway.userSecret" -}}
{{- $secret := (get .root.Values .role).userSecret | default .root.Values.kafka.userSecret -}}
{{- if ne .root.Values.kafka.authentication "none" -}}
{{- required (printf "Set kafka.userSecret or %s.userSecret: kafka.authentication needs it." .role) $secret -}}
{{- end -}}
{{- end -}}

{{- define "spillway.isMonitored" -}}
{{- if eq (toString .enabled) "auto" -}}
{{- .root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1" | ternary "true" "" -}}
{{- else if eq (toString .enabled) "true" -}}
true
{{- end -}}
{{- end -}}

{{- /* What all containers have. */ -}}
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
{{- if .root.Values.kafka.filesSecret }}
- name: kafka
  mountPath: /etc/spillway/kafka
  readOnly: true
{{- end }}
{{- if .root.Values.kafka.caSecret }}
- name: ca
  mountPath: /etc/spillway/ca
  readOnly: true
{{- end }}
{{- if eq .root.Values.kafka.authentication "tls" }}
- name: user
  mountPath: /etc/spillway/user
  readOnly: true
{{- end }}
{{- if and (eq .role "worker") .root.Values.worker.pull.keySecret }}
- name: pull
  mountPath: /etc/spillway/pull
  readOnly: true
{{- end }}
{{- end -}}

{{- define "spillway.volumes" -}}
- name: config
  secret:
    secretName: {{ include "spillway.name" .root }}-config
- name: tmp
  emptyDir: {}
{{- with .root.Values.kafka.filesSecret }}
- name: kafka
  secret:
    secretName: {{ . }}
{{- end }}
{{- with .root.Values.kafka.caSecret }}
- name: ca
  secret:
    secretName: {{ . }}
{{- end }}
{{- if eq .root.Values.kafka.authentication "tls" }}
- name: user
  secret:
    secretName: {{ include "spillway.userSecret" . }}
{{- end }}
{{- if and (eq .role "worker") .root.Values.worker.pull.keySecret }}
- name: pull
  secret:
    secretName: {{ .root.Values.worker.pull.keySecret }}
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
  {{- with .Values.fsGroup }}
  fsGroup: {{ int64 . }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- /* Environment of a role, as a list that may be empty. */ -}}
{{- define "spillway.env" -}}
{{- $values := get .root.Values .role -}}
{{- $env := list -}}
{{- if eq .root.Values.kafka.authentication "scram" -}}
{{- $login := dict "secretKeyRef" (dict "name" (include "spillway.userSecret" .) "key" "sasl.jaas.config") -}}
{{- $env = append $env (dict "name" "SPILLWAY_KAFKA_PROPERTIES_SASL_JAAS_CONFIG" "valueFrom" $login) -}}
{{- else if eq .root.Values.kafka.authentication "tls" -}}
{{- $login := dict "secretKeyRef" (dict "name" (include "spillway.userSecret" .) "key" "user.password") -}}
{{- $env = append $env (dict "name" "SPILLWAY_KAFKA_PROPERTIES_SSL_KEYSTORE_PASSWORD" "valueFrom" $login) -}}
{{- end -}}
{{- if and .root.Values.javaOptions (ne .role "topics") -}}
{{- $env = append $env (dict "name" "JDK_JAVA_OPTIONS" "value" .root.Values.javaOptions) -}}
{{- end -}}
{{- if and (eq .role "gateway") $values.adminKeySecret -}}
{{- $key := dict "secretKeyRef" (dict "name" $values.adminKeySecret "key" "admin-key") -}}
{{- $env = append $env (dict "name" "SPILLWAY_ADMIN_KEY" "valueFrom" $key) -}}
{{- $key = dict "secretKeyRef" (dict "name" $values.adminKeySecret "key" "viewer-key" "optional" true) -}}
{{- $env = append $env (dict "name" "SPILLWAY_VIEWER_KEY" "valueFrom" $key) -}}
{{- end -}}
{{- /* Not in spillway.yml: pull in workers would read it too, where the secret is not mounted. */ -}}
{{- if and (eq .role "gateway") $values.tlsSecret -}}
{{- $env = append $env (dict "name" "SPILLWAY_GATEWAY_TLS_CERTIFICATE_FILE" "value" "/etc/spillway/tls/tls.crt") -}}
{{- $env = append $env (dict "name" "SPILLWAY_GATEWAY_TLS_KEY_FILE" "value" "/etc/spillway/tls/tls.key") -}}
{{- end -}}
{{- with .pool -}}
{{- $env = append $env (dict "name" "SPILLWAY_WORKER_POOL" "value" .) -}}
{{- end -}}
{{- if and (eq .role "worker") $values.pull.keySecret -}}
{{- $ip := dict "fieldRef" (dict "fieldPath" "status.podIP") -}}
{{- $env = append $env (dict "name" "POD_IP" "valueFrom" $ip) -}}
{{- $url := printf "http://$(POD_IP):%d" (int $values.pull.port) -}}
{{- $env = append $env (dict "name" "SPILLWAY_HANDLER_PULL_ADVERTISED_URL" "value" $url) -}}
{{- $env = append $env (dict "name" "SPILLWAY_HANDLER_PULL_KEY_FILE" "value" "/etc/spillway/pull/worker-key") -}}
{{- $receipts := "/etc/spillway/pull/receipt-key" -}}
{{- $env = append $env (dict "name" "SPILLWAY_HANDLER_PULL_RECEIPT_KEY_FILE" "value" $receipts) -}}
{{- end -}}
{{- toYaml (concat $env ($values.env | default list)) -}}
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
        {{- if and (eq .role "worker") $values.pull.port }}
        - name: pull
          containerPort: {{ $values.pull.port }}
        {{- end }}
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
        {{- include "spillway.mounts" . | nindent 8 }}
        {{- if and (eq .role "gateway") $values.tlsSecret }}
        - name: tls
          mountPath: /etc/spillway/tls
          readOnly: true
        {{- end }}
        {{- with $values.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "spillway.volumes" . | nindent 4 }}
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
