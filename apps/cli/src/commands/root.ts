import { builtIn } from './built-in.ts'
import type { CommandGroup } from './program/declaration.ts'

/** The tree of all commands: the built-in commands, and the groups derived from the contract. */
export const root: CommandGroup = {
  kind: 'group',
  name: 'cdn',
  summary: 'Manage CDN resources and read access logs',
  load: async (name) => {
    if (builtIn.some((entry) => entry.name === name)) return builtIn
    const { operationGroups } = await import('../operations/groups.ts')
    return [...builtIn, ...operationGroups()]
  },
  notes: async () => {
    const { unspecifiedAreas } = await import('../operations/groups.ts')
    return [
      `${unspecifiedAreas()} areas of the platform have no command yet; cdn api --force sends requests to them.`,
      exitCodes,
    ]
  },
}

const exitCodes =
  'Exit codes: 0 success, 1 local failure, 2 usage error, 3 missing or refused credentials (401, 403), 4 refused by the platform (other 4xx), 5 platform failure (5xx), 130 interrupted.'
