import { constants, type FileHandle, lstat, open, rename, stat, unlink } from 'node:fs/promises'
import { createLoggingClient } from '@cdn/api'
import { contracts } from '@cdn/api/contract'
import { type LogLine, readLogLines } from '@cdn/api/logs'
import { createRedactor } from '@cdn/api/secrets'
import { assertDefined } from '@cdn/kit/assert-defined'
import { privateFileFlags } from '@cdn/kit/private-file'
import { codeOf, writeFailure } from '@cdn/kit/system-error'
import { terminalText } from '@cdn/kit/text'
import { dayMs } from '@cdn/kit/time'
import type { CommandContext } from '../../program/command.ts'
import type { Moment } from '../../program/value-type.ts'
import { CommandError, UsageError } from '../../terminal/command-error.ts'
import { prepareRead } from '../read-zone.ts'
import type { StatusLine } from '../status-line.ts'
import { download } from './download.ts'

/** The fields of a line, in the order of the contract (`x-line`). */
const fields = assertDefined(
  contracts.logging.operations.flatMap(({ responses }) => responses).find(({ line }) => line)?.line,
)

interface DownloadOptions {
  readonly file?: string | undefined
  readonly overwrite?: true | undefined
}

/** Saves the log file of a day. */
export async function runDownload(
  context: CommandContext,
  name: string,
  day: Moment | undefined,
  options: DownloadOptions,
): Promise<void> {
  const { now, sleep, showsSecrets } = context
  const { line, options: clientOptions, query: read } = await prepareRead(context, name)
  const from = Math.floor((day?.(now()) ?? now()).getTime() / dayMs) * dayMs
  const date = new Date(from).toISOString().slice(0, 10)
  const to = Math.min(now().getTime(), from + dayMs)
  const client = createLoggingClient(clientOptions)
  const query = { ...read, date: new Date(from), anyOrder: true }
  const format = showsSecrets ? String : createRedactor({ lineFields: fields }).text
  if (options.file === '-') return printLines(context, readLogLines(client, query), format)
  const target = options.file ?? `${query.pullZoneId}-${date}.log`
  // A symbolic link counts as existing, even if its target does not exist.
  if (!options.overwrite && (await lstat(target).catch(() => undefined))) {
    throw new UsageError(`${target} exists. Name another file with --file, or replace it with --overwrite`)
  }
  // Never mix lines with and without credentials in one file.
  const part = `${target}${showsSecrets ? '.with-authorization' : ''}.part`
  const handle = await openPart(part)
  let result: Awaited<ReturnType<typeof download>>
  try {
    result = await download({
      read: (start) => readLogLines(client, { ...query, ...(start > 0 && { start }) }),
      format,
      handle,
      now: () => now().getTime(),
      sleep,
      line,
      range: { from, to },
    })
    await handle.sync()
    await line.clear()
    if (!result.isSorted)
      await line.note('the platform sent the lines out of order, although ascending order was requested')
    await rename(part, target)
  } catch (error) {
    await leave(handle, part, line).catch(() => {})
    throw asCommandError(error, part)
  } finally {
    await handle.close().catch(() => {})
  }
  const { size } = await stat(target)
  await context.output.value({ file: target, pullZoneId: query.pullZoneId, day: date, bytes: size, ...result })
}

/** Prints the lines on standard output. Without a file, the download cannot be resumed after a break. */
async function printLines(
  { out }: CommandContext,
  lines: AsyncIterable<readonly LogLine[]>,
  format: (text: string) => string,
): Promise<void> {
  const show = (text: string) => (out.isTerminal ? terminalText(format(text)) : format(text))
  for await (const batch of lines) await out.write(batch.map(({ text }) => `${show(text)}\n`).join(''))
}

async function leave(handle: FileHandle, part: string, line: StatusLine): Promise<void> {
  const { size } = await handle.stat()
  if (size === 0) await unlink(part)
  else await line.note(`${part} is kept: the same command resumes it`)
  await line.clear()
}

/**
 * Opens the partial file. It holds addresses of visitors, so only the user can read it. A symbolic link is not followed. A file that
 * belongs to another user, or has a hard link, is refused, because others could read it.
 */
async function openPart(part: string): Promise<FileHandle> {
  try {
    const handle = await open(part, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | privateFileFlags, 0o600)
    const status = await handle.stat()
    if (!status.isFile() || status.uid !== (process.getuid?.() ?? status.uid) || status.nlink > 1) {
      await handle.close()
      const must = 'must be a regular file that you own, without hard links'
      throw new CommandError(`${part} ${must}: remove it, or choose another --file.`)
    }
    // An existing file may have other permissions; some file systems have none.
    await handle.chmod(0o600).catch(() => {})
    return handle
  } catch (error) {
    if (codeOf(error) === 'ELOOP')
      throw new CommandError(`${part} is a symbolic link: remove it, or choose another --file`)
    throw asCommandError(error, part)
  }
}

/** Describes file system errors to the user; returns other errors unchanged. A failed rename names its destination. */
function asCommandError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (!code || !(error instanceof Error && 'syscall' in error)) return error
  const file = 'dest' in error ? error.dest : path
  return new CommandError(`${file} cannot be written: ${writeFailure(code)}`, undefined, { cause: error })
}
