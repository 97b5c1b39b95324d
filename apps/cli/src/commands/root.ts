import type { Group } from '../command/command.ts'
import { builtIn } from './built-in.ts'

/** The whole tree: what is written by hand, and an area of the contract for each other word. */
export const root: Group = {
  kind: 'group',
  name: 'cdn',
  summary: 'The management and logging interfaces from the command line',
  details: [
    '§N is a section of the document that describes the platform; supplement is what only public facts say. cdn --version prints the version.',
  ],
  load: async (wanted) => {
    if (builtIn.some(({ name }) => name === wanted)) return builtIn
    const { areaGroups } = await import('../contract/areas.ts')
    return [...builtIn, ...areaGroups()]
  },
}
