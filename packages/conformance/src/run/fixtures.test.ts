import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { readFixtures } from './fixtures.ts'

const folder = temporaryFolder()
const file = join(folder, 'fixtures.json')

const env = { KEY: 'canary-key', SCOPED: 'canary-token' }

function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readFixtures(file, env)
}

test('credentials come from the variables that the file names, and paths are relative to the file', async () => {
  const content = {
    libraryId: '9223372036854775807',
    watermarkFile: 'mark.png',
    credentials: { accessKey: 'KEY', byScope: { User: 'SCOPED' } },
  }
  expect(await read(content)).toEqual({
    libraryId: '9223372036854775807',
    watermarkFile: join(folder, 'mark.png'),
    credentials: { accessKey: 'canary-key', byScope: { User: 'canary-token' } },
  })
})

test.each([
  ['{', 'invalid JSON'],
  [{}, 'the file must have the key "credentials"'],
  [{ credentials: {}, zone: '1' }, 'unknown key "zone" in the file; known are libraryId'],
  [{ credentials: { key: 'KEY' } }, 'unknown key "key" in credentials; known are accessKey'],
  [{ credentials: {}, zoneId: 5 }, 'zoneId must be a decimal id in quotes, such as "123"'],
  [{ credentials: {}, zoneId: 'five' }, 'zoneId must be a decimal id in quotes'],
  [{ credentials: { accessKey: 'a-real-key' } }, 'credentials.accessKey must be the name of an environment variable'],
  [
    { credentials: { accessKey: 'fb307b25canary9000' } },
    'credentials.accessKey names an environment variable (its name is not shown',
  ],
  [{ credentials: { accessKey: '__proto__' } }, 'which is not set'],
  [
    { credentials: { accessKey: 'UNSET' } },
    'credentials.accessKey names the environment variable UNSET, which is not set',
  ],
])('%j is refused in one sentence that shows no secret', async (content, sentence) => {
  const refused = read(content).then(
    () => undefined,
    (error: unknown) => error,
  )
  const error = await refused
  expect(error).toBeInstanceOf(SuiteConfigurationError)
  expect(String(error)).toContain(sentence)
  expect(String(error)).not.toMatch(/canary|a-real-key/)
})

test('a missing file is named in the message', async () => {
  await expect(readFixtures(join(folder, 'absent.json'), env)).rejects.toThrow(
    'absent.json: the fixtures file cannot be read',
  )
})
