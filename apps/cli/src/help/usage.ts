import type { Argument, Command, Option } from '../command/command.ts'
import { argumentLabel } from '../command/parse-input.ts'
import { optionsOf } from '../command/shared-options.ts'

/** The usage line: `cdn logs query PULL-ZONE-ID [options]`. */
export function usageOf(path: readonly string[], command: Command): string {
  const labels = Object.entries(command.arguments).map(([name, argument]) => {
    const label = argumentLabel(name, argument)
    return argument.optional || argument.rest ? `[${label}]` : label
  })
  const required = Object.entries(command.options).flatMap(([name, { value, ...option }]) =>
    value && 'required' in option ? [`--${name} ${value.placeholder}`] : [],
  )
  return ['cdn', ...path, ...labels, ...required, ...(command.isOpen ? [] : ['[options]'])].join(' ')
}

/** A name and what it means, for a list of two columns. */
export type Entry = readonly [name: string, meaning: string]

export function argumentEntries(command: Command): Entry[] {
  return Object.entries(command.arguments).map(([name, argument]) => [
    argumentLabel(name, argument),
    meaningOf(argument),
  ])
}

function meaningOf({ value, summary }: Argument): string {
  return value.must === 'a text' || summary.includes(value.must) ? summary : `${summary}; ${value.must}`
}

/** The options of a command: its own first, those that it shares after them. */
export function optionEntries(command: Command): { readonly own: Entry[]; readonly shared: Entry[] } {
  if (command.isOpen) return { own: [], shared: [] }
  const entries = (names: readonly string[]) =>
    names.flatMap((name): Entry[] => {
      const option = optionsOf(command)[name]
      return option ? [[spellingOf(name, option), explain(option)]] : []
    })
  const own = Object.keys(command.options)
  return { own: entries(own), shared: entries(Object.keys(optionsOf(command)).filter((name) => !own.includes(name))) }
}

function spellingOf(name: string, { short, value }: Option & { readonly short?: string }): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value ? ` ${value.placeholder}` : ''}`
}

function explain(option: Option): string {
  if (!option.value) return option.summary
  const { value, summary, repeat, required, ground } = option
  const notes = [
    required && 'required',
    repeat && 'may be repeated',
    option.default !== undefined && `default: ${String(option.default)}`,
    ground,
  ].filter(Boolean)
  const must = /^(a text|the path)/.test(value.must) || value.choices ? '' : `: ${value.must}`
  return `${summary}${must}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}
