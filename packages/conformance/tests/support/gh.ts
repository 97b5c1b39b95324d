import type { Gh } from '../../src/memory/issues.ts'

interface Issue {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  state: 'OPEN' | 'CLOSED'
  labels: { name: string }[]
  readonly comments: { body: string }[]
}

/** Maximum length of a text on GitHub, in characters. */
const maxLength = 65_536

/**
 * Creates a stand-in for `gh` that keeps issues and records the commands. It rejects any command that it does not know.
 *
 * @param failsOn whether GitHub refuses a command
 */
export function createGh(failsOn?: (args: readonly string[]) => boolean) {
  const issues: Issue[] = []
  const calls: string[] = []
  const run: Gh = async (args, input = '') => {
    calls.push(args.join(' '))
    if ([...input].length > maxLength) throw new Error('GraphQL: Body is too long (maximum is 65536 characters)')
    if (failsOn?.(args)) throw new Error('GraphQL: API rate limit exceeded')
    const [noun, verb, number] = args
    const option = (name: string) => args[args.indexOf(name) + 1] ?? ''
    const issue = () => {
      const match = issues.find((one) => String(one.number) === number || one.url === number)
      if (!match)
        throw new Error(`GraphQL: Could not resolve to an issue or pull request with the number of ${number}.`)
      return match
    }
    const commands: Readonly<Record<string, () => unknown>> = {
      'label create': () => '',
      'issue list': () =>
        JSON.stringify(issues.filter(({ labels }) => labels.some((one) => one.name === option('--label')))),
      'issue view': () => JSON.stringify(issue()),
      'issue create': () => {
        const labels = option('--label')
          .split(',')
          .map((name) => ({ name }))
        const rest = { state: 'OPEN' as const, labels, comments: [] }
        const number = issues.length + 1
        const url = `https://github.invalid/o/r/issues/${number}`
        issues.push({ number, url, title: option('--title'), body: input, ...rest })
        return `${url}\n`
      },
      'issue comment': () => issue().comments.push({ body: input }),
      'issue close': () => Object.assign(issue(), { state: 'CLOSED' }),
      'issue reopen': () => Object.assign(issue(), { state: 'OPEN' }),
      'issue edit': () => issue().labels.push({ name: option('--add-label') }),
    }
    const command = commands[`${noun} ${verb}`]
    if (!command) throw new Error(`unknown command: ${args.join(' ')}`)
    const output = command()
    return typeof output === 'string' ? output : ''
  }
  return { run, issues, calls }
}
