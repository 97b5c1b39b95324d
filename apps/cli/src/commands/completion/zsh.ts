import type { CompletedOption, CompletionNode } from './node.ts'

/** Completion for zsh: the words so far name a place in the tree, and `_arguments` and `_describe` do the rest. */
export function toZsh(nodes: readonly CompletionNode[]): string {
  const places = nodes.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `#compdef cdn
# zsh completion for cdn; made by: cdn completion zsh
_cdn() {
  local place='' word depth=1
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${places.join('|')}) place="\${place:+$place }$word"; (( depth++ )) ;;
      *) break ;;
    esac
  done
  words=("\${(@)words[depth,-1]}")
  (( CURRENT -= depth - 1 ))
  case $place in
${nodes.map(toCase).join('')}  esac
}
compdef _cdn cdn
`
}

function toCase({ path, isGroup, words, options }: CompletionNode): string {
  const list = words.map(({ word, meaning }) => quote(`${word.replaceAll(':', '\\:')}${meaning && `:${meaning}`}`))
  const describe = list.length > 0 ? `list=(${list.join(' ')}); ` : ''
  const first = list.length > 0 ? ["'1: :{_describe cdn list}'"] : []
  const rest = isGroup ? [] : ["'*:: :_files'"]
  return `    ${quote(path)}) ${describe}_arguments ${[...options.flatMap(toSpecs), ...first, ...rest].join(' ')} ;;\n`
}

function toSpecs({ name, short, meaning, value }: CompletedOption): string[] {
  const text = meaning.replaceAll(/[[\]:\\]/g, '\\$&')
  const action = value?.choices ? `(${value.choices.join(' ')})` : value?.completes === 'file' ? '_files' : ' '
  const spellings = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
  return spellings.map((spelling) => quote(`*${spelling}[${text}]${value ? `:value:${action}` : ''}`))
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
