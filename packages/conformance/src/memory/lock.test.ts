import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { lockMemory, unendedRun } from './lock.ts'

let out: string

beforeEach(() => {
  out = join(temporaryFolder(onTestFinished), 'live')
})

/** Writes the row that a killed run leaves. */
function leaveKilled(run: string) {
  const database = new DatabaseSync(`${out}.lock`)
  database.exec('DROP TABLE IF EXISTS holder; CREATE TABLE holder (pid INTEGER, at TEXT, run TEXT)')
  database.prepare('INSERT INTO holder VALUES (1, ?, ?)').run('2026-01-01T00:00:00.000Z', run)
  database.close()
}

test('a killed run stays known when later runs end before they sweep, or are killed', () => {
  leaveKilled('aaaaaaaa')
  lockMemory(out).release()
  leaveKilled('bbbbbbbb')
  const { killed, killedRuns, release } = lockMemory(out)
  expect(killed).toMatchObject({ run: 'bbbbbbbb' })
  expect(killedRuns).toEqual(['aaaaaaaa', 'bbbbbbbb'])
  release()
  expect(lockMemory(out)).toMatchObject({ killed: undefined, killedRuns: ['aaaaaaaa', 'bbbbbbbb'] })
})

test('a run that loses the lock while it writes its name does not go on without it', () => {
  const other = new DatabaseSync(`${out}.lock`)
  const exec = DatabaseSync.prototype.exec
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    exec.call(this, sql)
    if (sql === 'COMMIT') exec.call(other, 'BEGIN IMMEDIATE')
  })
  onTestFinished(() => spy.mockRestore())
  expect(() => lockMemory(out)).toThrow(SuiteConfigurationError)
  other.close()
})

test('a user who may only read the lock file does not take a running run for a killed one', ({ skip }) => {
  skip(process.getuid?.() === 0, 'root can write every file')
  const { release } = lockMemory(out)
  chmodSync(`${out}.lock`, 0o444)
  expect(unendedRun(out)).toEqual({ isKilled: false, sentence: expect.stringContaining('is running or was killed') })
  release()
  expect(unendedRun(out)).toBeUndefined()
})
