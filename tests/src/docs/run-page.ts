import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../copy-repository.ts'
import { compile } from '../run-in-copy.ts'
import { type Block, blocksOf } from './markdown.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * Executes a page from top to bottom. A comment directly above a block determines how the block is executed:
 *
 * | comment                        | the block                                                                   |
 * | ------------------------------ | --------------------------------------------------------------------------- |
 * | `<!-- file: PATH -->`          | is written to that file, and not run                                        |
 * | `<!-- edit: PATH -->`          | is a diff; its removed text must occur exactly once in the file             |
 * | `<!-- exit: N -->`             | ends with that code                                                         |
 * | `<!-- run by: TEST FILE -->`   | is run by that test; a condition may follow after a comma                   |
 * | `<!-- not run: REASON -->`     | is not run                                                                  |
 *
 * Without a comment, the language decides: `sh` is run by a shell, `ts` is type-checked and run by Node, `json` is parsed. Blocks
 * in other languages are only text.
 *
 * @param page path of the page in the repository
 * @returns one text for each block that fails, and one for each error of the compiler
 */
export async function runPage(page: string, sandbox: Sandbox): Promise<string[]> {
  const faults: string[] = []
  const programs: string[] = []
  for (const block of blocksOf(sandbox.read(page))) {
    const fault = await perform(block, sandbox, programs).catch((error: Error) => error.message)
    if (fault) faults.push(`${page}:${block.line}: ${fault}`)
  }
  // All TypeScript of the page in one run, because the compiler takes seconds to start.
  const errors = programs.length > 0 ? compile(sandbox.folder, programs, sandbox.write) : ''
  return [...faults, ...errors.split('\n').filter((line) => line.includes('error TS'))]
}

/** Returns the fault of a block that is not run here, or an empty text if it has none; undefined if the block is to be run. */
function faultOfUnrun(options: Block['options']): string | undefined {
  if (options['not run'] !== undefined)
    return options['not run'].length > 10 ? '' : 'is not run, but the comment has no reason'
  const [test] = options['run by']?.split(',') ?? []
  if (test === undefined) return undefined
  return existsSync(join(repository, test)) ? '' : `${test} does not exist`
}

async function perform(block: Block, sandbox: Sandbox, programs: string[]): Promise<string> {
  const { language, text, line, options } = block
  const unrun = faultOfUnrun(options)
  if (unrun !== undefined) return unrun
  if (options['edit'] !== undefined) return edit(sandbox, options['edit'], text)
  const file = options['file'] ?? `tests/snippet-${line}.ts`
  if (options['file'] !== undefined || language === 'ts') sandbox.write(file, text)
  if (language === 'ts') programs.push(file)
  if (language === 'json') JSON.parse(text)
  if (language !== 'sh' && (language !== 'ts' || options['file'] !== undefined)) return ''
  const { code, output } = await sandbox.run(language === 'sh' ? text : `node ${file}`)
  return code === Number(options['exit'] ?? 0) ? '' : `ends with ${code}:\n${output.slice(-3000)}`
}

function edit(sandbox: Sandbox, file: string, diff: string): string {
  const lines = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const parts = sandbox.read(file).split(lines('-'))
  if (parts.length !== 2) return `the removed text occurs in ${file} ${parts.length - 1} times, not once`
  sandbox.write(file, parts.join(lines('+')))
  return ''
}
