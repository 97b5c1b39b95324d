import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { shellQuote } from '@cdn/kit/shell'
import { CommandError, cliExitCodes, systemCode } from '../terminal/command-error.ts'
import type { CommandContext } from './program/declaration.ts'

/** Rows per second of each zone with logs: enough for interesting output, and few enough to read. */
const rowsPerSecond = 2

/** Serves a fresh emulator, and opens a shell whose `cdn` commands use it. */
export async function runTry(context: CommandContext): Promise<number> {
  const { createEmulator } = await import('@cdn/emulator')
  const emulator = await createEmulator({ clock: 'real' })
  const { fixtures, state } = emulator
  const { loggedZoneId, otherLoggedZoneId, zoneId, libraryId, credentials } = fixtures
  state.addTraffic({ zones: [loggedZoneId, otherLoggedZoneId], rowsPerSecond, lateShare: 0.05 })
  const { managementUrl, loggingUrl } = await emulator.listen()
  const variables = {
    CDN_MANAGEMENT_URL: managementUrl.href,
    CDN_LOGGING_URL: loggingUrl.href,
    CDN_ACCESS_KEY: credentials.accessKey,
  }
  const examples = [
    `cdn logs query ${loggedZoneId} --limit 5`,
    `cdn logs stats ${loggedZoneId} --since 1h`,
    `cdn logs tail ${loggedZoneId}`,
    `cdn pull-zone get ${zoneId}`,
    `cdn pull-zone add-allowed-referrer ${zoneId} --hostname '*.example.com'`,
    `cdn video-library delete-watermark ${libraryId}`,
    `cdn logs query ${loggedZoneId} --query '[].path' --output json`,
  ]
  const isShell = context.stdin().isTTY && context.out.isTerminal
  const ended = endOf(isShell)
  try {
    const end = isShell ? 'exit ends it.' : 'It serves until it is interrupted.'
    await context.err.write(
      `A platform in memory, with traffic. Nothing leaves this machine. Try:\n\n${examples.map((line) => `  ${line}\n`).join('')}\n${end}\n\n`,
    )
    if (isShell) await openShell(context, variables, ended)
    else {
      const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`)
      await context.out.write(lines.join(''))
      await ended
    }
    return cliExitCodes.done
  } finally {
    await emulator.close()
  }
}

/** Resolves when the user or the system ends the process. An interrupt while a shell is open belongs to the shell. */
function endOf(isShell: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => isShell || resolve())
    for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve())
  })
}

/** Opens the user's shell. In it, `cdn` runs this program, and the user's own cdn variables are unset. */
async function openShell(
  context: CommandContext,
  variables: Readonly<Record<string, string>>,
  ended: Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cdn-try-'))
  try {
    const program = [process.execPath, defined(process.argv[1])].map(shellQuote).join(' ')
    await writeFile(join(folder, 'cdn'), `#!/bin/sh\nexec ${program} "$@"\n`)
    await chmod(join(folder, 'cdn'), 0o755)
    const inherited = Object.entries(context.env).filter(([name]) => !name.startsWith('CDN_'))
    const env = { ...Object.fromEntries(inherited), ...variables, PATH: [folder, context.env['PATH']].join(delimiter) }
    const path = context.env['SHELL'] || '/bin/sh'
    const shell = spawn(path, { stdio: 'inherit', env })
    const closed = new Promise<void>((resolve, reject) => {
      shell.once('close', () => resolve())
      shell.once('error', (error) =>
        reject(new CommandError(`The shell ${path} cannot be started: ${systemCode(error)}`)),
      )
    })
    await Promise.race([closed, ended.then(() => shell.kill('SIGHUP')).then(() => closed)])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
