import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { assertDefined } from '@cdn/kit/assert-defined'
import { shellQuote } from '@cdn/kit/shell'
import { codeOf } from '@cdn/kit/system-error'
import type { CommandContext } from '../program/command.ts'
import { CommandError } from '../terminal/command-error.ts'

/** Rows per second of each zone with traffic: enough for interesting output, and few enough to read. */
const rowsPerSecond = 2

const prompt = '(cdn try) $ '

/** Options that keep a shell from reading the user's own files, which would replace the prompt. */
const shellOptions: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc'],
  zsh: ['-f'],
  fish: ['--no-config', '--init-command', `function fish_prompt; echo -n '${prompt}'; end`],
}

/**
 * Opens the user's shell, in which `cdn` uses a fresh emulator. Ends with the shell.
 *
 * @throws CommandError if the shell cannot be started
 */
export async function runTry(context: CommandContext): Promise<void> {
  const { createEmulator } = await import('@cdn/emulator')
  const emulator = await createEmulator({ clock: 'real' })
  const { fixtures, state } = emulator
  const { loggedZoneId, otherLoggedZoneId, zoneId, libraryId, credentials } = fixtures
  state.addTraffic({ zones: [loggedZoneId, otherLoggedZoneId], rowsPerSecond, lateShare: 0.05 })
  const folder = await mkdtemp(join(tmpdir(), 'cdn-try-'))
  try {
    const { managementUrl, loggingUrl } = await emulator.listen()
    const examples = [
      `cdn logs query ${loggedZoneId} --limit 5`,
      `cdn logs stats ${loggedZoneId} --since 1h`,
      `cdn logs tail ${loggedZoneId}`,
      `cdn pull-zone get ${zoneId}`,
      `cdn pull-zone add-allowed-referrer ${zoneId} --hostname '*.example.com'`,
      `cdn video-library delete-watermark ${libraryId}`,
      `cdn logs query ${loggedZoneId} --query '[].path' --output json`,
    ]
    await context.err.write(
      `A platform in memory, with traffic. Nothing leaves this machine. Try:\n\n${examples.map((line) => `  ${line}\n`).join('')}\nTo end the shell and the platform: exit\n\n`,
    )
    const program = [process.execPath, assertDefined(process.argv[1])].map(shellQuote).join(' ')
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'cdn'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 })
    const inherited = Object.entries(context.env).filter(([name]) => !name.startsWith('CDN_'))
    await openShell(context.env['SHELL'] || '/bin/sh', {
      ...Object.fromEntries(inherited),
      CDN_MANAGEMENT_URL: managementUrl.href,
      CDN_LOGGING_URL: loggingUrl.href,
      CDN_ACCESS_KEY: credentials.accessKey,
      // Profiles and cached names of zones are removed when the shell ends.
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
      PATH: [bin, context.env['PATH']].join(delimiter),
      PS1: prompt,
    })
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves when the shell has ended. This process ignores SIGINT, which the shell also gets; SIGTERM and SIGHUP end the shell. */
function openShell(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const shell = spawn(path, shellOptions[basename(path)] ?? [], { stdio: 'inherit', env })
  process.on('SIGINT', () => {})
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => shell.kill('SIGHUP'))
  return new Promise((resolve, reject) => {
    shell.once('close', () => resolve())
    shell.once('error', (error) => reject(new CommandError(`The shell ${path} cannot be started: ${codeOf(error)}`)))
  })
}
