/** The cases with which checks failed, in the folder `cases` next to the history. One file per target and check. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Case } from '../cases/case.ts'
import type { Report } from '../report/model.ts'
import { reasonOf } from '../run/failure.ts'
import { besideReports, orSay, writeWhole } from '../run/files.ts'
import { readJson } from '../run/read-json.ts'

/**
 * Reads a stored case.
 *
 * @throws SuiteConfigurationError in one sentence
 */
export function readCase(file: string): Promise<Case> {
  return readJson(file, 'stored case', 'StoredCase', 'it is not a stored case')
}

/**
 * Reads the cases of a target. A damaged file is skipped.
 *
 * @param out folder of the reports
 * @param onNotice called with one sentence per damaged file
 */
export async function readCases(
  out: string,
  target: Case['target'],
  onNotice: (sentence: string) => void = () => {},
): Promise<Case[]> {
  const folder = besideReports(out, 'cases')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
      onNotice(`The stored cases in ${folder} cannot be read (${error.code}).`)
    return []
  })
  const cases: Case[] = []
  for (const name of names.filter((one) => one.startsWith(`${target}.`) && one.endsWith('.json')).sort()) {
    try {
      const stored = await readCase(join(folder, name))
      if (stored.target === target) cases.push(stored)
    } catch (error) {
      onNotice(`A stored case is skipped: ${reasonOf(error)}`)
    }
  }
  return cases
}

/**
 * Stores the case of each failed check, and removes the cases of checks that passed.
 *
 * @param out folder of the reports
 * @throws SuiteConfigurationError in one sentence if a file cannot be written
 */
export async function storeCases(out: string, { checks, seed, target }: Report): Promise<void> {
  const folder = besideReports(out, 'cases')
  await orSay('store the failed cases in', folder, async () => {
    for (const { id, outcome, evidence } of checks) {
      const file = join(folder, `${target.kind}.${id.replaceAll('/', '~')}.json`)
      if (outcome === 'pass') await rm(file, { force: true })
      // Only checks that sent requests have evidence.
      if (outcome !== 'fail' || !evidence) continue
      const failed: Case = { target: target.kind, check: id, seed, calls: evidence.calls ?? [] }
      await writeWhole(file, `${JSON.stringify(failed, null, 2)}\n`)
    }
  })
}
