import { execFileSync } from 'node:child_process'
import { root } from './install.mjs'

/**
 * Returns the files of the repository that git knows, relative to its root.
 *
 * @param {...string} patterns folders or patterns of names, such as `*.ts`; all files by default
 * @returns {string[]}
 */
export function trackedFiles(...patterns) {
  return execFileSync('git', ['ls-files', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '')
}
