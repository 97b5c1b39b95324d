/** The output of `config example`: a configuration to start with. */
export const exampleConfig = `# Configuration of cdn-logs-exporter. \${NAME} and \${NAME:-default} stand for environment variables.
# This file holds no secrets: write { env: NAME } or { file: PATH }.
loggingUrl: \${CDN_LOGGING_URL:-https://logging.example}
accessKey: { env: CDN_ACCESS_KEY }

zones: ["123", "124"]
# By name, from the management interface:
# managementUrl: https://management.example
# zones: { from: management, name: "shop-*" }

ledger: ./state # a folder on a local disk

sink:
  type: files
  path: ./logs
  format: ndjson # or parquet
# sink:
#   type: s3
#   endpoint: https://s3.example
#   bucket: logs
#   credentials: { accessKeyId: { env: S3_ID }, secretAccessKey: { file: /run/secrets/s3 } }
# sink: { type: postgres, url: { env: DATABASE_URL } }

# stdout: true # also write the rows to standard output, for a shipper

listen: 127.0.0.1:9464 # metrics and health
`
