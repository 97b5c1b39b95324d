import type { CommandContext } from '../terminal/context.ts'
import { version } from '../version.ts'
import { apiCommand } from './api/declaration.ts'
import { loadOptional } from './load-optional.ts'
import {
  type CommandDeclaration,
  defineCommand,
  type Entry,
  type Example,
  type TypedInput,
} from './program/declaration.ts'
import { choice, text } from './program/value-type.ts'

/** Arguments of a tool in a separate package, passed on unchanged. */
const words = { words: { value: text, summary: 'Arguments of the tool; see its --help', rest: true } } as const

/** The command of a tool in a separate package, which may not be installed. */
function tool(
  name: string,
  summary: string,
  example: Example,
  run: (words: readonly string[], context: CommandContext) => Promise<number>,
): CommandDeclaration {
  return defineCommand({
    name,
    summary: `${summary} (package @cdn/${name})`,
    details: ['All arguments are passed on.'],
    arguments: words,
    passesThrough: true,
    handlesSignals: true,
    examples: [example],
    run: (context, input) => run(input.arguments.words, context),
  })
}

const emulator = tool(
  'emulator',
  'Serve the platform in memory',
  { text: 'Serve until Ctrl-C', line: 'cdn emulator --json', isEndless: true, exitCode: 0 },
  async (given) => (await loadOptional('@cdn/emulator', () => import('@cdn/emulator/cli'))).runCli(given),
)

const conformance = tool(
  'conformance',
  'Check a platform against its specification',
  { text: 'List the checks', line: 'cdn conformance list' },
  async (given, { env }) => {
    const { runConformance } = await loadOptional('@cdn/conformance', () => import('@cdn/conformance/cli'))
    return runConformance(given, env, { out: process.stdout, err: process.stderr })
  },
)

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

/** The script calls this function of the package bash-completion. Defines it on a machine without the package. */
const bashFallback = `type _get_comp_words_by_ref >/dev/null 2>&1 || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}
`

async function printCompletion({ out }: CommandContext, { arguments: { shell } }: TypedInput<typeof shells, object>) {
  const { script } = await import('@bomb.sh/tab')
  if (shell === 'bash') await out.write(bashFallback)
  script(shell, 'cdn', 'cdn')
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
  emulator,
  conformance,
  completion,
  defineCommand({
    name: 'version',
    summary: 'Print the version',
    examples: [{ text: 'Print the version', line: 'cdn version' }],
    run: ({ out }) => out.write(`${version}\n`),
  }),
]
