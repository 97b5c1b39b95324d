import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const repository = join(import.meta.dirname, '../..')

/**
 * Copies the repository into a new folder, with its dependencies but without build results and caches.
 *
 * @returns the folder; the caller removes it
 */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'repository-'))
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', list, { cwd: repository, encoding: 'utf8' }).split('\0')
  for (const file of files.filter((name) => name !== '' && existsSync(join(repository, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(repository, file), join(copy, file))
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  // Packages refer to each other by relative links, so in the copy the links lead to the copied packages.
  for (const folder of new Set(files.filter((name) => /(^|\/)package\.json$/.test(name)).map(dirname))) {
    const modules = join(folder, 'node_modules')
    if (folder === '.' || !existsSync(join(repository, modules))) continue
    cpSync(join(repository, modules), join(copy, modules), { recursive: true, verbatimSymlinks: true })
  }
  return copy
}
