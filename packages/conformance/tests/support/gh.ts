import type { Gh } from '../../src/memory/issues.ts'

interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string
  state: 'OPEN' | 'CLOSED'
  labels: { name: string }[]
  readonly comments: { body: string }[]
}

/** Creates a stand-in for `gh` that keeps issues and records the commands. It rejects any command that it does not know. */
export function createGh() {
  const issues: Issue[] = []
  const calls: string[] = []
  const run: Gh = async (args, input = '') => {
    calls.push(args.join(' '))
    const [noun, verb, number] = args
    const option = (name: string) => args[args.indexOf(name) + 1] ?? ''
    const issue = () => {
      const match = issues.find((one) => String(one.number) === number)
      if (!match) throw new Error(`no issue ${number}`)
      return match
    }
    const commands: Readonly<Record<string, () => unknown>> = {
      'label create': () => '',
      'issue list': () => JSON.stringify(issues),
      'issue create': () => {
        const labels = option('--label')
          .split(',')
          .map((name) => ({ name }))
        const rest = { state: 'OPEN' as const, labels, comments: [] }
        issues.push({ number: issues.length + 1, title: option('--title'), body: input, ...rest })
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
