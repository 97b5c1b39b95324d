import { describe, type Entry } from '../program/command.ts'
import type { Root } from '../program/create-program.ts'
import { addApiCommand } from './api/command.ts'
import { addCompletion } from './completion.ts'

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
          'Starts the emulator with traffic, and opens your shell, in which every cdn command uses the emulator. When the shell ends, the emulator ends, and everything that cdn saved in the shell is removed.',
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
