import type { CompletedOption, CompletionNode } from './node.ts'

/**
 * Completion for bash: the words so far name a place in the tree, and the word before the cursor may be an option that
 * takes a value.
 */
export function toBash(nodes: readonly CompletionNode[]): string {
  const spellings = ({ name, short }: CompletedOption) => (short === undefined ? `--${name}` : `--${name}|-${short}`)
  const node = ({ path, words, options }: CompletionNode) => {
    const valued = options.filter(({ value }) => value)
    const cases = valued.map((option) => {
      const { choices, completes } = option.value ?? {}
      const values = choices ? ` COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current"));` : ''
      const files = completes === 'file' ? ' compopt -o default;' : ''
      return `        ${spellings(option)})${values}${files} return ;;\n`
    })
    const list = [...words.map(({ word }) => word), ...options.map(({ name }) => `--${name}`)].join(' ')
    const values = cases.length > 0 ? `      case $previous in\n${cases.join('')}      esac\n` : ''
    return `    '${path}')\n${values}      list="${list}" ;;\n`
  }
  const places = nodes.map(({ path }) => path).filter(Boolean)
  const groups = nodes.filter(({ isGroup }) => isGroup).map(({ path }) => `'${path}'`)
  return `# bash completion for cdn; made by: cdn completion bash
_cdn() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path='' list='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${places.map((path) => `'${path}'`).join(' | ')}) path=\${path:+$path }$word ;;
      *)
        # After a word that names nothing there is nothing to offer.
        case $path in ${groups.join(' | ')}) return ;; esac
        break
        ;;
    esac
  done
  case $path in
${nodes.map(node).join('')}  esac
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -F _cdn cdn
`
}
