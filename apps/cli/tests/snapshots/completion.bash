# bash completion for cdn; made by: cdn completion bash
_cdn() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path='' list='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${path:+$path }$word" in
      'logs' | 'logs query' | 'logs tail' | 'logs stats' | 'logs download' | 'api' | 'auth' | 'auth login' | 'auth status' | 'auth logout' | 'try' | 'emulator' | 'conformance' | 'completion' | 'help' | 'stream-video-library' | 'stream-video-library put-watermark' | 'stream-video-library delete-watermark' | 'stream-video-library get-video-library' | 'pull-zone' | 'pull-zone add-allowed-referrer' | 'pull-zone remove-allowed-referrer' | 'pull-zone get-pull-zone' | 'logging' | 'logging query-logs' | 'logging read-log-file' | 'user' | 'audit-log' | 'storage-zone' | 'statistics' | 'search' | 'dns-zone' | 'dnssec' | 'billing' | 'api-keys' | 'affiliate' | 'countries' | 'purge' | 'region') path=${path:+$path }$word ;;
      *)
        # After a word that names nothing there is nothing to offer.
        case $path in '' | 'logs' | 'auth' | 'stream-video-library' | 'pull-zone' | 'logging' | 'user' | 'audit-log' | 'storage-zone' | 'statistics' | 'search' | 'dns-zone' | 'dnssec' | 'billing' | 'api-keys' | 'affiliate' | 'countries' | 'purge' | 'region') return ;; esac
        break
        ;;
    esac
  done
  case $path in
    '')
      list="logs api auth try emulator conformance completion help stream-video-library pull-zone logging user audit-log storage-zone statistics search dns-zone dnssec billing api-keys affiliate countries purge region --help" ;;
    'logs')
      list="query tail stats download --help" ;;
    'logs query')
      case $previous in
        --since) return ;;
        --from) return ;;
        --to) return ;;
        --status) return ;;
        --cache-status) return ;;
        --country) return ;;
        --edge-location) return ;;
        --remote-ip) return ;;
        --url-contains) return ;;
        --user-agent-contains) return ;;
        --referer-contains) return ;;
        --search) return ;;
        --request-id) return ;;
        --order) COMPREPLY=($(compgen -W "desc asc" -- "$current")); return ;;
        --limit|-n) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--since --from --to --status --cache-status --country --edge-location --remote-ip --url-contains --user-agent-contains --referer-contains --search --request-id --include-origin-shield --order --limit --all --show-authorization --output --query --profile --verbose --dry-run --help" ;;
    'logs tail')
      case $previous in
        --since) return ;;
        --resume) return ;;
        --status) return ;;
        --cache-status) return ;;
        --country) return ;;
        --edge-location) return ;;
        --remote-ip) return ;;
        --url-contains) return ;;
        --user-agent-contains) return ;;
        --referer-contains) return ;;
        --search) return ;;
        --request-id) return ;;
        --lateness) return ;;
        --interval) return ;;
        --for) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--since --resume --status --cache-status --country --edge-location --remote-ip --url-contains --user-agent-contains --referer-contains --search --request-id --include-origin-shield --lateness --interval --for --show-authorization --output --query --profile --verbose --dry-run --help" ;;
    'logs stats')
      case $previous in
        --since) return ;;
        --from) return ;;
        --to) return ;;
        --status) return ;;
        --cache-status) return ;;
        --country) return ;;
        --edge-location) return ;;
        --remote-ip) return ;;
        --url-contains) return ;;
        --user-agent-contains) return ;;
        --referer-contains) return ;;
        --search) return ;;
        --request-id) return ;;
        --by) COMPREPLY=($(compgen -W "status cacheStatus country host path userAgent" -- "$current")); return ;;
        --top) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--since --from --to --status --cache-status --country --edge-location --remote-ip --url-contains --user-agent-contains --referer-contains --search --request-id --include-origin-shield --by --top --output --query --profile --verbose --dry-run --help" ;;
    'logs download')
      case $previous in
        --file|-f) compopt -o default; return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--file --gzip --overwrite --show-authorization --output --query --profile --verbose --dry-run --help" ;;
    'api')
      case $previous in
        --field|-F) return ;;
        --query) return ;;
        --header|-H) return ;;
        --input) compopt -o default; return ;;
        --interface) COMPREPLY=($(compgen -W "management logging" -- "$current")); return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --jmespath) return ;;
        --profile) return ;;
      esac
      list="GET PUT POST DELETE --field --query --header --input --include --interface --force --yes --output --jmespath --profile --verbose --dry-run --help" ;;
    'auth')
      list="login status logout --help" ;;
    'auth login')
      case $previous in
        --profile) return ;;
        --management-url) return ;;
        --logging-url) return ;;
      esac
      list="--profile --bearer --management-url --logging-url --help" ;;
    'auth status')
      case $previous in
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--output --query --profile --verbose --dry-run --help" ;;
    'auth logout')
      case $previous in
        --profile) return ;;
      esac
      list="--profile --help" ;;
    'try')
      list="--help" ;;
    'emulator')
      list="" ;;
    'conformance')
      list="" ;;
    'completion')
      list="bash zsh fish --help" ;;
    'help')
      list="--all --help" ;;
    'stream-video-library')
      list="put-watermark delete-watermark get-video-library --help" ;;
    'stream-video-library put-watermark')
      case $previous in
        --body) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--body --output --query --profile --verbose --dry-run --help" ;;
    'stream-video-library delete-watermark')
      case $previous in
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--yes --output --query --profile --verbose --dry-run --help" ;;
    'stream-video-library get-video-library')
      case $previous in
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--output --query --profile --verbose --dry-run --help" ;;
    'pull-zone')
      list="add-allowed-referrer remove-allowed-referrer get-pull-zone --help" ;;
    'pull-zone add-allowed-referrer')
      case $previous in
        --hostname) return ;;
        --body) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--hostname --body --output --query --profile --verbose --dry-run --help" ;;
    'pull-zone remove-allowed-referrer')
      case $previous in
        --hostname) return ;;
        --body) return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--hostname --body --output --query --profile --verbose --dry-run --help" ;;
    'pull-zone get-pull-zone')
      case $previous in
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--output --query --profile --verbose --dry-run --help" ;;
    'logging')
      list="query-logs read-log-file --help" ;;
    'logging query-logs')
      case $previous in
        --from) return ;;
        --to) return ;;
        --status) return ;;
        --cache-status) return ;;
        --country) return ;;
        --edge-location) return ;;
        --remote-ip) return ;;
        --url-contains) return ;;
        --user-agent-contains) return ;;
        --referer-contains) return ;;
        --search) return ;;
        --request-id) return ;;
        --include-origin-shield) COMPREPLY=($(compgen -W "true false" -- "$current")); return ;;
        --limit) return ;;
        --offset) return ;;
        --order) COMPREPLY=($(compgen -W "asc desc" -- "$current")); return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--from --to --status --cache-status --country --edge-location --remote-ip --url-contains --user-agent-contains --referer-contains --search --request-id --include-origin-shield --limit --offset --order --output --query --profile --verbose --dry-run --help" ;;
    'logging read-log-file')
      case $previous in
        --start) return ;;
        --end) return ;;
        --sort) COMPREPLY=($(compgen -W "asc desc" -- "$current")); return ;;
        --status) return ;;
        --search) return ;;
        --download) COMPREPLY=($(compgen -W "true false" -- "$current")); return ;;
        --output|-o) COMPREPLY=($(compgen -W "table json ndjson csv" -- "$current")); return ;;
        --query) return ;;
        --profile) return ;;
      esac
      list="--start --end --sort --status --search --download --output --query --profile --verbose --dry-run --help" ;;
    'user')
      list="--help" ;;
    'audit-log')
      list="--help" ;;
    'storage-zone')
      list="--help" ;;
    'statistics')
      list="--help" ;;
    'search')
      list="--help" ;;
    'dns-zone')
      list="--help" ;;
    'dnssec')
      list="--help" ;;
    'billing')
      list="--help" ;;
    'api-keys')
      list="--help" ;;
    'affiliate')
      list="--help" ;;
    'countries')
      list="--help" ;;
    'purge')
      list="--help" ;;
    'region')
      list="--help" ;;
  esac
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -F _cdn cdn
