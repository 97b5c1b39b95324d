import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'

test('a secret that cannot be read once is read again', async () => {
  const answers = [new Error('The file url must hold a secret; it is empty.')]
  const database = openDatabase(async () => {
    const failure = answers.shift()
    if (failure) throw failure
    return 'not a URL'
  })
  const use = () => database.use(async () => {}, new AbortController().signal)
  await expect(use()).rejects.toThrow('it is empty')
  await expect(use()).rejects.toThrow('Invalid URL of the PostgreSQL sink')
  await database.close()
})
