/**
 * The completion scripts. They call `cdn complete -- WORDS`, so they never become outdated. The words that the user has typed reach `cdn`
 * unchanged: no script evaluates them.
 */
import type { Command } from '@commander-js/extra-typings'
import { argument, describe, type StartCommand } from '../program/command.ts'
import { choice } from '../program/value-type.ts'

/**
 * Bash splits words at `=` and `:` too, so the script joins them again, and suggests only what follows the last of these characters.
 * It also works with the Bash 3.2 of macOS, which has no `compopt`. `-o default` completes the names of files.
 */
const bash = `_cdn() {
  local rest=\${COMP_LINE:0:COMP_POINT} word value text prefix last words=()
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $rest == [[:space:]]* || \${#words[@]} -eq 0 ]]; then
      words+=("")
      rest=\${rest#"\${rest%%[![:space:]]*}"}
    fi
    [[ $rest == "$word"* ]] || word=$rest
    last=$((\${#words[@]} - 1))
    words[last]+=$word
    rest=\${rest#"$word"}
  done
  prefix=\${words[last]%"\${words[last]##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    case $value in
      :files) ;;
      :end) compopt +o default 2>/dev/null ;;
      :open) compopt +o default -o nospace 2>/dev/null ;;
      *) COMPREPLY+=("\${value#"$prefix"}") ;;
    esac
  done < <(cdn complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _cdn cdn
`

const zsh = `#compdef cdn
_cdn() {
  local -a lines values texts end
  local line
  lines=("\${(@f)$(cdn complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[-1] == :files ]]; then
    _files
    return
  fi
  for line in "\${(@)lines[1,-2]}"; do
    values+=("\${line%%$'\\t'*}")
    texts+=("\${line/$'\\t'/  -- }")
  done
  [[ $lines[-1] == :open ]] && end=(-S '')
  [[ $PREFIX == --*=* ]] && compset -P '*='
  compadd -Q -V cdn -l -d texts "\${(@)end}" -a values
}
if [[ $funcstack[1] == _cdn ]]; then _cdn; else compdef _cdn cdn; fi
`

const fish = `function __cdn_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l lines (cdn complete -- $words[2..-1] "$last" 2>/dev/null)
  if test "$lines[-1]" = :files
    __fish_complete_path "$last"
  else
    set -l prefix (string match -r -- '^--[^=]*=' "$last")
    printf "$prefix%s\\n" $lines[1..-2]
  end
end
complete -c cdn -f -a '(__cdn_complete)'
`

/** PowerShell passes no empty argument to a program in some of its versions, so the script sends two quotes. */
const powershell = `Register-ArgumentCompleter -Native -CommandName cdn -ScriptBlock {
  param($word, $ast, $position)
  $before = $ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position }
  $typed = if ($word -eq '') { '""' } else { $word }
  $lines = @(& cdn complete '--' @($before | ForEach-Object { $_.Extent.Text }) $typed 2>$null)
  if ($lines.Count -eq 0 -or $lines[-1] -eq ':files') { return }
  if ($lines.Count -eq 1) { return '' }
  $prefix = if ($word -match '^--[^=]*=') { $Matches[0] } else { '' }
  foreach ($line in $lines[0..($lines.Count - 2)]) {
    $value, $text = $line -split [char]9, 2
    [System.Management.Automation.CompletionResult]::new("$prefix$value", $value, 'ParameterValue', "$value $text")
  }
}
`

const scripts = { bash, zsh, fish, powershell } as const

export function addCompletion(command: Command, start: StartCommand): void {
  describe(command, {
    details: [
      'bash: add "source <(cdn completion bash)" to ~/.bashrc. zsh: add "source <(cdn completion zsh)" to ~/.zshrc after compinit. fish: cdn completion fish > ~/.config/fish/completions/cdn.fish. PowerShell: add "cdn completion powershell | Out-String | Invoke-Expression" to $PROFILE.',
    ],
    examples: [{ text: 'Save the script for bash', line: 'cdn completion bash > cdn.bash' }],
  })
    .addArgument(argument('<shell>', 'The shell', choice('bash', 'zsh', 'fish', 'powershell')))
    .action((name) => start(({ out }) => out.write(scripts[name])))
}
