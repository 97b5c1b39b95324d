import type { CompletedOption, CompletionNode } from './node.ts'

/** Completion for fish: a line a word and an option, each with the place in the tree where it counts. */
export function toFish(nodes: readonly CompletionNode[]): string {
  const paths = nodes.map(({ path }) => path).filter(Boolean)
  return `# fish completion for cdn; made by: cdn completion fish
function __cdn_place
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim "$place $word")
        contains -- $next ${paths.map(quote).join(' ')}; or break
        set place $next
    end
    test "$place" = "$argv[1]"
end
complete -c cdn -f
${nodes.flatMap(toLines).join('\n')}
`
}

function toLines({ path, words, options }: CompletionNode): string[] {
  const at = `complete -c cdn -n ${quote(`__cdn_place ${quote(path)}`)}`
  return [
    ...words.map(({ word, meaning }) => `${at} -a ${quote(word)}${meaning && ` -d ${quote(meaning)}`}`),
    ...options.map((option) => `${at} ${toFlags(option)}`),
  ]
}

function toFlags({ name, short, meaning, value }: CompletedOption): string {
  const takes = value?.choices
    ? `-x -a ${quote(value.choices.join(' '))}`
    : value?.completes === 'file'
      ? '-r -F'
      : '-x'
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value ? [takes] : []),
    `-d ${quote(meaning)}`,
  ].join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
