import type { Entry } from '../command/command.ts'
import { apiCommand } from './api/declaration.ts'
import { authGroup } from './auth/declaration.ts'
import { completionCommand } from './completion/declaration.ts'
import { helpCommand } from './help.ts'
import { conformanceCommand, emulatorCommand } from './parts.ts'
import { tryCommand } from './try/declaration.ts'

/** What does not come from the contract, in the order of the help. */
export const builtIn: readonly Entry[] = [
  {
    kind: 'group',
    name: 'logs',
    summary: 'Look into the access logs of a pull zone',
    load: async () => (await import('../logs/index.ts')).commands,
  },
  apiCommand,
  authGroup,
  tryCommand,
  emulatorCommand,
  conformanceCommand,
  completionCommand,
  helpCommand,
]
