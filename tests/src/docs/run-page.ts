import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../copy.ts'
import { type Block, blocksOf } from './markdown.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * Does what a page says, from top to bottom. A comment right above a block changes what is done with it:
 *
 * | comment                        | the block                                                                   |
 * | ------------------------------ | --------------------------------------------------------------------------- |
 * | `<!-- file: PATH -->`          | is the text of that file; with `, run` behind the path it is also run       |
 * | `<!-- edit: PATH -->`          | is a diff: what is taken away stands in the file once                        |
 * | `<!-- exit: N -->`             | ends with that code                                                         |
 * | `<!-- run by: TEST FILE -->`   | is run there; behind a comma, on what condition                             |
 * | `<!-- not run: REASON -->`     | cannot be run                                                               |
 *
 * Without one, `sh` is run by a shell, `ts` by Node and checked by the compiler, `json` parsed; any other language is text.
 *
 * @param page path of the page in the repository
 * @returns one sentence for each block that does not do what it says; empty where all do
 */
export async function runPage(page: string, sandbox: Sandbox): Promise<string[]> {
  const faults: string[] = []
  const programs: string[] = []
  for (const block of blocksOf(sandbox.read(page))) {
    const fault = await perform(block, sandbox, programs).catch((error: Error) => error.message)
    if (fault) faults.push(`${page}:${block.line}: ${fault}`)
  }
  return [...faults, ...checkTypes(sandbox, programs)]
}

async function perform({ language, text, line, wishes }: Block, sandbox: Sandbox, programs: string[]) {
  if (wishes['not run'] !== undefined) return wishes['not run'].length > 10 ? '' : 'says that it is not run and not why'
  const [test] = wishes['run by']?.split(',') ?? []
  if (test !== undefined) return existsSync(join(repository, test)) ? '' : `${test} is not there`
  if (wishes['edit'] !== undefined) return edit(sandbox, wishes['edit'], text)
  const [, file = `tests/snippet-${line}.${language}`, run] = /^(.+?)(, run)?$/.exec(wishes['file'] ?? '') ?? []
  if (wishes['file'] !== undefined || language === 'ts') sandbox.write(file, text)
  if (language === 'ts') programs.push(file)
  const script =
    language === 'sh' ? text : run || (language === 'ts' && wishes['file'] === undefined) ? `node ${file}` : ''
  if (language === 'json') JSON.parse(text)
  if (script === '') return ''
  const { code, output } = await sandbox.run(script)
  return code === Number(wishes['exit'] ?? 0) ? '' : `ends with ${code}:\n${output.slice(-3000)}`
}

function edit(sandbox: Sandbox, file: string, diff: string): string {
  const lines = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const parts = sandbox.read(file).split(lines('-'))
  if (parts.length !== 2) return `what it takes away stands in ${file} ${parts.length - 1} times, not once`
  sandbox.write(file, parts.join(lines('+')))
  return ''
}

/** All TypeScript of a page at once: the compiler needs seconds to start. */
function checkTypes(sandbox: Sandbox, programs: readonly string[]): string[] {
  if (programs.length === 0) return []
  const config = {
    extends: './tsconfig.base.json',
    compilerOptions: { types: ['node'], typeRoots: ['tests/node_modules/@types'] },
    files: programs,
  }
  sandbox.write('tsconfig.docs.json', JSON.stringify(config))
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.docs.json'], {
    cwd: sandbox.folder,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}
