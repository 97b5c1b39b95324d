import { defineCommand } from '../../command/command.ts'

/** `cdn try`: see it work without an account. */
export const tryCommand = defineCommand({
  name: 'try',
  summary: 'Try everything on a platform in memory, without an account',
  details: [
    'Starts the emulator with traffic, and a shell in which every cdn command goes to it; the end of the shell ends all of it. Without a terminal it prints the variables and serves until it is interrupted.',
  ],
  examples: [{ text: 'Go', line: 'cdn try', isEndless: true, exitCode: 0 }],
  handlesSignals: true,
  run: async (context) => (await import('./run.ts')).runTry(context),
})
