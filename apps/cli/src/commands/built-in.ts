import type { CommandContext } from '../terminal/context.ts'
import { version } from '../version.ts'
import { apiCommand } from './api/declaration.ts'
import { defineCommand, type Entry, type TypedInput } from './program/declaration.ts'
import { choice } from './program/value-type.ts'

const tryCommand = defineCommand({
  name: 'try',
  summary: 'Open a shell on a platform in memory, without an account',
  details: [
    'Starts the emulator with traffic and a shell in which every cdn command uses it; leaving the shell stops the emulator. Without a terminal, it prints the variables and serves until it is interrupted.',
  ],
  examples: [{ text: 'Open the shell', line: 'cdn try', isEndless: true, exitCode: 0 }],
  handlesSignals: true,
  run: async (context) => (await import('./try.ts')).runTry(context),
})

const shells = { shell: { value: choice('bash', 'zsh', 'fish', 'powershell'), summary: 'The shell' } } as const

/** The printed script calls `cdn complete -- WORDS` for its suggestions, so it never becomes outdated. */
const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion script for a shell',
  details: [
    'bash: add "source <(cdn completion bash)" to ~/.bashrc. zsh: add "source <(cdn completion zsh)" to ~/.zshrc after compinit. fish: cdn completion fish > ~/.config/fish/completions/cdn.fish. PowerShell: add "cdn completion powershell | Out-String | Invoke-Expression" to $PROFILE.',
  ],
  arguments: shells,
  examples: [{ text: 'Save the script for bash', line: 'cdn completion bash > cdn.bash' }],
  run: printCompletion,
})

/**
 * Around the script for bash. The script calls a function of the package bash-completion, and defines constants, which fails when it
 * is sourced again. `-o default` completes file names where `cdn` suggests nothing.
 */
const bashParts = [
  `type _get_comp_words_by_ref >/dev/null 2>&1 || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}
if ! declare -F __cdn_complete >/dev/null; then
`,
  'fi\ncomplete -o default -F __cdn_complete cdn\n',
] as const

async function printCompletion({ out }: CommandContext, { arguments: { shell } }: TypedInput<typeof shells, object>) {
  const { script } = await import('@bomb.sh/tab')
  const [before, after] = shell === 'bash' ? bashParts : ['', '']
  await out.write(before)
  script(shell, 'cdn', 'cdn')
  await out.write(after)
}

/** The commands that do not come from the contract, in the order of the help. */
export const builtIn: readonly Entry[] = [
  {
    kind: 'group',
    name: 'logs',
    summary: 'Query, follow, summarize and download access logs',
    load: async () => (await import('../logs/index.ts')).commands,
  },
  apiCommand,
  {
    kind: 'group',
    name: 'auth',
    summary: 'Save, show and remove credentials',
    load: async () => (await import('./auth.ts')).authCommands(),
  },
  {
    kind: 'group',
    name: 'profiles',
    summary: 'List and switch profiles',
    load: async () => (await import('./auth.ts')).profileCommands(),
  },
  tryCommand,
  completion,
  defineCommand({
    name: 'version',
    summary: 'Print the version',
    examples: [{ text: 'Print the version', line: 'cdn version' }],
    run: ({ out }) => out.write(`${version}\n`),
  }),
]
