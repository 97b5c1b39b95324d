import type { Command } from '@commander-js/extra-typings'
import { argument, type CommandContext, describe, type Entry, type Start } from '../program/command.ts'
import type { Root } from '../program/create-program.ts'
import { choice } from '../program/value-type.ts'
import { addApiCommand } from './api/command.ts'

const shell = choice('bash', 'zsh', 'fish', 'powershell')

/** The printed script calls `cdn complete -- WORDS` for its suggestions, so it never becomes outdated. */
function addCompletion(command: Command, start: Start): void {
  describe(command, {
    details: [
      'bash: add "source <(cdn completion bash)" to ~/.bashrc. zsh: add "source <(cdn completion zsh)" to ~/.zshrc after compinit. fish: cdn completion fish > ~/.config/fish/completions/cdn.fish. PowerShell: add "cdn completion powershell | Out-String | Invoke-Expression" to $PROFILE.',
    ],
    examples: [{ text: 'Save the script for bash', line: 'cdn completion bash > cdn.bash' }],
  })
    .addArgument(argument('<shell>', 'The shell', shell))
    .action((name) => start((context) => printCompletion(context, name)))
}

/**
 * The text before and after the script for bash. It defines a function of the package bash-completion that the script calls, if it is
 * missing. It skips a script that was sourced before, whose constants cannot be defined again. `-o default` completes file names where
 * `cdn` suggests nothing.
 */
const bashParts = [
  `type _get_comp_words_by_ref >/dev/null 2>&1 || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}
if ! declare -F __cdn_complete >/dev/null; then
`,
  'fi\ncomplete -o default -F __cdn_complete cdn\n',
] as const

async function printCompletion({ out }: CommandContext, name: 'bash' | 'zsh' | 'fish' | 'powershell'): Promise<void> {
  const { script } = await import('@bomb.sh/tab')
  const [before, after] = name === 'bash' ? bashParts : ['', '']
  await out.write(before)
  script(name, 'cdn', 'cdn')
  await out.write(after)
}

const builtIn: readonly Entry[] = [
  {
    name: 'logs',
    summary: 'Query, follow, summarize and download access logs',
    build: async (group, start) => (await import('../logs/index.ts')).addLogsCommands(group, start),
  },
  { name: 'api', summary: 'Send one request, chosen by its path', build: addApiCommand },
  {
    name: 'auth',
    summary: 'Save, show and remove credentials',
    build: async (group, start) => (await import('./auth.ts')).addAuthCommands(group, start),
  },
  {
    name: 'profiles',
    summary: 'List and switch profiles',
    build: async (group, start) => (await import('./auth.ts')).addProfileCommands(group, start),
  },
  {
    name: 'try',
    summary: 'Open a shell with a platform in memory, without an account',
    build: (command, start) =>
      describe(command, {
        details: [
          'Starts the emulator with traffic, and your shell, in which every cdn command uses it. The emulator and everything that the shell saved for cdn end with the shell.',
        ],
        examples: [{ text: 'Open the shell', line: 'cdn try' }],
        handlesSignals: true,
      }).action(() => start(async (context) => (await import('./try.ts')).runTry(context))),
  },
  { name: 'completion', summary: 'Print the completion script for a shell', build: addCompletion },
]

/** All commands: the built-in ones, and the groups derived from the contract. */
export const root: Root = {
  summary: 'Manage CDN resources and read access logs',
  entries: async ([name]) => {
    if (builtIn.some((entry) => entry.name === name)) return builtIn
    const { operationGroups } = await import('../operations/operation-command.ts')
    return [...builtIn, ...operationGroups()]
  },
  notes: async () => {
    const { unspecifiedAreas } = await import('../operations/operation-command.ts')
    return [
      `${unspecifiedAreas()} areas of the platform have no command yet; cdn api --force --interface management sends requests to them.`,
      exitCodes,
    ]
  },
}

const exitCodes =
  'Exit codes: 0 success, 1 local failure, 2 usage error, 3 missing or refused credentials (401, 403), 4 refused by the platform (other 4xx), 5 platform failure (5xx), 130 interrupted.'
