import description from '../../package.json' with { type: 'json' }
import { apiArguments, apiOptions } from './api/options.ts'
import {
  type CommandContext,
  type CommandGroup,
  defineCommand,
  type Entry,
  type TypedInput,
} from './program/declaration.ts'
import { choice } from './program/value-type.ts'

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

const builtIn: readonly Entry[] = [
  {
    kind: 'group',
    name: 'logs',
    summary: 'Query, follow, summarize and download access logs',
    load: async () => (await import('../logs/index.ts')).commands,
  },
  defineCommand({
    name: 'api',
    summary: 'Send one request, chosen by its path',
    details: [
      'Path, query and body are checked against the contract before anything is sent; --force skips the check.',
      'Credentials come from the profile or the environment, never from --header.',
    ],
    arguments: apiArguments,
    options: apiOptions,
    examples: [
      { text: 'Read a pull zone', line: 'cdn api pullzone/2001' },
      {
        text: 'Add an allowed referrer',
        line: "cdn api POST /pullzone/2001/addAllowedReferrer --field 'Hostname=*.example.com'",
      },
      {
        text: 'Read the body from standard input',
        line: `echo '{"Hostname": "a.example.com"}' | cdn api POST /pullzone/2001/addAllowedReferrer --input -`,
      },
      {
        text: 'The status codes of three log rows',
        line: "cdn api v2/pullzones/2002/logs --param limit=3 --query 'data[].statusCode'",
      },
      { text: 'The names of all pull zones, of all pages', line: "cdn api pullzone --paginate --query '[].Name'" },
      { text: 'Show what would be sent', line: 'cdn api DELETE /videolibrary/1001/watermark --dry-run' },
    ],
    isRemote: true,
    hasOutput: true,
    run: async (context, input) => (await import('./api/run.ts')).runApi(context, input),
  }),
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
  defineCommand({
    name: 'try',
    summary: 'Open a shell with a platform in memory, without an account',
    details: [
      'Starts the emulator with traffic, and your shell, in which every cdn command uses it. The emulator and everything that the shell saved for cdn end with the shell.',
    ],
    examples: [{ text: 'Open the shell', line: 'cdn try' }],
    handlesSignals: true,
    run: async (context) => (await import('./try.ts')).runTry(context),
  }),
  completion,
  defineCommand({
    name: 'version',
    summary: 'Print the version',
    examples: [{ text: 'Print the version', line: 'cdn version' }],
    run: ({ out }) => out.write(`${description.version}\n`),
  }),
]

/** The tree of all commands: the built-in commands, and the groups derived from the contract. */
export const root: CommandGroup = {
  kind: 'group',
  name: 'cdn',
  summary: 'Manage CDN resources and read access logs',
  load: async (name) => {
    if (builtIn.some((entry) => entry.name === name)) return builtIn
    const { operationGroups } = await import('../operations/operation-command.ts')
    return [...builtIn, ...operationGroups()]
  },
  notes: async () => {
    const { unspecifiedAreas } = await import('../operations/operation-command.ts')
    return [
      `${unspecifiedAreas()} areas of the platform have no command yet; cdn api --force sends requests to them.`,
      exitCodes,
    ]
  },
}

const exitCodes =
  'Exit codes: 0 success, 1 local failure, 2 usage error, 3 missing or refused credentials (401, 403), 4 refused by the platform (other 4xx), 5 platform failure (5xx), 130 interrupted.'
