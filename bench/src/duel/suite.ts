import { type Result, runChild, type Tool } from './tool.ts'

/** This suite, with all checks, with the permission for all its requests, and in simulated time. */
export const suite: Tool = {
  name: 'this suite',
  version: '',
  namesSentence: true,
  varies: true,
  examine: async (subject, seed) => (await runChild('suite-child.ts', subject, ['--seed', String(seed)])) as Result, // printed by the child
}
