import { readFile } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { CommandError, UsageError } from '../errors/command-error.ts'

/**
 * Reads what `--body` or `--input` names.
 *
 * @param source `@file` or `-` (standard input); any other text is the body itself
 * @param option how it is called, for messages
 * @throws UsageError where standard input is a terminal, CommandError where the file cannot be read
 */
export async function readBody(context: Context, source: string, option: string): Promise<Uint8Array<ArrayBuffer>> {
  if (source === '-' || source === '@-') {
    if (context.in.isTerminal)
      throw new UsageError(`${option} ${source} reads standard input, which is a terminal: give a file or a pipe`)
    return context.in.read()
  }
  return source.startsWith('@') ? readBodyFile(source.slice(1), option) : new Uint8Array(Buffer.from(source))
}

/** @throws CommandError where the file cannot be read */
export async function readBodyFile(file: string, option: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (error) {
    throw new CommandError(`${option}: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
